/** The build of the sandbox for pages by itself, for a checkout that serves it (mocks/sandbox/node/inPage.ts). */
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { writeSandboxInPage } from './bundle.ts';

/** Writes it into a folder, as `browser/`, in place of what was there. */
export async function buildInPage(folder: string): Promise<void> {
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
}
