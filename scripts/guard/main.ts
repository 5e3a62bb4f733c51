/**
 * `npm run guard -- FILE`: lints any OpenAPI document and checks its examples as `npm run check` does ours. For
 * contracts of other repositories; see .github/workflows/contract.yml. Exit code 0 when all is well, 1 when something
 * was found, 2 when the document could not be read.
 */
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { findFalseExamples } from '../check/examples.ts';
import { bundleContract } from '../lib/bundle.ts';
import type { ContractDocument } from '../lib/contract.ts';
import { projectRoot, secondsSince } from '../lib/project.ts';
import { runTool } from '../lib/tool.ts';

const usage = `npm run guard -- FILE [--rules house|plain]

FILE     the root of an OpenAPI 3.1 document.
--rules  house: also our house rules, R01 and on (openapi/README.md), the default; plain: Redocly's rules and the
         examples only.

Exit code 0: all is well. 1: something was found. 2: the document could not be read.`;

/** Runs the checks one after the other and prints a line for each. Answers how many failed. */
async function guard(file: string, bundle: string, rules: string): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-guard-'));
  try {
    const bundled = join(folder, 'openapi.json');
    await writeFile(bundled, bundle);
    const checks: [name: string, run: () => Promise<string>][] = [
      ['lint', () => lint('@redocly/cli', 'redocly', ['lint', file, '--config', 'redocly.yaml'])],
      ['examples', async () => falseExamples(JSON.parse(bundle), rules === 'house')],
    ];
    if (rules === 'house') {
      const args = ['lint', bundled, '--ruleset', '.spectral.yaml', '--fail-severity', 'warn'];
      checks.push(['house rules', () => lint('@stoplight/spectral-cli', 'spectral', args)]);
    }
    let failed = 0;
    for (const [name, run] of checks) {
      const startedAt = performance.now();
      const problem = await run();
      console.log(`${name.padEnd(12)} ${(problem === '' ? 'ok' : 'failed').padEnd(7)} ${secondsSince(startedAt)}`);
      if (problem !== '') {
        console.log(problem.replace(/^/gm, '    '));
        failed += 1;
      }
    }
    return failed;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function lint(packageName: string, executable: string, args: string[]): Promise<string> {
  const { code, output } = await runTool([packageName, executable], args);
  return code === 0 ? '' : output.trim() || `exit code ${code}`;
}

function falseExamples(contract: ContractDocument, isClosed: boolean): string {
  return findFalseExamples(contract, { isClosed })
    .falseExamples.map(({ pointer, message }) => `${pointer}: ${message}`)
    .join('\n');
}

/** Ends the process: nothing was checked. */
function giveUp(reason: string): never {
  console.error(reason);
  process.exit(2);
}

function readOptions() {
  try {
    const options = { rules: { type: 'string', default: 'house' }, help: { type: 'boolean', default: false } } as const;
    return parseArgs({ allowPositionals: true, options });
  } catch (error) {
    giveUp(`${error instanceof Error ? error.message : error}\n\n${usage}`);
  }
}

const { values, positionals } = readOptions();
const [named] = positionals;
if (values.help) {
  console.log(usage);
} else if (named === undefined || positionals.length > 1 || !['house', 'plain'].includes(values.rules)) {
  giveUp(usage);
} else {
  // npm runs a script in the project; the path is meant from where the user stood.
  const root = process.env['INIT_CWD'] ?? process.cwd();
  const file = resolve(root, named);
  if (!existsSync(file)) giveUp(`There is no file ${file}.`);
  const bundle = await bundleContract(root, relative(root, file)).catch((error: Error) => giveUp(error.message));
  const failed = await guard(relative(projectRoot, file), bundle, values.rules);
  console.log(failed === 0 ? 'The contract is sound.' : `${failed} of the checks failed.`);
  if (failed > 0) process.exitCode = 1;
}
