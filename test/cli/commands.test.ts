/**
 * Promise: every command and every script follows one rule. It shows help and its version on request, suggests the
 * nearest flag, and does nothing on a wrong command line. It exits with 0, 1, 2 or 3 as in cli/README.md.
 */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Command } from '../../cli/command/command.ts';
import { Finding, WrongUse } from '../../cli/command/exit.ts';
import { runCommand } from '../../cli/command/run.ts';
import { listed } from '../../cli/commands.ts';
import { load } from '../../cli/main.ts';
import { command as wholeCheck } from '../../scripts/check/main.ts';
import { projectRoot } from '../../scripts/lib/project.ts';
import { keepOutput, runInProcess } from '../support/process/inProcess.ts';
import { run as startProcess } from '../support/process/process.ts';
import { byLength } from '../support/run/length.ts';

interface Manifest {
  readonly version: string;
  readonly scripts: Readonly<Record<string, string>>;
}

const manifest: Manifest = JSON.parse(readFileSync(`${projectRoot}/package.json`, 'utf8'));
const names = Object.keys(listed);
const isSilent = { stdout: '', stderr: '' };

/**
 * Everything that can be typed: the commands that `countersign` lists, and the check of the whole project, which has
 * the same name as the check of traffic.
 */
const commands: readonly (readonly [name: string, command: () => Promise<Command>])[] = [
  ...names.map((name) => [name, () => load(name, listed[name]!)] as const),
  ['the whole check', async () => wholeCheck as unknown as Command],
];

async function run(command: Command, ...args: string[]) {
  const { output, written } = keepOutput();
  const code = await runCommand(command, args, { output, env: {} });
  return { code, ...written() };
}

afterEach(() => void vi.restoreAllMocks());

describe.each(commands)('%s', (name, find) => {
  test('helps, with an example and its exit codes, and does nothing else', async () => {
    const command = await find();
    const act = vi.spyOn(command, 'run');
    for (const flag of ['--help', '-h']) {
      const { code, stdout, stderr } = await run(command, flag);
      expect([code, stderr]).toEqual([0, '']);
      expect(stdout.startsWith(`Usage: ${command.call} `)).toBe(true);
      expect(stdout).toMatch(/\nExamples?:\n {2}\S/);
      expect(stdout).toMatch(/Exit codes: 0 .*1 .*2 .*3 |ends it/s);
      for (const [flag, { value }] of Object.entries(command.flags)) {
        expect(stdout).toContain(value === undefined ? `--${flag}` : `--${flag} <${value}>`);
      }
      // A terminal breaks longer lines inside a word.
      expect(stdout.split('\n').filter((line) => line.length > 125)).toEqual([]);
    }
    expect(act).not.toHaveBeenCalled();
  });

  test('says its version', async () => {
    expect(await run(await find(), '--version')).toEqual({ ...isSilent, code: 0, stdout: `${manifest.version}\n` });
  });

  test('takes no flag that it does not know, and names the nearest', async () => {
    const command = await find();
    const act = vi.spyOn(command, 'run');
    const meant = Object.keys(command.flags).find((flag) => flag.length > 3) ?? 'version';
    const typed = `--${meant.slice(0, 2)}${meant.slice(3)}`;
    const { code, stdout, stderr } = await run(command, typed);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(`Unknown option '${typed}'. Did you mean`);
    expect(stderr).toContain(`--${meant}`);
    expect(stderr).toContain(`\n${command.call} --help lists what it takes.\n`);
    expect(act).not.toHaveBeenCalled();
  });

  test('is what npm runs for the script with its name', async () => {
    const { script } = await find();
    const line = manifest.scripts[script] ?? '';
    const [, word, file] = /node (?:--\S+ )?(?:cli\/countersign\.mjs (\S+)|(\S+))$/.exec(line) ?? [];
    if (word !== undefined) expect(word).toBe(name);
    else {
      const run: { command: Command } = await import(pathToFileURL(`${projectRoot}/${file}`).href);
      expect(run.command).toBe(await find());
    }
  });
});

test('every script of package.json follows the rule', async () => {
  const scripts = await Promise.all(commands.map(async ([, find]) => (await find()).script));
  // The tests are Vitest's own command, and scripts that npm runs automatically take no flags.
  const others = Object.keys(manifest.scripts).filter((name) => !scripts.includes(name));
  expect(others.sort()).toEqual(['dependencies', 'prepack', 'test', 'test:long', 'test:postgres', 'test:quick']);
});

// Only a separate process shows whether a command fails while loading, or doesn't end.
test.each(byLength(['generate'], Object.keys(manifest.scripts)))(
  'npm runs %s with --help to its end',
  async (script) => {
    const [, file = '', ...words] =
      /node (?:--\S+ )?(cli\/countersign\.mjs|\S+\/main\.ts)(?: (\S+))?/.exec(manifest.scripts[script] ?? '') ?? [];
    // Scripts that npm runs automatically, and the tests, don't have our help.
    if (file === '' || /^(?:test|prepack|post)/.test(script)) return;
    const started = startProcess(file, [...words.filter((word) => word !== undefined), '--help']);
    expect([await started.exit, started.output()]).toEqual([
      0,
      expect.stringMatching(/^Usage: np[mx] [\s\S]*Examples?:/),
    ]);
  },
);

describe('countersign', () => {
  test('lists its commands, for --help, -h and help', async () => {
    for (const word of ['--help', '-h', 'help']) {
      const { code, stdout, stderr } = await runInProcess([word]);
      expect([code, stderr]).toEqual([0, '']);
      for (const name of names) expect(stdout).toMatch(new RegExp(`^ {2}${name} +\\w`, 'm'));
    }
    expect((await runInProcess(['--version'])).stdout).toBe(`${manifest.version}\n`);
  });

  test('help <command> is its --help', async () => {
    for (const name of ['check', 'start', 'score']) {
      expect(await runInProcess(['help', name])).toEqual(await runInProcess([name, '--help']));
    }
  });

  test.each([
    [[], /^Usage: countersign <command>/],
    [['chekc'], /^Unknown command 'chekc'\. Did you mean check\?\n/],
    [['constructor'], /^Unknown command 'constructor'/],
    [['help', 'strat'], /^Unknown command 'strat'\. Did you mean start\?\n/],
    [['--vrsion'], /^Unknown option '--vrsion'\. Did you mean --version\?\n/],
  ])('%j ends with 2, and says what was meant', async (args, says) => {
    expect(await runInProcess(args)).toEqual({ code: 2, stdout: '', stderr: expect.stringMatching(says) });
  });
});

describe('what follows a flag', () => {
  test.each([
    [['start', '--port', '70000'], '--port takes a whole number from 0 to 65535, not "70000".\n'],
    [['start', '--port', '--data', 'x'], '--port needs a value, and --data follows it.\n'],
    [['proxy', '--upstream'], /^Option '--upstream <URL>' argument missing\.\n/],
    [['check', '--format', 'xml', 'a.har'], '--format takes text, json, sarif, junit or github, not "xml".\n'],
    [['codes', '--json'], /^Unknown option '--json'\. Did you mean --format json\?\n/],
    [['start', '--real'], /^Unknown option '--real'\. Did you mean --proofs real\?\n/],
    [['start', 'extra'], /^Too many arguments/],
    [['guard'], /^Missing required argument 'FILE'\.\n/],
    [['guard', ''], 'Name the root of an OpenAPI document.\n'],
    [['fuzz', '--operation', 'none'], '--operation takes the id of an operation, not "none".\n'],
    [['workflows', 'none'], /^There is no workflow file none\. There are /],
    [['workflows', '--server', 'localhost'], /^--server takes an address such as http:/],
  ])('%j ends with 2', async (args, says) => {
    const { code, stderr } = await runInProcess(args);
    expect([code, stderr]).toEqual([2, typeof says === 'string' ? says : expect.stringMatching(says)]);
  });

  test('a variable of the environment is read as the flag is, and the flag goes before it', async () => {
    const env = { PORT: 'many', LOG: 'off' };
    const ends = await runInProcess(['mock'], { env });
    expect(ends).toMatchObject({ code: 2, stderr: 'PORT takes a whole number from 0 to 65535, not "many".\n' });
    const lifecycle = { commandLine: [], takeOver: () => {}, tellReady: () => {} };
    const args = ['mock', '--port', '0', '--allow-host', 'http://x'];
    const { code, stderr } = await runInProcess(args, { env, lifecycle });
    expect([code, stderr]).toEqual([2, expect.stringMatching(/^"http:\/\/x" isn't a host name to allow/)]);
  });
});

describe('exit codes', () => {
  const ending = (ends: () => Promise<number>): Command => ({
    name: 'said',
    call: 'npx countersign said',
    script: 'said',
    does: 'end with that code',
    flags: {},
    examples: [['', 'end']],
    run: ends,
  });
  const failing = (error: unknown) => run(ending(() => Promise.reject(error)));

  test('1 for findings, 2 for wrong use, 3 for a fault of ours, which says what to report', async () => {
    expect(await run(ending(async () => 0))).toEqual({ ...isSilent, code: 0 });
    expect(await failing(new Finding('It is below.'))).toEqual({ code: 1, stdout: '', stderr: 'It is below.\n' });
    expect(await failing(new WrongUse('Name one.'))).toEqual({ code: 2, stdout: '', stderr: 'Name one.\n' });
    const { code, stderr } = await failing(new TypeError('x is not a function'));
    expect(code).toBe(3);
    expect(stderr).toMatch(
      /^npx countersign said failed, and that is a fault of Countersign\. Report it with this:\nNode /,
    );
    expect(stderr).toMatch(/TypeError: x is not a function\n {4}at /);
  });

  test('2 for what the machine refuses, in its words', async () => {
    const refused = Object.assign(new Error("EACCES: permission denied, mkdir '/out'"), { code: 'EACCES' });
    expect(await failing(refused)).toMatchObject({ code: 2, stderr: "EACCES: permission denied, mkdir '/out'\n" });
  });

  test('2 for a package that must be added, with the version that is tried here', async () => {
    const missing = { ...ending(async () => 0), needs: ['@stoplight/nothing-of-that-name', 'vitest'] };
    expect(await run(missing)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        /needs @stoplight\/nothing-of-that-name\. Add it: npm install -D @stoplight\/nothing/,
      ),
    });
    const unfound = Object.assign(new Error("Cannot find package 'ajv' imported from /x.js"), {
      code: 'ERR_MODULE_NOT_FOUND',
    });
    expect(await failing(unfound)).toMatchObject({ code: 2, stderr: expect.stringMatching(/needs ajv\. Add it: npm/) });
  });

  test('2 on a Node that is too old, after the help, which any Node gives', async () => {
    const refusesNode = (command: string) => `${command} needs another Node.`;
    expect(await runInProcess(['start'], { refusesNode })).toMatchObject({
      code: 2,
      stderr: 'start needs another Node.\n',
    });
    expect(await runInProcess(['start', '--help'], { refusesNode })).toMatchObject({ code: 0 });
    expect(await runInProcess(['check'], { refusesNode })).toMatchObject({ stderr: expect.stringMatching(/^Name /) });
  });
});

test.each(['kysely', 'uuid'])('in a clone %s is one file, with all that the package exports', async (name) => {
  const program = `
    const exported = Object.keys(await import('${name}'));
    process.argv.splice(1, Infinity, 'countersign', '--version');
    await import(${JSON.stringify(new URL('../../cli/countersign.mjs', import.meta.url).href)});
    console.log(import.meta.resolve('${name}'));
    console.log(Object.keys(await import('${name}')).join() === exported.join());`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: projectRoot,
  });
  expect(stdout).toMatch(new RegExp(`/node_modules/\\.cache/countersign/${name}-[\\d.]+\\.mjs\\ntrue\\n$`));
});
