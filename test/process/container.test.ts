/**
 * Promise: the Dockerfile's image has everything that the sandbox needs. It runs as a user without rights, asks for a
 * control token, reports its health, and stops when it is told to. compose.yaml runs two sandboxes on one PostgreSQL.
 * The test needs no Docker: it runs the build on the files that .dockerignore allows, and applies the Dockerfile's own
 * COPY lines.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { projectRoot } from '../../scripts/lib/project.ts';
import {
  commandOf,
  findImportsOfBuild,
  giveTo,
  layOut,
  readContext,
  readDockerfile,
  runBuild,
} from '../support/process/image.ts';
import { run } from '../support/process/process.ts';
import { byLength, isLongRun } from '../support/run/length.ts';
import { temporaryFolder } from '../support/sandbox/folder.ts';
import { basic } from '../support/sandbox/harness.ts';
import { startPostgres } from '../support/sandbox/postgresServer.ts';

const read = (name: string): string => readFileSync(join(projectRoot, name), 'utf8');
const stages = readDockerfile(read('Dockerfile'));
const image = stages.at(-1) ?? [];
const textOf = (name: string): string => image.find((instruction) => instruction.name === name)?.text ?? '';
const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
const token = 'a-token-of-the-test';

/** The image's environment, except for a free port and a writable folder for compiled modules. */
function environment(folder: string, more: Record<string, string> = {}): Record<string, string> {
  const settings = image.filter(({ name }) => name === 'ENV').flatMap(({ text }) => text.split(' '));
  const pairs = settings.map((one) => one.split('=') as [string, string]);
  return { ...Object.fromEntries(pairs), NODE_COMPILE_CACHE: join(folder, 'data', 'compiled'), PORT: '0', ...more };
}

/** The image's files. Only one test changes their state. */
let folder: string;
/** The content of `/app` in the stage that builds. */
let built: string;
beforeAll(() => {
  // The build takes eleven seconds.
  if (!isLongRun) return;
  built = runBuild(stages[0] ?? [], mkdtempSync(join(tmpdir(), 'countersign-image-build-')));
  folder = unpack(mkdtempSync(join(tmpdir(), 'countersign-image-')));
});
afterAll(() => {
  if (!isLongRun) return;
  for (const made of [built, join(folder, '..')]) rmSync(made, { recursive: true, force: true });
});

function unpack(parent: string): string {
  const folder = join(parent, 'app');
  mkdirSync(join(folder, 'data'), { recursive: true });
  layOut(image, folder, built);
  if (nobody.uid !== undefined) giveTo(join(folder, 'data'), { uid: nobody.uid, gid: nobody.gid });
  if (nobody.uid !== undefined) giveTo(folder, { uid: 0, gid: 0 });
  return folder;
}

/** Starts the image's command as another user, and waits for its ready line or its end. */
async function startImage(folder: string, env: Record<string, string>) {
  const [, ...args] = commandOf(textOf('ENTRYPOINT'));
  const child = spawn(process.execPath, args, { cwd: folder, env, ...nobody });
  onTestFinished(() => void child.kill('SIGKILL'));
  const exit = new Promise<number | null>((resolve) => child.once('close', resolve));
  let output = '';
  const ready = new Promise<string | undefined>((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        const port = /ready at http:\/\/\S+:(\d+)\//.exec(output)?.[1];
        if (port !== undefined) resolve(port);
      });
    }
    void exit.then(() => resolve(undefined));
  });
  return { child, exit, port: await ready, output: () => output };
}

describe('the image', () => {
  it('is built on the Node that is tried here, and ends as a user without rights', () => {
    const { node } = (JSON.parse(read('package.json')) as { devDependencies: Record<string, string> }).devDependencies;
    const bases = stages.map(([from]) => from?.text.replace(/ AS \w+$/, ''));
    expect(bases).toEqual([`node:${node}-slim`, `node:${node}-slim`]);
    expect(textOf('USER')).toBe('node');
  });

  it('is built from files that .dockerignore lets in', () => {
    const context = readContext();
    const read = findImportsOfBuild();
    expect(read.length).toBeGreaterThan(300);
    expect(read.filter((path) => !context.some((one) => path === one || path.startsWith(`${one}/`)))).toEqual([]);
  });

  it.each(byLength([], ['takes from the project only what .dockerignore lets in']))('%s', () => {
    const taken = layOut(image, join(temporaryFolder(), 'app'), built);
    expect(read('.dockerignore').split('\n')).toContain('*');
    const context = readContext();
    expect(context).toEqual(expect.arrayContaining(['package-lock.json', '.npmrc']));
    expect(taken.filter((path) => !context.some((one) => path === one || path.startsWith(`${one}/`)))).toEqual([]);
  });

  it.each(
    byLength([], ['runs on those files as another user, answers with state, is healthy, and stops when told to']),
  )('%s', async () => {
    const env = environment(folder, { CONTROL_TOKEN: token });
    const { child, exit, port, output } = await startImage(folder, env);
    expect(port, output()).toBeDefined();
    const base = `http://127.0.0.1:${port}`;
    const made = await fetch(`${base}/2025-10-13/customers`, {
      method: 'POST',
      headers: { authorization: basic('sandbox', 'sandbox'), 'content-type': 'application/json' },
      body: '{"customerType":"INDIVIDUAL"}',
    });
    expect(made.status).toBe(201);
    expect((await fetch(`${base}/reference/scalar.js`)).status).toBe(200);

    const [, ...health] = commandOf(textOf('HEALTHCHECK'));
    const ask = (secret: string) =>
      spawnSync(process.execPath, health, { env: { ...env, PORT: port ?? '', CONTROL_TOKEN: secret } }).status;
    expect([ask(token), ask('another')]).toEqual([0, 1]);
    child.kill('SIGTERM');
    expect(await exit).toBe(0);
  });

  it.each(byLength([], ['does not start without a control token, and says so']))('%s', async () => {
    const { exit, output } = await startImage(folder, environment(folder));
    expect(await exit).toBe(2);
    expect(output()).toMatch(/Other machines can reach \S+: give a --control-token/);
  });
});

interface Service {
  readonly image: string;
  readonly environment: Record<string, string>;
  readonly ports?: string[];
  readonly depends_on?: Record<string, { condition: string }>;
  readonly healthcheck?: { test: string[] };
  readonly volumes?: string[];
}

describe('compose.yaml', () => {
  const composed = parse(read('compose.yaml'), { merge: true }) as {
    services: Record<string, Service>;
    volumes: Record<string, unknown>;
  };
  const services = Object.entries(composed.services);
  const sandboxes = services.filter(([name]) => name.startsWith('sandbox')).map(([, service]) => service);
  const database = composed.services['database'] as Service;

  it('starts sandboxes once the database is well, each on a port of this machine alone', () => {
    expect(sandboxes).toHaveLength(2);
    const ports = sandboxes.flatMap(({ ports = [] }) => ports);
    expect(new Set(ports).size).toBe(2);
    for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:\d+:4010$/);
    expect(textOf('EXPOSE')).toBe('4010');
    for (const { depends_on } of sandboxes) expect(depends_on).toEqual({ database: { condition: 'service_healthy' } });
    expect(database.healthcheck?.test).toContain('pg_isready');
    expect(database.volumes).toEqual(['database:/var/lib/postgresql']);
    expect(Object.keys(composed.volumes)).toEqual(['database']);
  });

  it('has no secret of its own: what is missing is named, with what to do', () => {
    const values = services.flatMap(([, { environment }]) => Object.entries(environment));
    const secret = values.filter(([name]) => /TOKEN|PASSWORD/.test(name));
    expect(secret).toHaveLength(5);
    for (const [, value] of secret) expect(value).toMatch(/^\$\{\w+:\?is missing\. .+\}$/);
  });

  it('sets what the sandbox reads', async () => {
    const help = run('cli/countersign.mjs', ['start', '--help']);
    expect(await help.exit).toBe(0);
    // The database driver itself reads PGPASSWORD.
    const names = sandboxes
      .flatMap(({ environment }) => Object.keys(environment))
      .filter((one) => one !== 'PGPASSWORD');
    for (const name of names) expect(help.output()).toContain(`${name})`);
    expect(new Set(names)).toEqual(new Set(['CONTROL_TOKEN', 'DATABASE']));
  });

  it.each(byLength([], ['one state']))(
    'gives two processes %s, which a password of any characters protects',
    async () => {
      const server = await startPostgres();
      onTestFinished(() => server.stop());
      const { password, host } = new URL(server.url);
      const settings = sandboxes[0]?.environment ?? {};
      expect(settings['DATABASE']).toBe('postgres://countersign@database/countersign');
      const more = { CONTROL_TOKEN: token, DATABASE: `postgres://postgres@${host}/postgres`, PGPASSWORD: password };
      expect(Object.keys(more).sort()).toEqual(Object.keys(settings).sort());
      const [one, other] = await Promise.all([1, 2].map(() => startImage(folder, environment(folder, more))));
      const control = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const made = await fetch(`http://127.0.0.1:${one?.port}/__sandbox/platforms`, {
        method: 'POST',
        headers: control,
        body: '{}',
      });
      const { clientId, clientSecret } = (await made.json()) as { clientId: string; clientSecret: string };
      const seen = await fetch(`http://127.0.0.1:${other?.port}/2025-10-13/customers`, {
        headers: { authorization: basic(clientId, clientSecret) },
      });
      expect([made.status, seen.status]).toEqual([201, 200]);
    },
  );
});
