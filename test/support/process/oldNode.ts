import { execFileSync } from 'node:child_process';
import { delimiter, join } from 'node:path';

/** A Node 20 to 23 on the PATH, for code that must run there; undefined if there is none. */
export function findOldNode(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders
    .map((folder) => join(folder, 'node'))
    .find((file) => {
      try {
        const [, major] = /^v(\d+)\./.exec(execFileSync(file, ['--version'], { encoding: 'utf8' })) ?? [];
        return Number(major) >= 20 && Number(major) < 24;
      } catch {
        return false;
      }
    });
}
