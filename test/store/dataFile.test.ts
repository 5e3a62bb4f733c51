/**
 * Promise: the path of a data file is resolved before anything is created, so that two names of one file use the same
 * lock. If the path can't be a data file, one sentence says why and what to do, and nothing is left behind
 * (docs/explanation/durability.md).
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { openSqlite } from '../../mocks/sandbox/node/sqlite/sqlite.ts';
import { createSandbox } from '../../package/sandbox.ts';
import { run } from '../support/process/process.ts';
import { temporaryFolder } from '../support/sandbox/folder.ts';

/** The content of a folder: kinds, contents, targets of links. */
function pictureOf(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  return Object.fromEntries(names.map((name) => [name, describe(join(folder, name))]));
}

function describe(path: string): string {
  const there = lstatSync(path);
  if (there.isSymbolicLink()) return `link to ${readlinkSync(path)}`;
  if (!there.isFile()) return there.isDirectory() ? 'folder' : 'other';
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}

const makeDatabase = (path: string, sql: string): void => {
  const database = new DatabaseSync(path);
  database.exec(sql);
  database.close();
};

/** Prepares an empty folder, and returns the path for the sandbox. */
type Prepare = (folder: string) => string | Promise<string>;

const refused: [name: string, prepare: Prepare, says: RegExp][] = [
  ['an empty path', () => '', /^--data is empty\. Name a file, or :memory: to keep nothing\.$/],
  ['a NUL character', () => 'a\0b', /^--data has a NUL character in it\. Name a file\.$/],
  [
    'a file URL',
    (folder) => pathToFileURL(join(folder, 'x')).href,
    /^file:.* is a URL, and --data takes a path\. Write \/.*\/x instead\.$/,
  ],
  ['a file URL without a path', () => 'file:x?mode=memory', /^file:.* is a URL, and --data takes a path\./],
  ['the URL of a database', () => 'postgres://me:s3cret@x/y', /^--data takes a path, and (?!.*s3cret).* --database\.$/],
  ['a folder', (folder) => folder, /is a folder\. Name a file in it: --data .*\/sandbox\.sqlite$/],
  ['a folder by its slash', (folder) => `${folder}/`, /is a folder\. Name a file in it/],
  [
    'a path that ends in a slash',
    (folder) => `${folder}/none/`,
    /ends in a slash, .* folder\. Name a file in it: --data/,
  ],
  [
    'a link to a folder',
    (folder) => {
      mkdirSync(join(folder, 'there'));
      return link(folder, 'there');
    },
    /link, which leads to .*there, is a folder/,
  ],
  [
    'something below a file',
    (folder) => `${write(folder, 'README.md')}/data.sqlite`,
    /README\.md\/data\.sqlite leads through a file where a folder must be\. Move that file away, or choose another/,
  ],
  [
    'something below a folder below a file',
    (folder) => `${write(folder, 'README.md')}/a/b/data.sqlite`,
    /leads through a file where a folder must be/,
  ],
  [
    'a text',
    (folder) => write(folder, 'README.md'),
    /README\.md isn't a Countersign data file\. Choose another --data/,
  ],
  [
    'a link to a text',
    (folder) => link(folder, relative(folder, write(folder, 'notes'))),
    /link, which leads to .* isn't a Coun/,
  ],
  [
    'the database of another program',
    (folder) => {
      makeDatabase(join(folder, 'other.db'), 'create table notes (text)');
      return join(folder, 'other.db');
    },
    /other\.db is the database of another program\. Choose another --data path\.$/,
  ],
  [
    'that of another program that keeps a log',
    (folder) => {
      makeDatabase(join(folder, 'other.db'), 'pragma journal_mode = wal; create table notes (text)');
      return join(folder, 'other.db');
    },
    /other\.db is the database of another program/,
  ],
  [
    'a newer version of ours',
    async (folder) => {
      const file = join(folder, 'data.sqlite');
      await (await openSqlite(file)).close();
      makeDatabase(file, "insert into kysely_migration values ('9999-later', '2030-01-01')");
      return file;
    },
    /^A newer version of Countersign made .*data\.sqlite \(9999-later\)\. Run that version, or choose another --data path\.$/,
  ],
  [
    'a loop of links',
    (folder) => {
      link(folder, 'b', 'a');
      return link(folder, 'a', 'b');
    },
    /is a loop of symbolic links\. Mend/,
  ],
  ['a link to itself', (folder) => link(folder, 'link'), /is a loop of symbolic links/],
  [
    'a hard link',
    async (folder) => {
      const file = join(folder, 'data.sqlite');
      await (await openSqlite(file)).close();
      linkSync(file, join(folder, 'other-name'));
      return join(folder, 'other-name');
    },
    /has 2 names \(hard links\)\. SQLite keeps its log .* Remove the other names, or start with a copy\.$/,
  ],
  [
    'a named pipe',
    (folder) => {
      execFileSync('mkfifo', [join(folder, 'pipe')]);
      return join(folder, 'pipe');
    },
    /pipe is a named pipe, not a file\. Choose another --data path\.$/,
  ],
  ['a device', () => '/dev/null', /^\/dev\/null is a device, not a file\./],
  ['a name that is too long', (folder) => join(folder, 'x'.repeat(300)), /is too long a name\. Shorten it/],
  [
    'a log that is a link to something',
    (folder) => {
      symlinkSync(write(folder, 'thesis'), join(folder, 'data.sqlite-wal'));
      return join(folder, 'data.sqlite');
    },
    /data\.sqlite-wal isn't a plain file, and SQLite needs this name\. Move it away/,
  ],
  [
    "a lock that is somebody else's file",
    (folder) => {
      write(folder, 'package-lock');
      return join(folder, 'package');
    },
    /package-lock isn't a lock of Countersign\. Move that file away, or choose another --data path\.$/,
  ],
];

const foreign = 'somebody else has written this, and it is longer than sixteen bytes\n'.repeat(20);

function write(folder: string, name: string, text = foreign): string {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}

function link(folder: string, to: string, name = 'link'): string {
  symlinkSync(to, join(folder, name));
  return join(folder, name);
}

test.each(refused)('%s is refused, and nothing is left behind', async (_name, prepare, says) => {
  const folder = temporaryFolder();
  const given = await prepare(folder);
  const before = pictureOf(folder);
  const error: Error = await openSqlite(given).then(
    () => expect.unreachable('it was opened'),
    (reason) => reason,
  );
  expect(error.message).toMatch(says);
  expect(error.message).not.toMatch(/\n|errno|SQLITE|ENO|\.\./);
  expect(pictureOf(folder)).toEqual(before);
});

const accepted: [name: string, prepare: Prepare, leadsTo: string][] = [
  ['a new file', (folder) => join(folder, 'data.sqlite'), 'data.sqlite'],
  ['folders that are not there', (folder) => join(folder, 'a/b/data.sqlite'), 'a/b/data.sqlite'],
  ['an empty file', (folder) => write(folder, 'empty', ''), 'empty'],
  ['what an address would cut off', (folder) => join(folder, 'a?mode=memory#b%20c d'), 'a?mode=memory#b%20c d'],
  ['a link to nothing yet', (folder) => link(folder, 'data.sqlite'), 'data.sqlite'],
  ['a chain of them', (folder) => link(folder, relative(folder, link(folder, 'data.sqlite', 'b'))), 'data.sqlite'],
  ['a link into a folder that is not there', (folder) => link(folder, 'c/data.sqlite'), 'c/data.sqlite'],
  [
    'a file below a linked folder',
    (folder) => {
      mkdirSync(join(folder, 'there'));
      return join(link(folder, 'there'), 'data.sqlite');
    },
    'there/data.sqlite',
  ],
];

test.each(accepted)('%s is a data file, with its lock beside where it leads', async (_name, prepare, leadsTo) => {
  const folder = temporaryFolder();
  const given = await prepare(folder);
  const store = await openSqlite(given);
  const path = join(folder, leadsTo);
  expect(relative(folder, realpathSync(given))).toBe(leadsTo);
  for (const end of ['', '-lock', '-wal']) expect(lstatSync(path + end).isFile()).toBe(true);
  // Under any name the second sandbox is refused, and the first one's files stay.
  const before = pictureOf(folder);
  for (const name of new Set([given, path]))
    await expect(openSqlite(name)).rejects.toThrow(/is in use by another process/);
  expect(pictureOf(folder)).toEqual(before);
  await store.close();
  await (await openSqlite(path)).close();
});

test('a folder that its user may not write is refused: root gives its rights away first', async () => {
  const folder = temporaryFolder();
  chmodSync(folder, 0o555);
  for (const file of ['data.sqlite', 'a/b/data.sqlite']) {
    const started = run('test/support/process/unprivileged.mjs', [folder, join(folder, file)]);
    expect([await started.exit, started.output()]).toEqual([
      1,
      expect.stringMatching(/Give this user the right to read and/),
    ]);
  }
  expect(pictureOf(folder)).toEqual({});
  chmodSync(folder, 0o755);
});

test('as a command: one line, exit code 2; and it comes up on a link', async () => {
  const folder = temporaryFolder();
  const entry = 'cli/countersign.mjs start';
  const refusedStart = run(entry, ['--port', '0', '--data', '']);
  expect([await refusedStart.exit, refusedStart.output()]).toEqual([
    2,
    '--data is empty. Name a file, or :memory: to keep nothing.\n',
  ]);
  await run(entry, ['--port', '0', '--data', link(folder, 'data.sqlite')]).waitFor(/ready at/);
  expect(existsSync(join(folder, 'data.sqlite-lock'))).toBe(true);
});

test('a sandbox in a program says the same by the name of its option', async () => {
  const file = write(temporaryFolder(), 'README.md');
  await expect(createSandbox({ file })).rejects.toThrow(
    /isn't a Countersign data file\. Choose another file path, or move/,
  );
  const sandbox = await createSandbox({ file: join(temporaryFolder(), 'a/data.sqlite') });
  onTestFinished(() => sandbox.close());
});

test.skipIf(process.platform === 'win32')(
  'only its owner can read it, because it holds the key of all keys; an older file loses the rights of others',
  async () => {
    const path = join(temporaryFolder(), 'private.sqlite');
    const rights = () => ['', '-wal', '-shm'].map((end) => (lstatSync(path + end).mode & 0o777).toString(8));
    const before = process.umask(0);
    try {
      const first = await openSqlite(path);
      expect(rights()).toEqual(['600', '600', '600']);
      await first.close();
      chmodSync(path, 0o644);
      const again = await openSqlite(path);
      expect(rights()).toEqual(['600', '600', '600']);
      await again.close();
    } finally {
      process.umask(before);
    }
  },
);
