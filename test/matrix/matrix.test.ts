/**
 * Promise: `npm run tools` refuses an unknown tool without installing anything. The table in openapi/README.md has
 * exactly the tools that it tries. The run itself needs minutes and a network.
 */
import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { projectRoot } from '../../scripts/lib/project.ts';
import { runProcess } from '../support/process/install.ts';
import { temporaryFolder } from '../support/sandbox/folder.ts';
import { findingOf, record } from './report.ts';
import { type Tool, tools } from './tools.ts';
import type { StepResult } from './trial.ts';

const run = (...args: string[]) =>
  runProcess(process.execPath, [join(import.meta.dirname, 'main.ts'), ...args], { cwd: projectRoot });

test.each([
  ['an unknown tool', ['--only', 'nothing'], 2, /^There is no tool "nothing"/],
  ['a table of one tool', ['--record', '--only', 'orval'], 2, /can't go with --only/],
])('%s: the exit code and the cause', async (_what, args, code, says) => {
  const ended = await run(...args);
  expect(ended.code).toBe(code);
  expect(ended.output).toMatch(says);
});

test('the table has every tool, and no other', () => {
  const text = readFileSync(join(projectRoot, 'openapi/README.md'), 'utf8');
  const table = text.split('<!-- begin: other tools')[1]?.split('<!-- end: other tools')[0] ?? '';
  const names = [...table.matchAll(/^\| ([^|]+?) \|/gm)].map(([, name]) => name).filter((name) => name !== 'Tool');
  expect(names).toEqual(tools.map(({ name }) => name));
});

test('a recorded run changes the table of openapi/README.md, and nothing else', () => {
  const folder = temporaryFolder();
  const file = 'openapi/README.md';
  cpSync(join(projectRoot, file), join(folder, file));
  expect(record([], folder)).toBe(file);
  expect(readdirSync(folder, { recursive: true }).sort()).toEqual(['openapi', file]);
  const rest = (root: string) =>
    readFileSync(join(root, file), 'utf8').replace(/(<!-- begin: other tools)[\s\S]*(<!-- end: other tools)/, '$1$2');
  expect(rest(folder)).toBe(rest(projectRoot));
});

test.each<[what: string, fault: Tool['fault'], failed: StepResult['step'] | undefined, finding: RegExp | undefined]>([
  ['works', undefined, undefined, undefined],
  ['fails', undefined, 'compile', /^fails at "compile":\nwhy$/],
  ['fails as its entry says', { step: 'compile', why: 'so' }, 'compile', undefined],
  ['fails elsewhere than its entry says', { step: 'compile', why: 'so' }, 'requests', /^fails at "requests"/],
  ['no longer fails', { step: 'compile', why: 'so' }, undefined, /^no longer fails at "compile"/],
])('a tool that %s', (_what, fault, failed, finding) => {
  const { fault: _none, ...plain } = tools[0] as Tool;
  const tool = fault === undefined ? plain : { ...plain, fault };
  const steps = (['generate', 'compile', 'requests'] as const).map((step) => ({
    step,
    isGood: step !== failed,
    detail: step === failed ? 'why' : '',
    seconds: 1,
  }));
  const found = findingOf({ tool, version: '1', steps });
  if (finding === undefined) expect(found).toBeUndefined();
  else expect(found).toMatch(finding);
});
