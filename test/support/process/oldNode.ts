import { execFileSync } from 'node:child_process';
import { delimiter, join } from 'node:path';

/** A Node from 20 on and before 24 on the PATH, for what must run there; undefined where there is none. */
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
