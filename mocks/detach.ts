/** `--detach`: the command runs on in the background. The command that was typed ends once it is ready. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, openSync, readFileSync, rmSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Lifecycle } from '../cli/command/command.ts';

/**
 * Starts the typed command again in the background, and waits until it is ready or has ended.
 * @param name of the command, for the name of its log.
 * @param format of the ready text, and of the lines that say where the log is and how to stop the command.
 * @returns the exit code: 0 if it is ready, otherwise the command's own exit code, after its message.
 */
export async function startDetached(
  name: string,
  { commandLine }: Lifecycle,
  format: 'text' | 'json' = 'text',
): Promise<number> {
  const log = join(tmpdir(), `countersign-${name}-${randomBytes(4).toString('hex')}.log`);
  // `wx` refuses a link that another user has put there.
  const file = openSync(log, 'wx', 0o600);
  const child = spawn(process.execPath, [...process.execArgv, ...commandLine.filter((word) => word !== '--detach')], {
    detached: true,
    stdio: ['ignore', file, file, 'ipc'],
    env: { ...process.env, COUNTERSIGN_OUTLIVE: 'detached' },
  });
  closeSync(file);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('message', ({ ready }: { ready: string }) => {
      const told =
        format === 'json'
          ? JSON.stringify({ ...JSON.parse(ready), log })
          : `${ready.trimEnd()}\n  log           ${log}\n  stop          kill ${child.pid}`;
      process.stdout.write(`${told}\n`);
      child.unref();
      child.disconnect();
      resolve(0);
    });
    child.once('exit', (code, signal) => {
      process.stderr.write(readFileSync(log));
      rmSync(log);
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
    });
  });
}
