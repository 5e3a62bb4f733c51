/**
 * Promise: a server that can't start in the background says why, ends with 2 within a bound, and leaves neither a
 * process nor a log (docs/how-to/background.md).
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openSqlite } from '../../mocks/sandbox/node/sqlite/sqlite.ts';
import { begin, poll } from '../support/process/endings.ts';
import { byLength } from '../support/run/length.ts';
import { temporaryFolder } from '../support/sandbox/folder.ts';

const upstream = ['--upstream', 'http://localhost:9'];
const memory = ['--data', ':memory:'];
/** A start takes a second; this is for a machine that is busy. */
const boundMs = 90_000;

async function takePort(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return String((server.address() as AddressInfo).port);
}

function write(folder: string, name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}

async function lockFile(folder: string): Promise<string> {
  const file = join(folder, 'data.sqlite');
  const store = await openSqlite(file);
  onTestFinished(() => store.close());
  return file;
}

async function damageFile(folder: string): Promise<string> {
  const file = join(folder, 'data.sqlite');
  await (await openSqlite(file)).close();
  const bytes = readFileSync(file);
  writeFileSync(file, bytes.fill(0x55, 4096, 4096 * 20));
  return file;
}

type Refused = [
  command: string,
  name: string,
  args: (folder: string) => readonly string[] | Promise<readonly string[]>,
  says: RegExp,
];

const refused: Refused[] = [
  ['start', 'taken port', async () => [...memory, '--port', await takePort()], /^Port \d+ is taken/],
  [
    'start',
    'folder that the system refuses',
    () => ['--data', '/proc/nope/x.sqlite'],
    /^\/proc\/nope\/x.* Check the path/,
  ],
  [
    'start',
    'taken port, with a data file',
    async (folder) => ['--data', join(folder, 'new.sqlite'), '--port', await takePort()],
    /^Port \d+ is taken/,
  ],
  ['start', 'locked data file', async (folder) => ['--data', await lockFile(folder)], /is in use by another process/],
  ['start', 'damaged data file', async (folder) => ['--data', await damageFile(folder)], /data\.sqlite .*damaged/],
  [
    'start',
    "file that isn't a data file",
    (folder) => ['--data', write(folder, 'notes.txt', 'These are my notes. '.repeat(100))],
    /isn't a Countersign data file/,
  ],
  ['start', 'folder as data file', (folder) => ['--data', folder], /is a folder\. Name a file in it/],
  [
    'start',
    'world with a fault',
    (folder) => [...memory, '--world', write(folder, 'world.json', '{"customers":[{}]}')],
    /world\.json can't be the world of the platform[\s\S]*\/customers\/0\/customer is required/,
  ],
  ['start', 'world that is missing', () => [...memory, '--world', 'none.json'], /^Can't read none\.json as a world/],
  ['start', 'database that is away', () => ['--database', 'postgres://u:p@localhost:9/x'], /^Can't use the database/],
  [
    'start',
    'address of another machine',
    () => [...memory, '--host', '203.0.113.7', '--control-token', 't'],
    /^Can't listen on 203\.0\.113\.7/,
  ],
  ['start', 'unknown flag', () => ['--journl', 'off'], /^Unknown option '--journl'/],
  ['mock', 'taken port', async () => ['--port', await takePort()], /^Port \d+ is taken/],
  ['proxy', 'taken port', async () => [...upstream, '--port', await takePort()], /Port \d+ is taken/],
  ['proxy', 'recording that is out of reach', () => [...upstream, '--har', '/proc/nope/x.har'], /could not start/],
];

it.skipIf(process.platform !== 'linux').each(byLength(refused.slice(0, 2), refused))(
  '%s --detach, %s: says why, ends with 2, and leaves nothing',
  { timeout: boundMs * 2 },
  async (command, _name, args, says) => {
    const [folder, logs] = [temporaryFolder(), temporaryFolder()];
    const given = await args(folder);
    const port = given.includes('--port') ? [] : ['--port', '0'];
    const words = ['node', 'cli/countersign.mjs', command, '--detach', ...port, ...given];
    const begun = begin(words, { TMPDIR: logs });
    let code: number | undefined;
    void begun.exit.then((exitCode) => {
      code = exitCode;
    });
    const ended = () => code !== undefined && begun.alive().length === 0;
    await poll(ended, () => `${begun.alive()} still run: ${begun.output()}`, boundMs);
    expect([code, begun.output()]).toEqual([2, expect.stringMatching(says)]);
    expect(readdirSync(logs).filter((name) => name.startsWith('countersign-'))).toEqual([]);
    expect(existsSync(join(folder, 'new.sqlite-wal'))).toBe(false);
  },
);
