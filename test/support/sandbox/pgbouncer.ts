/** Starts a PgBouncer for a test, if the machine has the program. */
import { spawn } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { findPgBouncer } from './pgbouncerProgram.ts';
import { serverUser } from './postgresServer.ts';

export type PoolMode = 'session' | 'transaction' | 'statement';

/**
 * Starts one before a database, with default settings except the mode. It listens on a socket in a folder, so it needs
 * no port. It keeps few connections, so that clients must share them.
 * @returns the address of the same database through it.
 */
export async function startPgBouncer(database: string, mode: PoolMode): Promise<string> {
  const program = findPgBouncer();
  if (program === undefined) throw new Error('There is no pgbouncer on PATH');
  const owner = serverUser();
  const folder = join('/tmp', `countersign-pgb-${process.pid}-${mode}`);
  mkdirSync(folder);
  if (owner !== undefined) chownSync(folder, owner.uid, owner.gid);
  chmodSync(folder, 0o755);
  const { hostname, port, pathname, username, password } = new URL(database);
  const name = pathname.slice(1);
  writeFileSync(
    join(folder, 'pgbouncer.ini'),
    `[databases]
${name} = host=${hostname} port=${port} dbname=${name} user=${username} password=${password}
[pgbouncer]
listen_addr =
unix_socket_dir = ${folder}
auth_type = any
pool_mode = ${mode}
default_pool_size = ${mode === 'session' ? 40 : 3}
`,
  );
  const child = spawn(program, [join(folder, 'pgbouncer.ini')], { ...owner, stdio: ['ignore', 'ignore', 'pipe'] });
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  onTestFinished(async () => {
    process.off('exit', kill);
    kill();
    await ended;
    rmSync(folder, { recursive: true, force: true });
  });
  await new Promise<void>((resolve, reject) => {
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      if (said.includes('process up')) resolve();
    });
    child.once('close', () => reject(new Error(`PgBouncer did not start:\n${said}`)));
  });
  return `postgres://anybody@localhost:6432/${name}?host=${encodeURIComponent(folder)}`;
}
