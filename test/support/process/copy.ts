/** Copies the project for a test that runs scripts which write into it. */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../../scripts/lib/project.ts';
import { temporaryFolder } from '../sandbox/folder.ts';

/** A copy of the files that Git tracks or would track, without the tests. It shares the installed packages. */
export function copyProject(): string {
  const copy = join(temporaryFolder(), 'copy');
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: projectRoot,
    encoding: 'utf8',
  }).split('\n');
  for (const path of listed.filter((path) => path !== '' && !path.startsWith('test/') && existsSync(path))) {
    cpSync(join(projectRoot, path), join(copy, path));
  }
  symlinkSync(join(projectRoot, 'node_modules'), join(copy, 'node_modules'), 'junction');
  return copy;
}
