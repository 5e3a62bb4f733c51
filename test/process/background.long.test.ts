/** Promise: if npm was started with nohup and is told to stop, it ends the command that it runs. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { begin, kill, openDataFile, poll, typed } from '../support/process/endings.ts';
import { temporaryFolder } from '../support/sandbox/folder.ts';

const readyLine = /ready at http:/;

describe.skipIf(process.platform !== 'linux')('nohup', () => {
  it('npm told to stop passes it on', { timeout: 120_000 }, async () => {
    const data = join(temporaryFolder(), 'data.sqlite');
    const begun = begin(['bash', '-c', `nohup ${typed('start', 'npx', data)} & wait`]);
    await begun.waitFor(readyLine);
    const npx = begun.alive().find((pid) => /^npm exec/.test(readFileSync(`/proc/${pid}/cmdline`, 'utf8')));
    kill(npx, 'SIGTERM');
    await poll(
      () => begun.alive().length === 0,
      () => `${begun.alive()} are still there:\n${begun.output()}`,
      10_000,
    );
    await openDataFile(data);
  });
});
