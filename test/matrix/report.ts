/** Writes the table of the last recorded run into openapi/README.md. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../scripts/lib/project.ts';
import type { StepName } from './tools.ts';
import type { Trial } from './trial.ts';

const file = 'openapi/README.md';
const begin = '<!-- begin: other tools, written by npm run tools -- --record -->';
const end = '<!-- end: other tools -->';

/** A difference from the tool's entry: a step that fails, or a known fault that is gone. Undefined if there is none. */
export function findingOf({ tool, steps }: Trial): string | undefined {
  const failed = steps.find(({ isGood }) => !isGood);
  if (failed?.step === tool.fault?.step) return undefined;
  if (failed === undefined)
    return `no longer fails at "${tool.fault?.step}": take its fault out of test/matrix/tools.ts`;
  return `fails at "${failed.step}":\n${failed.detail}`;
}

/** Replaces the table in openapi/README.md of a project. @returns the path of the file */
export function record(trials: readonly Trial[], root: string = projectRoot): string {
  const text = readFileSync(join(root, file), 'utf8');
  const [before, rest] = text.split(begin);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined) throw new Error('openapi/README.md has no place for the table');
  writeFileSync(join(root, file), `${before}${begin}\n\n${table(trials)}\n\n${end}${after}`);
  return file;
}

const words: Readonly<Record<StepName, string>> = {
  generate: 'generates',
  compile: 'compiles under strict',
  requests: 'lists, creates, reads a 400',
  validate: 'accepts it',
  run: 'runs',
};

function table(trials: readonly Trial[]): string {
  const rows = trials.map(({ tool, version, steps }) => {
    const done = steps.filter(({ isGood }) => isGood).map(({ step, detail }) => detail || words[step]);
    const fault = tool.fault === undefined ? [] : [`${words[tool.fault.step]}: no, ${tool.fault.why}`];
    const more = [...fault, ...(tool.note === undefined ? [] : [tool.note])].join('; ');
    return `| ${tool.name} | ${version} | ${done.join(', ')} | ${more} |`;
  });
  return ['| Tool | Version | What works | Its faults |', '|---|---|---|---|', ...rows].join('\n');
}
