// Run by npm after `npm ci` (package.json, `prepare`): makes node_modules/.bin/countersign, in syntax that any Node
// reads. Without it `npx countersign` in a clone goes through npx's cache, which links the command once for each folder
// and never again: after a release that moved the file of the command it fails there with "countersign: not found",
// and a user with such a cache can't see why. npx looks in node_modules/.bin as well, and finds the command of today.
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const folder = join(root, 'node_modules/.bin');

// Windows wants a wrapper in place of a link; there npx keeps to its cache.
if (process.platform !== 'win32' && existsSync(join(root, 'node_modules'))) {
  mkdirSync(folder, { recursive: true });
  const { bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  for (const [name, file] of Object.entries(bin)) {
    const link = join(folder, name);
    rmSync(link, { force: true });
    symlinkSync(relative(folder, join(root, file)), link);
  }
}
