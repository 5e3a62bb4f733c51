// Libraries of many modules as one file each. Node finds, reads and links every module separately: Kysely has 257, a
// tenth of a start. `cli/countersign.mjs` puts such a file in the place of the package. Its name has the version, so it
// can't be older than the package. If it is missing, a start takes the package.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What `cli/countersign.mjs` looks for. */
const names = ['kysely', 'uuid'];

/**
 * Writes the files into `node_modules/.cache/countersign`. Nothing depends on them but the time of a start, so a failure
 * is a line on stderr and doesn't fail an installation.
 *
 * @param {string} root the folder that contains `node_modules`
 */
export async function writeLibraries(root) {
  try {
    const { rolldown } = await import('rolldown');
    for (const name of names) {
      const { version } = JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8'));
      const bundle = await rolldown({ cwd: root, input: name, platform: 'node' });
      const file = join(root, 'node_modules/.cache/countersign', `${name}-${version}.mjs`);
      await bundle.write({ file, minify: true });
      await bundle.close();
    }
  } catch (error) {
    // `npm ci --omit=dev` installs neither the bundler nor the libraries.
    if (error.code !== 'ERR_MODULE_NOT_FOUND') {
      console.error(`A start will take longer: no library was written as one file (${error.message}).`);
    }
  }
}
