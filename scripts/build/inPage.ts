/** Builds only the sandbox for pages, for a checkout that serves it (mocks/sandbox/node/inPage.ts). */
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { writeSandboxInPage } from './bundle.ts';

/** Builds the sandbox for pages into a folder, as `browser/`, and replaces what was there. */
export async function buildInPage(folder: string): Promise<void> {
  await mkdir(dirname(folder), { recursive: true });
  // Build elsewhere and rename at the end: another process may build at the same time, and either result is good.
  const fresh = await mkdtemp(join(dirname(folder), `${basename(folder)}-`));
  try {
    await writeSandboxInPage(fresh);
    await rm(folder, { recursive: true, force: true });
    await rename(fresh, folder);
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}
