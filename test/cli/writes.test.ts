/**
 * Promise: a command that writes into the repository changes the files that it names, and no other. Each is tried in a
 * copy of the whole project, and `git status` is compared with what it printed.
 */
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listed } from '../../cli/commands.ts';
import { bless } from '../../scripts/bless/main.ts';
import { copyProject, foreignEnvironment, type ProjectCopy } from '../support/process/copy.ts';
import { run } from '../support/process/process.ts';
import { byLength } from '../support/run/length.ts';

let copy: ProjectCopy;
const removals: (() => void)[] = [];
beforeAll(() => {
  copy = copyProject((remove) => removals.push(remove));
}, 60_000);
afterAll(() => {
  for (const remove of removals) remove();
});

const edit = (path: string, change: (text: string) => string): void => {
  const file = join(copy.folder, path);
  const before = readFileSync(file, 'utf8');
  const after = change(before);
  expect(after, path).not.toBe(before);
  writeFileSync(file, after);
};

/** Changes a sentence of the contract. */
const editContract = (): void =>
  edit('openapi/openapi.yaml', (text) => text.replace('A platform uses this service', 'A platform uses the service'));

/** What can be published only: a contract that changed, and a changelog with a part for it. */
const prepareVersion = (): void => {
  editContract();
  const changelog = 'openapi/CHANGELOG.md';
  if (/^## Unreleased$/m.test(readFileSync(join(copy.folder, changelog), 'utf8'))) return;
  edit(changelog, (text) => text.replace(/^## /m, '## Unreleased\n\nA word is another.\n\n## '));
};

interface Row {
  /** The script's name in package.json. */
  readonly script: string;
  readonly args?: readonly string[];
  /** Changes the copy, so that there is something to write. */
  readonly before?: () => unknown;
  /** Some of the paths that must be among the changed ones. None if the command must write nothing. */
  readonly writes: readonly string[];
}

const short: readonly Row[] = [
  {
    script: 'bless',
    args: ['2099-01-01'],
    before: prepareVersion,
    writes: ['openapi/versions/2099-01-01.json', 'openapi/versions/index.json', 'openapi/CHANGELOG.md'],
  },
  {
    script: 'new',
    args: ['customers', 'getInvitation', 'GET', '/invitations/{invitationId}'],
    writes: ['openapi/openapi.yaml', 'mocks/sandbox/domains/customers/getInvitation.ts'],
  },
];

const long: readonly Row[] = [
  { script: 'generate', writes: [] },
  {
    script: 'generate',
    before: () => {
      editContract();
      writeFileSync(join(copy.folder, 'generated/collections/bruno/gone.bru'), 'meta {\n}\n');
    },
    writes: ['generated/openapi.json', 'generated/collections/bruno/gone.bru'],
  },
  {
    script: 'reference',
    before: editContract,
    writes: ['generated/reference/index.html', 'generated/reference/scalar.js'],
  },
  { script: 'build', writes: ['dist/'] },
  { script: 'pack', writes: [expect.stringMatching(/^countersign-[\d.]+\.tgz$/)] },
  { script: 'site', writes: ['site/'] },
  {
    script: 'release',
    args: [`v${version()}`, '--notes', 'notes.md', '--sbom', 'sbom.cdx.json'],
    before: async () => {
      edit('CHANGELOG.md', (text) => text.replace('## Unreleased', `## ${version()}`));
      prepareVersion();
      await bless(copy.folder, '2099-01-01');
    },
    writes: ['notes.md', 'sbom.cdx.json'],
  },
  { script: 'mutate', args: ['--seed', '1', '--count', '1', '--record'], writes: ['test/mutation/latest.md'] },
  { script: 'workflows', args: ['api-token'], writes: [] },
  { script: 'diff', writes: [] },
  { script: 'score', writes: [] },
];

function version(): string {
  return JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version;
}

test.each(byLength(short, [...short, ...long]))(
  '$script changes what it names, and nothing else: $writes',
  { timeout: 600_000 },
  async ({ script, args = [], before, writes }) => {
    copy.restore();
    await before?.();
    copy.commit();
    const named = namedBy(await outputOf(script, args));
    expect([...named].sort()).toEqual(copy.changes());
    if (writes.length === 0) expect(named).toEqual([]);
    expect(named).toEqual(expect.arrayContaining([...writes]));
  },
);

/** Runs a script of package.json in the copy. The exit code 1 is that of a mutation run or of `diff` that found some. */
async function outputOf(script: string, args: readonly string[]): Promise<string> {
  const { scripts } = JSON.parse(readFileSync(join(copy.folder, 'package.json'), 'utf8'));
  const [, file = '', word] = /node (\S+)(?: (\S+))?$/.exec(scripts[script]) ?? [];
  const words = word === undefined ? args : [word, ...args];
  const started = run(file, words, foreignEnvironment(), undefined, copy.folder);
  expect([0, 1], started.output()).toContain(await started.exit);
  return started.output();
}

/** The paths that an output names as written or removed, from the root of the copy. */
function namedBy(output: string): string[] {
  const lines = [...output.matchAll(/^ {2}(?:wrote |removed )?([^\s,]+\.[^\s,]+)(?:,.*)?$/gm)];
  const folders = [...output.matchAll(/^(\S+)\/ is built/gm), ...output.matchAll(/ files are in (\S+) /g)];
  return [
    ...lines.map(([, path = '']) => path),
    ...folders.map(([, folder = '']) => `${relative(copy.folder, resolve(copy.folder, folder))}/`),
  ];
}

test('every script of the repository that writes is tried', () => {
  const tried = new Set([...short, ...long].map(({ script }) => script));
  const scripts = Object.keys(listed).filter((name) => listed[name]?.isThere !== undefined);
  // `dev` writes what `generate` writes, and doesn't end by itself. A whole run of `record`, `tools` or
  // `bench` takes too long; the tests in their folders try what they write. The others write nothing.
  expect(scripts.filter((name) => !tried.has(name))).toEqual(['dev', 'record', 'tools', 'bench', 'simulate', 'fuzz']);
});

const refused: [command: string, says: RegExp][] = [
  ['pack', /Run npm run pack, which writes countersign-[\d.]+\.tgz\.\n/],
  ['publish', /Run npm run pack, which writes (\S+)\. Then publish that file: npm publish \.\/\1\n/],
];

test.each(byLength(refused.slice(0, 1), refused))(
  'a plain npm %s is refused, and says what to run',
  async (command, says) => {
    copy.restore();
    const refusal = await new Promise<string>((resolve, reject) => {
      execFile('npm', [command], { cwd: copy.folder, env: foreignEnvironment() }, (error, _stdout, stderr) =>
        error === null ? reject(new Error(`npm ${command} succeeded`)) : resolve(stderr),
      );
    });
    expect(refusal).toMatch(says);
    expect(copy.changes()).toEqual([]);
  },
);
