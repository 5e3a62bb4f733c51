// Kysely as one file. Node finds, reads and links every module separately, and Kysely has 257 of them: a tenth of a
// start. `cli/countersign.mjs` puts this file in the place of the package. The file has the version in its name, so it
// can't be older than the package. If it is missing, a start takes the package.
import { join } from 'node:path';

/**
 * Writes the file into `node_modules/.cache/countersign`.
 *
 * @param {string} root the folder that contains `node_modules`
 * @param {string} version the version of Kysely that is installed
 * @throws an error with the code ERR_MODULE_NOT_FOUND if the dev dependencies aren't installed
 */
export async function writeKysely(root, version) {
  const { rolldown } = await import('rolldown');
  const bundle = await rolldown({ cwd: root, input: 'kysely', platform: 'node' });
  await bundle.write({ file: join(root, 'node_modules/.cache/countersign', `kysely-${version}.mjs`), minify: true });
  await bundle.close();
}
