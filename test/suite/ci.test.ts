/**
 * Promise: everything that the workflows run exists, and a change of the store runs every test that uses PostgreSQL.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { projectRoot } from '../../scripts/lib/project.ts';
import { temporaryFolder } from '../support/sandbox/folder.ts';

interface Job {
  readonly if?: string;
  readonly steps?: readonly { readonly id?: string; readonly run?: string }[];
}

const workflows = join(projectRoot, '.github/workflows');
const ci = parse(readFileSync(join(workflows, 'ci.yml'), 'utf8')) as {
  on: Record<string, unknown>;
  jobs: Record<string, Job>;
};
const runsOf = (job: Job | undefined) => (job?.steps ?? []).flatMap(({ run }) => (run === undefined ? [] : [run]));

test('every npm script that a workflow runs is there', () => {
  const { scripts } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8'));
  const texts = [...readdirSync(workflows).map((name) => readFileSync(join(workflows, name), 'utf8'))];
  texts.push(readFileSync(join(projectRoot, '.ci/run'), 'utf8'));
  const calls = texts.flatMap((text) => [...text.matchAll(/npm (?:run ([\w:]+)|(test)\b)/g)]);
  const named = calls.map(([, script, test]) => script ?? test ?? '');
  expect(named).toEqual(expect.arrayContaining(['test', 'test:long', 'test:postgres']));
  for (const name of named) expect(Object.keys(scripts)).toContain(name);
});

test('a push runs the suite, the night and a label the long one', () => {
  expect(runsOf(ci.jobs['test'])).toContain('bash .ci/run');
  expect(runsOf(ci.jobs['long'])).toContain('npm run test:long --silent');
  expect(Object.keys(ci.on)).toEqual(['push', 'pull_request', 'schedule', 'workflow_dispatch']);
  expect(ci.jobs['long']?.if).toMatch(/'schedule'.*'workflow_dispatch'.*labels\.\*\.name, 'long'\)/s);
});

test('a change below the store is seen, whichever commit of the branch has it, and no other', () => {
  const step = ci.jobs['store']?.steps?.find(({ id }) => id === 'store')?.run ?? '';
  const root = temporaryFolder();
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.com', ...args], {
      cwd: root,
      encoding: 'utf8',
    });
  const commit = (file: string): string => {
    mkdirSync(join(root, file, '..'), { recursive: true });
    writeFileSync(join(root, file), String(Math.random()));
    git('add', file);
    git('commit', '-qm', 'Change');
    return git('rev-parse', 'HEAD').trim();
  };
  const changedSince = (base: string): string => {
    writeFileSync(join(root, 'output'), '');
    const env = { ...process.env, BASE: base, GITHUB_OUTPUT: join(root, 'output') };
    const { status, stderr } = spawnSync('bash', ['-e', '-o', 'pipefail', '-c', step], {
      cwd: root,
      env,
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([0, '']);
    return readFileSync(join(root, 'output'), 'utf8');
  };
  git('init', '-q');
  const first = commit('README.md');
  const second = commit('mocks/sandbox/node/sqlite/sqlite.ts');
  const third = commit('mocks/sandbox/app.ts');
  expect([first, second, third].map(changedSince)).toEqual(['changed=yes\n', 'changed=\n', 'changed=\n']);
  expect(changedSince('0'.repeat(40))).toBe('changed=yes\n');
});
