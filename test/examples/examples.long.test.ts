/**
 * Promise: each example does what its README says with the packed package, in a folder outside of the repository. Its
 * tests can fail: a fault that is planted in the example fails them. If the example compares its traffic with the
 * contract, an answer that breaks the contract fails them too. The end of the run names examples whose runtime this
 * machine doesn't have.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { basePath } from '../../contract/match.ts';
import { projectRoot } from '../../scripts/lib/project.ts';
import { type Packed, packPackage } from '../../scripts/pack/pack.ts';
import { findBrowser } from '../support/browser/browser.ts';
import { listen } from '../support/process/fetchApp.ts';
import { commandOf, readDockerfile } from '../support/process/image.ts';
import { type Ended, runProcess } from '../support/process/install.ts';
import { run } from '../support/process/process.ts';
import { runtimes } from '../support/process/runtimes.ts';
import { openSandbox } from '../support/sandbox/harness.ts';
import { type Recipe, recipes } from './recipes.ts';

// Next's build twice, beside other tests.
const timeout = 900_000;

let folder: string;
let packed: Packed;
let environment: NodeJS.ProcessEnv;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-examples-'));
  packed = await packPackage(folder);
  environment = {
    ...nothingOfThisRun(),
    PATH: path(),
    CHROME_PATH: await writeBrowser(),
    NEXT_TELEMETRY_DISABLED: '1',
  };
}, 300_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The PATH with this run's Node first, because the README asks for that version. */
function path(): string {
  return `${dirname(process.execPath)}${delimiter}${process.env['PATH']}`;
}

/**
 * The environment without the variables that npm and Vitest set, which would make an example behave like a part of this
 * run.
 */
function nothingOfThisRun(): NodeJS.ProcessEnv {
  const told = Object.keys(process.env).filter((name) => /^(?:VITE|VITEST|npm|COUNTERSIGN|CONTROL)(?:_|$)/i.test(name));
  const others = ['NODE_ENV', 'NODE_OPTIONS', 'TEST', 'MODE', 'PROD', 'DEV', 'SSR', 'BASE_URL', 'FORCE_COLOR'];
  return Object.fromEntries([...told, ...others].map((name) => [name, undefined]));
}

/** Writes a program that starts our tests' browser with its libraries; undefined if a browser is found anyway. */
async function writeBrowser(): Promise<string | undefined> {
  const { executablePath, env = {} } = await findBrowser();
  if (executablePath === undefined) return undefined;
  const { LD_LIBRARY_PATH = '', FONTCONFIG_PATH = '' } = env;
  const program = join(folder, 'chromium');
  const libraries = `LD_LIBRARY_PATH='${LD_LIBRARY_PATH}' FONTCONFIG_PATH='${FONTCONFIG_PATH}'`;
  writeFileSync(program, `#!/bin/sh\n${libraries} exec '${executablePath}' "$@"\n`);
  chmodSync(program, 0o755);
  return program;
}

/** Copies an example, as in Git, to a folder from which nothing of the repository can be found. */
function copyExample(name: string): string {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', '.'];
  const cwd = join(projectRoot, 'examples', name);
  for (const file of execFileSync('git', args, { cwd, encoding: 'utf8' }).trim().split('\n')) {
    cpSync(join(cwd, file), join(folder, name, file));
  }
  return join(folder, name);
}

/** Runs shell lines in a copy of an example. */
function shell(cwd: string, line: string, env: NodeJS.ProcessEnv = {}): Promise<Ended> {
  return runProcess('sh', ['-c', line], { cwd, env: { ...environment, ...env } });
}

async function install(name: string): Promise<string> {
  const copy = copyExample(name);
  const line = `npm install --ignore-scripts --no-audit --no-fund --loglevel error -D '${packed.tarball}'`;
  expect(await shell(copy, line)).toMatchObject({ code: 0 });
  return copy;
}

/** Changes a file of a copy until the test ends. */
function plant(copy: string, { file, from, to }: Recipe['fault']): void {
  const text = readFileSync(join(copy, file), 'utf8');
  onTestFinished(() => writeFileSync(join(copy, file), text));
  writeFileSync(
    join(copy, file),
    text.replace(from, () => to),
  );
}

/**
 * A sandbox on a port whose recordings have a status that the contract doesn't declare, with as many digits as the real
 * one.
 */
async function openDrifting(): Promise<string> {
  const sandbox = await openSandbox();
  const fetch = async (request: Request): Promise<Response> => {
    const answer = await sandbox.fetch(request);
    if (!request.url.includes('/journal')) return answer;
    return new Response((await answer.text()).replaceAll('COMPLETED', 'DELIVERED'), answer);
  };
  const server = await listen({ fetch }, 'localhost', 0);
  onTestFinished(() => server.stop(0));
  return server.address + basePath;
}

const here = recipes.flatMap((recipe) => {
  const runtime = runtimes[recipe.folder];
  const env = runtime === undefined ? {} : runtime.find();
  return env === undefined ? [] : [{ ...recipe, env }];
});

describe.each(here)('examples/$folder', ({ folder: name, command, says, fault, judges, env }) => {
  let copy: string;
  beforeAll(async () => {
    copy = await install(name);
  }, timeout);

  test('passes', { timeout }, async () => {
    expect(await shell(copy, command, env)).toEqual({ code: 0, output: expect.stringMatching(says) });
  });

  test('fails for a fault in the app', { timeout }, async () => {
    plant(copy, fault);
    const { code, output } = await shell(copy, command, env);
    expect(output).toMatch(fault.says);
    expect(code).not.toBe(0);
  });

  test.each(judges ? ['fails for an answer that breaks the contract'] : [])('%s', { timeout }, async () => {
    const { code, output } = await shell(copy, command, { ...env, COUNTERSIGN_URL: await openDrifting() });
    expect(output).toMatch(/status must be one of[^\n]*COMPLETED/);
    expect(code).not.toBe(0);
  });
});

describe('examples/compose, without Docker', () => {
  test('the image starts with a token, and only who has it gets a platform', { timeout }, async () => {
    const copy = copyExample('compose');
    cpSync(packed.tarball, join(copy, basename(packed.tarball)));
    const [stage = []] = readDockerfile(readFileSync(join(copy, 'Dockerfile'), 'utf8'));
    const textOf = (name: string): string => stage.find((one) => one.name === name)?.text ?? '';
    expect(await shell(copy, `npm install --package-lock-only ./${basename(packed.tarball)}`)).toMatchObject({
      code: 0,
    });
    const [installation = ''] = textOf('RUN').split(' && mkdir');
    expect(await shell(copy, installation)).toMatchObject({ code: 0 });
    mkdirSync(join(copy, 'data'));

    const settings = Object.fromEntries(
      textOf('ENV')
        .split(' ')
        .map((pair) => pair.split('=') as [string, string]),
    );
    const [, program = '', ...args] = commandOf(textOf('ENTRYPOINT'));
    const start = (env: NodeJS.ProcessEnv) =>
      run(program, args, { ...process.env, ...settings, PORT: '0', ...env }, onTestFinished, copy);
    const refused = start({ CONTROL_TOKEN: undefined });
    expect([await refused.exit, refused.output()]).toEqual([2, expect.stringContaining('--control-token')]);
    const [, port] = await start({ CONTROL_TOKEN: 'of-the-team' }).waitFor(/ready at http:\/\/[^:]+:(\d+)/);

    const make = `sh make-platform.sh http://localhost:${port}`;
    const made = await shell(copy, make, { CONTROL_TOKEN: 'of-the-team' });
    expect(JSON.parse(made.output)).toMatchObject({ clientId: expect.any(String), proofs: 'magic' });
    expect((await shell(copy, make, { CONTROL_TOKEN: 'another' })).output).toContain('401');
    expect((await shell(copy, make)).output).toContain('CONTROL_TOKEN: is missing');
  });
});
