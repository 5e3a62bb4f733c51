/**
 * Promise: the package works with everything in its README's table: each version of TypeScript with each module
 * resolution, each Node, Bun, Deno, Jest. Their lockfile is matrix/package-lock.json. The test installs it from the
 * registry, once for each version of the lockfile.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { projectRoot } from '../../scripts/lib/project.ts';
import { type Packed, packPackage } from '../../scripts/pack/pack.ts';
import { Consumer } from '../support/process/consumer.ts';
import { compilers } from './matrix/rows.ts';
import { browserProgram, clientProgram, jestTests, sandboxProgram, typedProgram } from './matrix/usage.ts';

const lists = join(import.meta.dirname, 'matrix');
const matrix = join(
  tmpdir(),
  `countersign-matrix-${createHash('sha256')
    .update(readFileSync(join(lists, 'package-lock.json')))
    .digest('hex')
    .slice(0, 12)}`,
);
const installed = (path: string): string => join(matrix, 'node_modules', path);

/** Installs the matrix's packages outside of the project, so that imports never find the project's packages. */
function installMatrix(): void {
  if (existsSync(matrix)) return;
  const folder = mkdtempSync(`${matrix}-`);
  for (const name of ['package.json', 'package-lock.json']) cpSync(join(lists, name), join(folder, name));
  execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder, stdio: 'pipe' });
  renameSync(folder, matrix);
}

/** Finds a binary that has one package for each kind of machine. */
function findBinary(...patterns: readonly string[]): string {
  const [found] = globSync(patterns.map(installed));
  if (found === undefined) throw new Error(`No package of this machine has ${patterns.join(' or ')}`);
  return found;
}

const nodes = {
  '20': () => findBinary('node-20-*/bin/node'),
  '22': () => findBinary('node-22-*/bin/node'),
  '24': () => process.execPath,
} as const;

let folder: string;
let packed: Packed;
let consumer: Consumer;
beforeAll(async () => {
  installMatrix();
  // Below the matrix, where imports find its packages and not the project's.
  mkdirSync(join(matrix, 'runs'), { recursive: true });
  folder = mkdtempSync(join(matrix, 'runs/run-'));
  packed = await packPackage(folder);
  consumer = await Consumer.install(join(folder, 'consumer'), packed);
}, 600_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a program to its end, with `node` first on the PATH. */
function run(program: string, args: readonly string[], { cwd = consumer.folder, node = program } = {}) {
  const env = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env['PATH']}`, NODE_OPTIONS: '' };
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, env, encoding: 'utf8' });
  return { status, stdout, stderr };
}

const lastLine = (text: string): unknown => JSON.parse(text.trim().split('\n').at(-1) ?? '');

describe.each(compilers)('TypeScript %s', (version) => {
  const ways = [
    ['nodenext', { module: 'nodenext' }],
    ['node16', { module: 'node16' }],
    ['bundler', { module: 'esnext', moduleResolution: 'bundler' }],
    // TypeScript 6 wants the deprecation acknowledged. TypeScript 7 has removed the option.
    ...(version === '7.0'
      ? []
      : [
          [
            'node',
            {
              module: 'esnext',
              moduleResolution: 'node10',
              ...(version === '6.0' ? { ignoreDeprecations: '6.0' } : {}),
            },
          ] as const,
        ]),
  ] as const;
  const libraries = {
    'with the DOM library': { lib: ['es2022', 'dom'], types: [], files: ['typed.ts', 'browser.ts'] },
    'with the types of Node': { lib: ['es2022'], types: ['node'], files: ['typed.ts'] },
    'with neither': { lib: ['es2022'], types: [], files: ['typed.ts'], skipLibCheck: true },
  } as const;

  test.each(ways)('finds and understands the types by %s', { timeout: 300_000 }, (way, how) => {
    consumer.write('typed.ts', typedProgram);
    consumer.write('browser.ts', browserProgram);
    // Module resolution and the library types don't depend on each other, so not every pair is tried.
    const tried = Object.entries(libraries).slice(0, way === 'nodenext' ? undefined : 1);
    const errors = tried.map(([name, { files, ...library }]) => {
      const strict = { strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true };
      const compilerOptions = { noEmit: true, target: 'es2022', ...strict, skipLibCheck: false, ...how, ...library };
      const project = `tsconfig.${version}.${way}.json`;
      consumer.write(project, JSON.stringify({ compilerOptions, files }));
      const { stdout } = run(process.execPath, [installed(`typescript-${version}/bin/tsc`), '-p', project]);
      return [name, stdout];
    });
    expect(errors).toEqual(tried.map(([name]) => [name, '']));
  });
});

describe.each(['20', '22', '24'] as const)('Node %s', (major) => {
  test('installs the tarball without a warning, and brings three packages', { timeout: 120_000 }, () => {
    const project = mkdtempSync(join(folder, 'project-'));
    writeFileSync(join(project, 'package.json'), '{"name":"project","private":true}');
    // npm runs the first Node on the PATH.
    const args = ['install', '--no-audit', '--no-fund', '--loglevel', 'notice', packed.tarball];
    const { status, stdout, stderr } = run('npm', args, { cwd: project, node: nodes[major]() });
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/added 3 packages/);
  });

  test('has the client', () => {
    consumer.write('client.mjs', clientProgram);
    const { stdout } = run(nodes[major](), ['client.mjs']);
    const sandbox =
      major === '24' ? expect.anything() : expect.stringMatching(/^The sandbox needs Node 24, this is 2[02]\./);
    expect(lastLine(stdout)).toEqual([0, 130, 3, sandbox]);
  });

  test('loads every entry by require', () => {
    consumer.write(
      'required.cjs',
      "for (const name of ['', '/client', '/control', '/sandbox']) require('countersign' + name);",
    );
    expect(run(nodes[major](), ['required.cjs'])).toMatchObject({ status: 0, stdout: '' });
  });

  test('case 139: judges recordings; if it is too old for the sandbox, says what to install', () => {
    const command = 'node_modules/countersign/cli/countersign.mjs';
    const recording = join(projectRoot, 'test/conformance/fixtures/two-mistakes.har');
    expect(run(nodes[major](), [command, 'check', recording])).toMatchObject({
      status: 1,
      stdout: expect.stringMatching(/1 finding/),
    });
    if (major === '24') return;
    const { status, stderr } = run(nodes[major](), [command, 'start']);
    expect([status, stderr]).toEqual([
      2,
      expect.stringMatching(/needs Node 24, and this is 2[02]\.\d+\.\d+\. Install Node 24/),
    ]);
  });
});

test.each([
  ['Node 24', () => process.execPath, []],
  ['Bun', () => findBinary('@oven/bun-*/bin/bun', '@oven/bun-*/bin/bun.exe'), ['run']],
  ['Deno', () => findBinary('@deno/*/deno', '@deno/*/deno.exe'), ['run', '--allow-all', '--no-lock']],
] as const)('a sandbox runs inside a program of %s', (_name, find, args) => {
  consumer.write('sandbox.mjs', sandboxProgram);
  const { stdout, stderr } = run(find(), [...args, 'sandbox.mjs']);
  expect([stdout.trim(), stderr]).toEqual(['[2,201,401]', expect.any(String)]);
});

test('Jest takes it by import and by require, with the flag that the README names', { timeout: 120_000 }, () => {
  for (const [file, text] of Object.entries(jestTests)) consumer.write(`jest/${file}`, text);
  consumer.write(
    'jest/package.json',
    JSON.stringify({ jest: { testMatch: ['**/*.test.*'], moduleFileExtensions: ['mjs', 'cjs', 'js', 'json'] } }),
  );
  const jest = installed('jest/bin/jest.js');
  const cwd = join(consumer.folder, 'jest');
  const told = run(process.execPath, ['--experimental-vm-modules', jest, '--ci', '--no-watchman'], { cwd });
  expect([told.status, told.stderr]).toEqual([0, expect.stringMatching(/Tests:\s+4 passed/)]);
  expect(run(process.execPath, [jest, '--ci', '--no-watchman'], { cwd }).status).toBe(1);
});
