/** The files of the sandbox for pages. The package contains them; a checkout builds them at the first request. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { memoize, onceDone } from '../../../contract/memoize.ts';

/** The files, with their names beside a page. */
export const inPageFiles = ['service-worker.js', 'start-worker.js', 'sqlite3.wasm'] as const;

const script = 'scripts/build/inPage.ts';

/** Whether they exist or can be built. @param root the folder that contains `generated/` */
export function canRunInPage(root: URL): boolean {
  return existsSync(new URL('browser/', root)) || existsSync(new URL(script, root));
}

const findAt = memoize((root: string) => onceDone(() => find(root)));

async function find(root: string): Promise<string> {
  const packed = join(root, 'browser');
  if (existsSync(packed)) return packed;
  const folder = join(root, 'node_modules/.cache/countersign-in-page');
  // Loaded by its address, because the package doesn't contain it.
  const { buildInPage } = (await import(pathToFileURL(join(root, script)).href)) as {
    buildInPage: (folder: string) => Promise<void>;
  };
  await buildInPage(folder);
  return join(folder, 'browser');
}

/**
 * The folder that contains them. The build takes some seconds, once per process.
 * @param root the folder that contains `generated/`.
 * @throws Error with the build's message.
 */
export function findInPage(root: URL): Promise<string> {
  return findAt(fileURLToPath(root))();
}
