/**
 * `npm run guard -- FILE`: lints any OpenAPI document and checks its examples as `npm run check` does ours. For
 * contracts of other repositories; see .github/workflows/contract.yml. Exit code 0 when all is well, 1 when something
 * was found, 2 when the document could not be read.
 */
import { existsSync, realpathSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { annotation } from '../../conformance/report/annotation.ts';
import { findFalseExamples } from '../check/examples.ts';
import { bundleContract } from '../lib/bundle.ts';
import type { ContractDocument } from '../lib/contract.ts';
import { type BundleProblem, findBrokenHouseRules } from '../lib/houseRules.ts';
import { createLocator, inBrackets, operationsAt } from '../lib/places.ts';
import { projectRoot, secondsSince } from '../lib/project.ts';
import { runTool } from '../lib/tool.ts';

const usage = `npm run guard -- FILE [--rules house|plain] [--format text|github]

FILE      the root of an OpenAPI 3.1 document.
--rules   house: also our house rules, R01 and on (openapi/README.md), the default for a contract of this repository;
          plain: Redocly's rules and the examples only, the default for any other.
--format  github: annotations at the line of your file.

Exit code 0: all is well. 1: something was found. 2: the document could not be read.`;

interface Subject {
  /** The folder that the user stands in, and the document's path from there. */
  readonly root: string;
  readonly file: string;
  readonly bundle: string;
  readonly isHouse: boolean;
  readonly format: 'text' | 'github';
}

/** Runs the checks one after the other and prints a line for each. Answers how many failed. */
async function guard(subject: Subject): Promise<number> {
  const contract = JSON.parse(subject.bundle) as ContractDocument;
  const say = sayer(subject, contract);
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
    console.log(`${name.padEnd(12)} ${(problem === '' ? 'ok' : 'failed').padEnd(7)} ${secondsSince(startedAt)}`);
    if (problem !== '') {
      // An annotation is one only at the beginning of its line.
      console.log(subject.format === 'github' ? problem : problem.replace(/^/gm, '    '));
      failed += 1;
    }
  }
  return failed;
}

/** In the user's folder, so that the lint names the files as the user does. */
async function lint({ root, file, format }: Subject): Promise<string> {
  const config = join(projectRoot, 'redocly.yaml');
  const args = ['lint', file, '--config', config, ...(format === 'github' ? ['--format', 'github-actions'] : [])];
  const { code, output } = await runTool(['@redocly/cli', 'redocly'], args, root);
  return code === 0 ? '' : output.trim() || `exit code ${code}`;
}

/** Puts a problem of the bundle into words: where it is in the user's files, and which operations it concerns. */
function sayer({ root, file, format }: Subject, contract: ContractDocument): (problem: BundleProblem) => string {
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

/** Ends the process: nothing was checked. */
function giveUp(reason: string): never {
  console.error(reason);
  process.exit(2);
}

function readOptions() {
  try {
    const options = {
      rules: { type: 'string', default: '' },
      format: { type: 'string', default: 'text' },
      help: { type: 'boolean', default: false },
    } as const;
    return parseArgs({ allowPositionals: true, options });
  } catch (error) {
    giveUp(`${error instanceof Error ? error.message : error}\n\n${usage}`);
  }
}

const { values, positionals } = readOptions();
const [named] = positionals;
// An input of a workflow that was not given arrives as an empty word.
const isKnown = ['house', 'plain', ''].includes(values.rules) && ['text', 'github'].includes(values.format);
if (values.help) {
  console.log(usage);
} else if (named === undefined || positionals.length > 1 || !isKnown) {
  giveUp(usage);
} else {
  // npm runs a script in the project; the path is meant from where the user stood.
  const root = process.env['INIT_CWD'] ?? process.cwd();
  const path = resolve(root, named);
  if (!existsSync(path)) giveUp(`There is no file ${path}.`);
  const file = relative(root, path);
  const bundle = await bundleContract(root, file).catch((error: Error) => giveUp(error.message));
  const isOurs = !relative(realpathSync(projectRoot), realpathSync(path)).startsWith('..');
  const isHouse = values.rules === '' ? isOurs : values.rules === 'house';
  const failed = await guard({ root, file, bundle, isHouse, format: values.format as Subject['format'] });
  console.log(failed === 0 ? 'The contract is sound.' : `${failed} of the checks failed.`);
  if (failed > 0) process.exitCode = 1;
}
