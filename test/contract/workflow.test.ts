/**
 * Promise: the reusable workflow works as documented in another repository. Its inputs, expressions and commands exist,
 * and no input is executed as code. In a calling repository its steps pass a sound contract and fail for a breaking
 * change.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { projectRoot } from '../../scripts/lib/project.ts';
import { byLength } from '../support/run/length.ts';

interface Step {
  readonly name?: string;
  readonly if?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly with?: Readonly<Record<string, string | number>>;
  readonly 'working-directory'?: string;
}

interface Job {
  readonly uses?: string;
  readonly with?: Readonly<Record<string, string>>;
  readonly steps?: readonly Step[];
}

interface Input {
  readonly type: string;
  readonly description: string;
  readonly required?: boolean;
  readonly default?: string;
}

const read = (path: string): string => readFileSync(join(projectRoot, path), 'utf8');
const folder = '.github/workflows';
const workflows = readdirSync(join(projectRoot, folder)).map((name) => [name, read(`${folder}/${name}`)] as const);
const text = read(`${folder}/contract.yml`);
const workflow = parse(text);
const inputs: Readonly<Record<string, Input>> = workflow.on.workflow_call.inputs;
const steps: readonly Step[] = workflow.jobs.contract.steps;
const scripts: Readonly<Record<string, string>> = JSON.parse(read('package.json')).scripts;

describe.each(workflows)('%s', (_, source) => {
  const jobs: Job[] = Object.values(parse(source).jobs);
  const all = jobs.flatMap((job) => job.steps ?? []);

  test('runs npm scripts and files that exist', () => {
    const commands = all.flatMap(({ run }) => run ?? []);
    for (const [, script = ''] of commands.join('\n').matchAll(/\bnpm (?:--\S+ \S+ )?run (?:--\S+ )*([\w:-]+)/g)) {
      expect(scripts, script).toHaveProperty(script);
    }
    for (const [, file = ''] of commands.join('\n').matchAll(/^bash (\S+)/gm)) expect(() => read(file)).not.toThrow();
  });

  test('hands values to its commands through the environment only', () => {
    for (const { run = '' } of all) expect(run).not.toContain('${{');
  });

  test('calls other workflows of ours with the inputs they take', () => {
    for (const { uses = '', with: given = {} } of jobs.filter((job) => job.uses?.startsWith('./'))) {
      const called = parse(read(uses)).on.workflow_call.inputs as Readonly<Record<string, Input>>;
      expect(Object.keys(called)).toEqual(expect.arrayContaining(Object.keys(given)));
      const required = Object.keys(called).filter((name) => called[name]?.required === true);
      expect(Object.keys(given)).toEqual(expect.arrayContaining(required));
    }
  });
});

describe('the inputs', () => {
  test('each is described, and required or has a default', () => {
    for (const { description, required, default: fallback } of Object.values(inputs)) {
      expect(description.length).toBeGreaterThan(20);
      expect(required === true || fallback !== undefined).toBe(true);
    }
  });

  test('each is used, and no other', () => {
    const used = [...text.matchAll(/(?:\$\{\{|if:) *inputs\.([\w-]+)/g)].map(([, name]) => name);
    expect([...new Set(used)].sort()).toEqual(Object.keys(inputs).sort());
  });

  test('expressions are as plain as the dry run takes them', () => {
    for (const [, inner = ''] of text.matchAll(/\$\{\{(.*?)\}\}/g)) expect(inner).toMatch(/^ inputs\.[\w-]+ $/);
    for (const { if: condition = "inputs.ref != ''" } of steps) expect(condition).toMatch(/^inputs\.[\w-]+ != ''$/);
  });

  test('the guide shows a caller with inputs that exist', () => {
    const example =
      /```yaml\n([\s\S]*?contract\.yml@[\s\S]*?)```/.exec(read('docs/how-to/guard-a-contract.md'))?.[1] ?? '';
    const callers = Object.values(parse(example).jobs) as Job[];
    expect(callers.length).toBeGreaterThan(0);
    for (const { with: given = {} } of callers) {
      expect(given).toHaveProperty('countersign');
      expect(Object.keys(inputs)).toEqual(expect.arrayContaining(Object.keys(given)));
    }
  });
});

describe('a dry run in a repository that calls it', () => {
  const sound = parse(read('openapi/lint/fixtures/good.yaml'));
  let caller: string;
  const git = (cwd: string, ...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.com', ...args], { cwd });

  function repository(at: string, file: string, contract: object): void {
    mkdirSync(join(at, file, '..'), { recursive: true });
    writeFileSync(join(at, file), JSON.stringify(contract));
    git(at, 'init', '-q', '-b', 'main');
    git(at, 'add', file);
    git(at, 'commit', '-qm', 'One');
  }

  beforeAll(() => {
    // Two repositories as after the checkouts: the caller's, and ours inside it with its packages installed.
    caller = mkdtempSync(join(tmpdir(), 'countersign-caller-'));
    repository(caller, 'api/openapi.json', sound);
    const ours = join(caller, '.countersign');
    mkdirSync(ours);
    cpSync(join(projectRoot, 'package.json'), join(ours, 'package.json'));
    for (const part of ['scripts', 'cli', 'conformance', 'node_modules'])
      symlinkSync(join(projectRoot, part), join(ours, part));
    repository(ours, 'openapi/openapi.yaml', sound);
  });

  afterAll(() => rmSync(caller, { recursive: true, force: true }));

  /** Runs the steps' commands with the given inputs until one fails. Returns the output and the failed step. */
  function dryRun(given: Readonly<Record<string, string>>): { failed: string | undefined; output: string } {
    const value = (name = ''): string => given[name] ?? inputs[name]?.default ?? '';
    let output = '';
    for (const step of steps) {
      const isOff = step.if !== undefined && value(/inputs\.([\w-]+)/.exec(step.if)?.[1]) === '';
      if (step.run === undefined || isOff || / ci$/.test(step.run)) continue;
      const set = Object.entries(step.env ?? {}).map(([key, text]) => [key, value(/inputs\.([\w-]+)/.exec(text)?.[1])]);
      const { INIT_CWD: _, ...inherited } = process.env;
      const { status, stdout, stderr } = spawnSync('bash', ['-e', '-o', 'pipefail', '-c', step.run], {
        cwd: join(caller, step['working-directory'] ?? '.'),
        env: { ...inherited, ...Object.fromEntries(set) },
        encoding: 'utf8',
      });
      output += stdout + stderr;
      if (status !== 0) return { failed: step.name ?? step.run, output };
    }
    return { failed: undefined, output };
  }

  test.each(byLength([], ['a sound contract passes; a break without a new version does not']))('%s', () => {
    const file = join(caller, 'api/openapi.json');
    const changed = structuredClone(sound);
    changed.components.schemas.Label.maxLength = 4;
    writeFileSync(file, JSON.stringify(changed));
    const { failed, output } = dryRun({ contract: 'api/openapi.json', base: 'main' });
    expect(output).toContain('The contract is sound.');
    expect(output).toMatch(/::error file=api\/openapi\.json,line=1,title=breaking%3A Label::.* \(\w+/);
    expect(failed).toBe('What changed in your contract');
  });

  test.each(byLength([], ['a fault of the contract is shown']))('%s', () => {
    const file = join(caller, 'api/faulty.json');
    const faulty = structuredClone(sound);
    delete faulty.info.license;
    writeFileSync(file, JSON.stringify(faulty));
    const thing = faulty.components.schemas.Label;
    thing.examples = [7];
    writeFileSync(file, JSON.stringify(faulty, undefined, 1));
    // Plain rules apply to a document that isn't ours, and its faults are shown in its own file.
    const { failed, output } = dryRun({ contract: 'api/faulty.json' });
    expect(output).toContain('info-license');
    expect(output).not.toContain('house rules');
    expect(output).not.toContain(join(tmpdir(), 'countersign-guard'));
    const line =
      JSON.stringify(faulty, undefined, 1)
        .split('\n')
        .findIndex((one) => one.trim() === '7') + 1;
    expect(output).toMatch(new RegExp(`^::error file=api/faulty\\.json,line=${line},title=contract::.* \\(\\w+`, 'm'));
    expect(output).toMatch(/^::error title=info-license.*,file=api\/faulty\.json,line=\d+/m);
    expect(failed).toBe('Lint and examples');
  });

  test('recorded traffic that breaks the contract is shown, and so is a pattern that fits nothing', () => {
    const recording = read('test/conformance/fixtures/two-mistakes.har');
    mkdirSync(join(caller, 'recordings'), { recursive: true });
    for (const name of ['one', 'two']) writeFileSync(join(caller, 'recordings', `${name}.har`), recording);
    const { failed, output } = dryRun({ har: 'recordings/*.har' });
    expect(output).toContain('recordings/one.har');
    expect(output).toContain('recordings/two.har');
    expect(failed).toBe('Recorded traffic');
    const missing = dryRun({ har: 'nowhere/*.har' });
    expect(missing.output).toContain('nowhere/*.har');
    expect(missing.failed).toBe('Recorded traffic');
  });

  // The same command as above, in our folder.
  test.each(byLength([], ['pins a version of ours']))('a caller that only %s learns what has changed since', () => {
    const { failed, output } = dryRun({ pinned: 'main' });
    expect(output).toContain('No breaking change');
    expect(failed).toBeUndefined();
  });
});
