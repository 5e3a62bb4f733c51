/**
 * Lints any OpenAPI document and checks its examples, like `npm run check` does for our contract. The command is
 * cli/guard.ts.
 */
import { existsSync, realpathSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { WrongUse } from '../../cli/command/exit.ts';
import { annotation } from '../../conformance/report/annotation.ts';
import { findFalseExamples } from '../check/examples.ts';
import { bundleContract } from '../lib/bundle.ts';
import type { ContractDocument } from '../lib/contract.ts';
import { type BundleProblem, findBrokenHouseRules } from '../lib/houseRules.ts';
import { createLocator, inBrackets, operationsAt } from '../lib/places.ts';
import { projectRoot, secondsSince } from '../lib/project.ts';
import { runTool } from '../lib/tool.ts';

export interface Subject {
  /** The user's current folder. The document's path starts there. */
  readonly root: string;
  readonly file: string;
  readonly bundle: string;
  readonly isHouse: boolean;
  readonly format: 'text' | 'github';
}

/** Runs the checks one after the other and prints a line for each. @returns how many failed. */
async function runChecks(subject: Subject, print: (line: string) => void): Promise<number> {
  const contract = JSON.parse(subject.bundle) as ContractDocument;
  const say = problemFormatter(subject, contract);
  const checks: [name: string, run: () => Promise<string>][] = [
    ['lint', () => lint(subject)],
    [
      'examples',
      async () => findFalseExamples(contract, { isClosed: subject.isHouse }).falseExamples.map(say).join('\n'),
    ],
  ];
  if (subject.isHouse)
    checks.push(['house rules', async () => (await findBrokenHouseRules(subject.bundle)).map(say).join('\n')]);
  let failed = 0;
  for (const [name, run] of checks) {
    const startedAt = performance.now();
    const problem = await run();
    print(`${name.padEnd(12)} ${(problem === '' ? 'ok' : 'failed').padEnd(7)} ${secondsSince(startedAt)}`);
    if (problem !== '') {
      // GitHub reads an annotation only at the start of a line.
      print(subject.format === 'github' ? problem : problem.replace(/^/gm, '    '));
      failed += 1;
    }
  }
  return failed;
}

/** Runs in the user's folder, so that the lint names files relative to it. */
async function lint({ root, file, format }: Subject): Promise<string> {
  const config = join(projectRoot, 'redocly.yaml');
  const args = ['lint', file, '--config', config, ...(format === 'github' ? ['--format', 'github-actions'] : [])];
  const { code, output } = await runTool(['@redocly/cli', 'redocly'], args, root);
  return code === 0 ? '' : output.trim() || `exit code ${code}`;
}

/** Formats a problem of the bundle: where it is in the user's files, and which operations it affects. */
function problemFormatter(
  { root, file, format }: Subject,
  contract: ContractDocument,
): (problem: BundleProblem) => string {
  const locate = createLocator(root, file);
  const concerned = operationsAt(contract);
  return ({ pointer, message }) => {
    const place = locate(pointer) ?? { file, line: 1 };
    const text = `${pointer}: ${message}${inBrackets(concerned(pointer))}`;
    return format === 'github'
      ? annotation({ ...place, title: 'contract' }, text)
      : `${place.file}:${place.line} ${text}`;
  };
}

export interface GuardOptions {
  /** Which rules to apply. By default, our house rules apply only to a contract of this repository. */
  readonly rules: 'house' | 'plain' | undefined;
  readonly format: Subject['format'];
}

/**
 * Checks a document.
 * @param root the user's current folder
 * @param named the document's path from there
 * @returns how many of the checks failed
 * @throws WrongUse if the document can't be read.
 */
export async function guard(
  root: string,
  named: string,
  { rules, format }: GuardOptions,
  print: (line: string) => void,
): Promise<number> {
  const path = resolve(root, named);
  if (!existsSync(path)) throw new WrongUse(`There is no file ${path}.`);
  const isOurs = !relative(realpathSync(projectRoot), realpathSync(path)).startsWith('..');
  const isHouse = rules === undefined ? isOurs : rules === 'house';
  if (isHouse && !existsSync(join(projectRoot, '.spectral.yaml'))) {
    throw new WrongUse("The house rules are in Countersign's repository: run it in a clone, or with --rules plain.");
  }
  const file = relative(root, path);
  const bundle = await bundleContract(root, file).catch((error: Error) => {
    throw new WrongUse(error.message);
  });
  return runChecks({ root, file, bundle, isHouse, format }, print);
}
