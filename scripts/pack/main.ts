/**
 * Run by npm around `npm pack` and `npm publish`. npm always packs the README of the project's folder, so while it packs
 * the package's own README lies there, and the project's is kept as `README.md~`, the one name that npm leaves out.
 * Usage: main.ts begin|end
 */
import { copyFileSync, existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../lib/project.ts';

const readme = join(projectRoot, 'README.md');
const kept = `${readme}~`;

if (process.argv[2] === 'begin') {
  // If it's there, an earlier run was cut short, and what lies in its place is the package's.
  if (!existsSync(kept)) copyFileSync(readme, kept);
  copyFileSync(join(projectRoot, 'package/README.md'), readme);
} else if (
  existsSync(kept) &&
  (process.env['npm_command'] !== 'publish' || process.env['npm_lifecycle_event'] === 'postpublish')
) {
  // `npm publish` reads the folder again after it packed, and sends that README to the registry's page.
  renameSync(kept, readme);
}
