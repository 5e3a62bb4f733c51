/** Apart from what starts it, as `vitest.config.ts` asks too, where nothing of Vitest can be imported. */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Where the program is; undefined on a machine without it. Debian's folder for servers is on no user's PATH. */
export function findPgBouncer(): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin'];
  return folders.map((folder) => join(folder, 'pgbouncer')).find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
