/**
 * npm runs this before and after `npm pack` and `npm publish`. npm always packs the README in the project's folder. So
 * during packing the package's README replaces it, and the project's is kept as `README.md~`, the only name that npm
 * excludes. Usage: main.ts begin|end
 */
import { copyFileSync, existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../lib/project.ts';

const readme = join(projectRoot, 'README.md');
const kept = `${readme}~`;

if (process.argv[2] === 'begin') {
  // If the copy exists, an earlier run was interrupted, and README.md is the package's.
  if (!existsSync(kept)) copyFileSync(readme, kept);
  copyFileSync(join(projectRoot, 'package/README.md'), readme);
} else if (
  existsSync(kept) &&
  (process.env['npm_command'] !== 'publish' || process.env['npm_lifecycle_event'] === 'postpublish')
) {
  // `npm publish` reads the folder again after packing, and sends that README to the registry.
  renameSync(kept, readme);
}
