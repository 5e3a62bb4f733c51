// npm runs this after `npm ci` (package.json, `dependencies`). It writes some libraries as one file each, and makes node_modules/.bin/countersign, in syntax that any
// Node reads. Without it, `npx countersign` in a clone uses npx's cache, which links the command once for each folder
// and never updates the link. After a release that moves the command's file, npx would fail with "countersign: not
// found", and the user couldn't see why. npx also looks in node_modules/.bin, and finds the current command there.
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeLibraries } from './libraries.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const folder = join(root, 'node_modules/.bin');

// Windows needs a wrapper instead of a link, so npx still uses its cache there.
if (process.platform !== 'win32' && existsSync(join(root, 'node_modules'))) {
  mkdirSync(folder, { recursive: true });
  const { bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  for (const [name, file] of Object.entries(bin)) {
    const link = join(folder, name);
    rmSync(link, { force: true });
    symlinkSync(relative(folder, join(root, file)), link);
  }
}

if (existsSync(join(root, 'node_modules'))) await writeLibraries(root);
