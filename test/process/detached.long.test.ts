/**
 * Promise: a process that was started with --detach or nohup outlives its starter, and ends when it is told to. A
 * second Ctrl-C doesn't wait for requests in flight. A closed output doesn't stop it.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  type Begun,
  begin,
  entryOf,
  isFree,
  kill,
  openDataFile,
  poll,
  typed,
  type Way,
} from '../support/process/endings.ts';
import { byLength } from '../support/run/length.ts';
import { temporaryFolder } from '../support/sandbox/folder.ts';

const readyLine = /ready at (http:\/\/[^:\s]+:(\d+)[^\s,]*)/;
const timeout = 120_000;

const gone = (begun: Begun) =>
  poll(
    () => begun.alive().length === 0,
    () => `${begun.alive()} are still there:\n${begun.output()}`,
    10_000,
  );

/** Watches for longer than the process would need to notice that its parent is gone. */
async function expectToStay(begun: Begun, port: number): Promise<void> {
  await pause(1000);
  expect(begun.alive(), begun.output()).not.toEqual([]);
  expect(await isFree(port)).toBe(false);
}

describe.skipIf(process.platform !== 'linux')('--detach', () => {
  const commands: [command: string, way: Way][] = byLength(
    [['start', 'direct']],
    [
      ['start', 'npm'],
      ['start', 'npx'],
      ['start', 'direct'],
      ['mock', 'npm'],
      ['mock', 'direct'],
      ['proxy', 'npm'],
      ['proxy', 'npx'],
      ['proxy', 'direct'],
    ],
  );

  it.each(commands)(
    '%s, %s: ends with 0 once it is ready, says how to stop it, and leaves it running',
    { timeout },
    async (command, way) => {
      const folder = temporaryFolder();
      const data = join(folder, 'data.sqlite');
      const begun = begin([...(typed(command, way, data) ?? '').split(' '), '--detach'], { TMPDIR: folder });
      expect(await begun.exit, begun.output()).toBe(0);
      const [, , port = ''] = await begun.waitFor(readyLine);
      const [, log = '', pid = ''] = await begun.waitFor(/\n {2}log +(\S+)\n {2}stop +kill (\d+)\n$/);
      expect(begun.alive()).toEqual([Number(pid)]);
      expect(readFileSync(log, 'utf8')).toMatch(readyLine);
      kill(Number(pid), 'SIGHUP');
      await expectToStay(begun, Number(port));
      kill(Number(pid), 'SIGTERM');
      await gone(begun);
      expect(await isFree(Number(port))).toBe(true);
      if (command === 'start') await openDataFile(data);
    },
  );

  it.each(byLength(['start'], ['start', 'mock']))(
    '%s --format json: one line with address, process and log',
    { timeout },
    async (command) => {
      const folder = temporaryFolder();
      const words = (typed(command, 'direct', ':memory:') ?? '').split(' ');
      const begun = begin([...words, '--detach', '--format', 'json'], { TMPDIR: folder });
      expect(await begun.exit, begun.output()).toBe(0);
      expect(begun.output()).toMatch(/^\{.*\}\n$/);
      const told = JSON.parse(begun.output());
      expect(begun.alive()).toEqual([told.pid]);
      expect(told).toMatchObject({ base: `${told.url}/${told.version}`, log: expect.stringContaining(folder) });
      const headers = { authorization: `Basic ${btoa(told.credentials)}` };
      expect((await fetch(`${told.base}/customers`, { headers })).status).toBe(200);
      kill(told.pid, 'SIGTERM');
      await gone(begun);
    },
  );

  it('what keeps it from starting: message and exit code of the foreground, and no log', { timeout }, async () => {
    const folder = temporaryFolder();
    const file = join(folder, 'notes.txt');
    writeFileSync(file, 'These are my notes, not a database. '.repeat(100));
    const line = typed('start', 'direct', file) ?? '';
    const foreground = begin(line.split(' '));
    const background = begin([...line.split(' '), '--detach'], { TMPDIR: folder });
    expect([await background.exit, await foreground.exit]).toEqual([2, 2]);
    await background.waitFor(/isn't a Countersign data file/);
    expect(background.output()).toBe(foreground.output());
    expect(existsSync(join(folder, 'notes.txt'))).toBe(true);
    await gone(background);
  });

  it('goes with who waits for it, as long as it is not ready', { timeout }, async () => {
    const folder = temporaryFolder();
    const line = typed('start', 'direct', join(folder, 'data.sqlite')) ?? '';
    const begun = begin([...line.split(' '), '--detach'], { TMPDIR: folder });
    await poll(
      () => begun.alive().length === 2,
      () => begun.output(),
    );
    kill(begun.child.pid, 'SIGKILL');
    await gone(begun);
  });
});

describe.skipIf(process.platform !== 'linux')('nohup', () => {
  const ways: Way[] = ['npm', 'npx', 'direct'];

  it.each(byLength(ways.slice(0, 1), ways))(
    '%s: neither a closed terminal nor the end of the parent ends it, SIGTERM does',
    { timeout },
    async (way) => {
      const data = join(temporaryFolder(), 'data.sqlite');
      const script = `nohup ${typed('start', way, data)} > ${data}.log 2>&1 & wait`;
      const begun = begin(['script', '-qfec', `bash -ic '${script}'`, '/dev/null']);
      const [, , port = ''] = await poll(
        () => {
          const text = existsSync(`${data}.log`) ? readFileSync(`${data}.log`, 'utf8') : '';
          return readyLine.exec(text);
        },
        () => begun.output(),
      );
      kill(begun.child.pid, 'SIGKILL');
      await expectToStay(begun, Number(port));
      kill(entryOf(begun), 'SIGTERM');
      await gone(begun);
      await openDataFile(data);
    },
  );
});

describe.skipIf(process.platform !== 'linux')('told twice', () => {
  it('a second Ctrl-C does not wait for what is in flight', { timeout }, async () => {
    const data = join(temporaryFolder(), 'data.sqlite');
    const begun = begin((typed('start', 'direct', data) ?? '').split(' '));
    const [, base = '', port = ''] = await begun.waitFor(readyLine);
    const socket = connect(Number(port), '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    socket.on('error', () => {});
    socket.write('POST /2025-10-13/tokens HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n');
    // If a second connection is answered, the first one's bytes have arrived.
    await fetch(base);
    kill(begun.child.pid, 'SIGINT');
    await begun.waitFor(/SIGINT: finishing what is in flight/);
    // Two signals at almost the same time are one Ctrl-C, which npm has passed on as well.
    await pause(300);
    const since = performance.now();
    kill(begun.child.pid, 'SIGINT');
    expect(await begun.exit).toBe(130);
    expect(performance.now() - since).toBeLessThan(4000);
    await gone(begun);
    await openDataFile(data);
  });
});

describe.skipIf(process.platform !== 'linux')('nobody reads the output', () => {
  const commands = byLength(['proxy'], ['start', 'mock', 'dev', 'proxy']);

  it.each(commands)('%s: goes on, and stops as usual', { timeout }, async (command) => {
    const begun = begin((typed(command, 'direct', join(temporaryFolder(), 'data.sqlite')) ?? '').split(' '));
    const [, base = ''] = await begun.waitFor(readyLine);
    begun.child.stdout?.destroy();
    begun.child.stderr?.destroy();
    const headers = { authorization: `Basic ${btoa('sandbox:sandbox')}` };
    for (let number = 0; number < 5; number += 1) {
      const { status } = await fetch(new URL('/2025-10-13/customers', base), { headers });
      expect(status).toBe(command === 'proxy' ? 502 : 200);
    }
    kill(begun.child.pid, 'SIGTERM');
    expect(await begun.exit).toBe(0);
    await gone(begun);
  });
});
