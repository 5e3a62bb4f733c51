/** `node scripts/build/inPage.ts FOLDER`: writes the sandbox for pages into a folder, as `FOLDER/browser/`. */
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { writeSandboxInPage } from './bundle.ts';

const [folder = ''] = process.argv.slice(2);
await mkdir(dirname(folder), { recursive: true });
// It gets its name when it is whole: another process may do the same meanwhile, and either result is good.
const fresh = await mkdtemp(join(dirname(folder), `${basename(folder)}-`));
try {
  await writeSandboxInPage(fresh);
  await rm(folder, { recursive: true, force: true });
  await rename(fresh, folder);
} finally {
  await rm(fresh, { recursive: true, force: true });
}
