#!/usr/bin/env node
// The entry of every command. Any Node can read its syntax, so it can name the Node it needs before it loads newer
// syntax.
import { existsSync, readFileSync } from 'node:fs';
import module from 'node:module';
// Imported first, to notice a parent that ends while the command starts.
import { lifecycle } from '../mocks/lifecycle.mjs';

const args = process.argv.slice(2);
const source = new URL('./main.ts', import.meta.url);
const built = new URL('../dist/cli/main.js', import.meta.url);
const isClone = existsSync(source);
const major = Number(process.versions.node.split('.')[0]);
const isOld = major < 24;

/**
 * What runs: the sources in a clone, if this Node reads them. Otherwise the build, because Node strips no types in a
 * package.
 */
const program = isClone && !isOld ? source : built;

function refuse(message) {
  console.error(message);
  // Exit code 1 would mean findings.
  process.exit(2);
}

function refusesNode(command) {
  const remedy = isClone
    ? 'Run "npm ci", which brings it, and then "npx countersign" or "npm start".'
    : 'Install Node 24 or newer, or run "npm install -D node@24", which brings it for this project alone.';
  const check =
    command === 'check' && isClone ? ' Or run "npm run build" there: built, "check" takes Node 20 or newer.' : '';
  return `${command === '' ? 'countersign' : `countersign ${command}`} needs Node 24, and this is ${process.versions.node}. ${remedy}${check}`;
}

/** Takes the files of scripts/link/libraries.mjs in the place of their packages, if they are there. */
function takeLibrariesAsOneFile() {
  const packages = new URL('../node_modules/', import.meta.url);
  const resolve = (specifier, context, next) => {
    const found = next(specifier, context);
    if (specifier !== 'kysely' && specifier !== 'uuid') return found;
    const { version } = JSON.parse(readFileSync(new URL(`${specifier}/package.json`, packages), 'utf8'));
    const file = new URL(`.cache/countersign/${specifier}-${version}.mjs`, packages);
    return existsSync(file) ? { ...found, url: file.href, format: 'module' } : found;
  };
  module.registerHooks({ resolve });
}

// A build in a clone may be older than its sources. It is used only for the command that needs it: `check` on an older
// Node.
if (major < 20 || (isOld && (!existsSync(built) || (isClone && args[0] !== 'check'))))
  refuse(refusesNode(args[0] || ''));
if (isClone && !existsSync(new URL('../node_modules', import.meta.url))) {
  refuse('The packages of this clone are missing. Run "npm ci" there.');
}
if (program === source) takeLibrariesAsOneFile();
// Node 22.1 added it.
if (module.enableCompileCache !== undefined) module.enableCompileCache();
const { main } = await import(program.href);
process.exitCode = await main({ lifecycle, refusesNode: isOld ? refusesNode : undefined }, args);
