#!/usr/bin/env node
import { existsSync } from 'node:fs';
// In syntax that any Node reads. `check` runs on any Node from 20 on once it is built, everything else on Node 24.
import { lifecycle } from '../mocks/lifecycle.mjs';

const args = process.argv.slice(2);
const source = new URL('./main.ts', import.meta.url);
const built = new URL('../dist/cli/main.js', import.meta.url);
const major = Number(process.versions.node.split('.')[0]);
const isClone = existsSync(source);
if (major >= 24) await import('../mocks/node24.mjs');
else if (major < 20 || args[0] !== 'check' || !existsSync(built)) {
  const remedy = isClone ? 'Run "npm ci", which brings it, and then "npx countersign".' : 'Install Node 24 or newer.';
  const check =
    args[0] === 'check' && isClone ? ' Or run "npm run build" there: built, "check" takes Node 20 or newer.' : '';
  console.error(`countersign ${args[0] || ''} needs Node 24, and this is ${process.versions.node}. ${remedy}${check}`);
  // 1 would mean findings.
  process.exit(2);
}
// The repository runs its source; an installed package has it built, because Node strips no types in node_modules.
const { main } = await import(isClone && major >= 24 ? source.href : built.href);
process.exitCode = await main(lifecycle, args);
