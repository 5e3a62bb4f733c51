/** `npm run tools`: gives the contract to other people's tools, and says what each makes of it. */
import { parseArgs } from 'node:util';
import { version } from '../../generated/operations.ts';
import { createSandbox } from '../../package/sandbox.ts';
import { secondsSince } from '../../scripts/lib/project.ts';
import { listen } from '../support/process/fetchApp.ts';
import { install } from '../support/process/install.ts';
import { findingOf, record } from './report.ts';
import { type Tool, tools } from './tools.ts';
import { type StepResult, type Trial, tryTool, workOf } from './trial.ts';

const usage = `Usage: npm run tools -- [--only TOOL]… [--record]

Gives generated/openapi.json to other people's tools. What a generator writes is compiled under strict and makes a list,
a create and a refused request against a sandbox of its own. Validators check the contract, and the collections are run.
The tools are installed into test/matrix at the first run, from the npm registry: about 800 MB.

--only TOOL   only this one; may be given several times
--record      write the result into the table of openapi/README.md
--help

Tools: ${tools.map(({ name }) => name).join(', ')}.

Exit code 0: each tool does what its entry in test/matrix/tools.ts says. 1: one doesn't. 2: the command line is wrong.
3: the run itself failed.`;

const wrongUse = 2;
const ourFault = 3;

/** Reads the command line. @returns what to try, or what to print and the exit code. */
function readOptions(
  args: string[],
): { chosen: readonly Tool[]; isRecorded: boolean } | { says: string; code: number } {
  let values: { only: string[]; record: boolean; help: boolean };
  try {
    ({ values } = parseArgs({
      args,
      options: {
        only: { type: 'string', multiple: true, default: [] },
        record: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    }));
  } catch (error) {
    return { says: `${error instanceof Error ? error.message : error}\n\n${usage}`, code: wrongUse };
  }
  if (values.help) return { says: usage, code: 0 };
  const wanted = values.only.map((name) => name.toLowerCase());
  const named = (name: string): Tool[] => tools.filter((tool) => tool.name.toLowerCase().includes(name));
  const unknown = wanted.find((name) => named(name).length === 0);
  if (unknown !== undefined) return { says: `There is no tool "${unknown}".\n\n${usage}`, code: wrongUse };
  if (values.record && wanted.length > 0) {
    return { says: `--record writes the whole table, so it can't go with --only.\n\n${usage}`, code: wrongUse };
  }
  const chosen =
    wanted.length === 0 ? tools : tools.filter((tool) => wanted.some((name) => named(name).includes(tool)));
  return { chosen, isRecorded: values.record };
}

/** Tries them one after the other, each with a sandbox of its own. @returns how many do otherwise than their entries say. */
async function tryAll(chosen: readonly Tool[], isRecorded: boolean): Promise<number> {
  const startedAt = performance.now();
  await install(import.meta.dirname, () =>
    console.log('installing the tools, about 800 MB (test/matrix/package-lock.json)'),
  );
  const trials: Trial[] = [];
  let findings = 0;
  for (const tool of chosen) {
    const trial = await withSandbox((base) => tryTool(tool, base, (step) => printStep(tool, step)));
    trials.push(trial);
    const finding = findingOf(trial);
    if (finding === undefined) continue;
    findings += 1;
    console.log(`${tool.name} ${finding}\nWhat it wrote is in ${workOf(tool)}`.replaceAll(/^/gm, '    '));
  }
  if (isRecorded) record(trials);
  const verdict = findings === 0 ? 'each does what its entry says' : `${findings} not as their entries say`;
  console.log(`${trials.length} tools, ${verdict} (${secondsSince(startedAt)})`);
  return findings;
}

/** @param use gets the address of a new sandbox on a port, the version included. */
async function withSandbox<T>(use: (base: string) => Promise<T>): Promise<T> {
  const sandbox = await createSandbox();
  const server = await listen({ fetch: (request) => sandbox.fetch(request) }, 'localhost', 0);
  try {
    return await use(`${server.address}/${version}`);
  } finally {
    await server.stop(0);
  }
}

function printStep({ name, fault }: Tool, { step, isGood, detail, seconds }: StepResult): void {
  const isKnown = !isGood && fault?.step === step;
  const verdict = isGood ? 'ok' : isKnown ? `at fault: ${fault?.why}` : 'FAILED';
  const more = isGood && detail !== '' ? `: ${detail}` : '';
  console.log(`${name.padEnd(24)} ${step.padEnd(9)} ${seconds.toFixed(1).padStart(6)} s  ${verdict}${more}`);
}

const options = readOptions(process.argv.slice(2));
if ('says' in options) {
  (options.code === 0 ? console.log : console.error)(options.says);
  process.exitCode = options.code;
} else {
  try {
    process.exitCode = (await tryAll(options.chosen, options.isRecorded)) === 0 ? 0 : 1;
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = ourFault;
  }
}
