/**
 * Promise: a sandbox in a container of 256 MB survives forty platforms with large bodies (docs/how-to/deploy.md). The
 * process gets the flags and the variable of the Dockerfile, and the heap that Node chooses there.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { projectRoot } from '../../scripts/lib/project.ts';
import { temporaryFolder } from '../support/sandbox/folder.ts';
import { basic } from '../support/sandbox/harness.ts';

const megabytes = (pid: number, what: 'VmHWM' | 'VmRSS'): number =>
  Number(new RegExp(`${what}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

async function start(...args: string[]) {
  const dockerfile = readFileSync(join(projectRoot, 'Dockerfile'), 'utf8');
  const flags = /"(--max-semi-space-size=\d+)"/.exec(dockerfile)?.[1] ?? 'none';
  const arenas = /MALLOC_ARENA_MAX=(\d+)/.exec(dockerfile)?.[1] ?? 'none';
  const data = join(temporaryFolder(), 'sandbox.sqlite');
  const given = ['--port', '0', '--data', data, '--log', 'off', '--format', 'json', ...args];
  const child = spawn(process.execPath, ['--max-old-space-size=128', flags, 'cli/countersign.mjs', 'start', ...given], {
    cwd: projectRoot,
    env: { ...process.env, MALLOC_ARENA_MAX: arenas },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return { pid: child.pid as number, url: JSON.parse(String(line)).url as string };
}

test.skipIf(process.platform !== 'linux')('forty platforms stay below 256 MB', async () => {
  // A sixteenth of 256 MB, as the start chooses it in the container.
  const { pid, url } = await start('--journal', '16MiB');
  const send = async (method: string, path: string, authorization: string, body?: object): Promise<string> => {
    const headers = { authorization, 'content-type': 'application/json' };
    const answer = await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    return answer.text();
  };
  const platforms: string[] = [];
  for (let number = 0; number < 40; number += 1) {
    const made = JSON.parse(await send('POST', '/__sandbox/platforms', '', { world: 'ready-made' }));
    platforms.push(basic(made.clientId, made.clientSecret));
  }
  for (let round = 0; round < 40; round += 1) {
    const person = { customerType: 'INDIVIDUAL', fullName: `Number ${round} ${'x'.repeat(150)}` };
    const refused = { ...person, nonsense: 'y'.repeat(60_000) };
    await Promise.all(
      platforms.map(async (own) => {
        for (const body of [person, refused]) await send('POST', '/2025-10-13/customers', own, body);
        for (const query of [`limit=${round + 1}`, 'limit=100'])
          await send('GET', `/2025-10-13/customers?${query}`, own);
      }),
    );
  }
  const [last = ''] = platforms;
  expect(JSON.parse(await send('GET', '/2025-10-13/customers?limit=1', last)).totalCount).toBeGreaterThanOrEqual(40);
  expect(Number(/journal_bytes (\d+)/.exec(await send('GET', '/__sandbox/metrics', ''))?.[1])).toBeGreaterThan(
    8_000_000,
  );
  expect(megabytes(pid, 'VmHWM')).toBeLessThan(256);
  for (const own of platforms) await send('DELETE', '/__sandbox/platform', own);
  expect(await send('GET', '/__sandbox/metrics', '')).toMatch(/journal_bytes 0$/m);
});
