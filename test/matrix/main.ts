/** `npm run tools`: runs other projects' tools on the contract, and reports the result of each. */
import { defineCommand } from '../../cli/command/command.ts';
import { exitCodes, WrongUse } from '../../cli/command/exit.ts';
import { runScript } from '../../cli/command/run.ts';
import { version } from '../../generated/operations.ts';
import { createSandbox } from '../../package/sandbox.ts';
import { secondsSince } from '../../scripts/lib/project.ts';
import { listen } from '../support/process/fetchApp.ts';
import { install } from '../support/process/install.ts';
import { findingOf, record } from './report.ts';
import { type Tool, tools } from './tools.ts';
import { type StepResult, type Trial, tryTool, workOf } from './trial.ts';

export const command = defineCommand({
  name: 'tools',
  call: 'npm run tools',
  script: 'tools',
  does: "try other projects' tools on the contract",
  about: `
Runs other projects' tools on generated/openapi.json. Generated code is compiled with strict, and sends a list, a create
and a refused request to a new sandbox. Validators check the contract, and the collections are run.
The first run installs the tools into test/matrix from the npm registry: about 800 MB.

Tools:
${tools.map(({ name }) => `  ${name}`).join('\n')}`,
  flags: {
    only: { type: 'string', value: 'TOOL', multiple: true, does: 'only this tool (repeatable)' },
    record: { type: 'boolean', does: 'write the result into the table of openapi/README.md' },
  },
  examples: [
    ['', 'try all'],
    ['--only orval', 'try one'],
  ],
  ends: 'Exit codes: 0 each tool does what its entry says, 1 one does not, 2 wrong use, 3 a fault of Countersign.',
  async run({ flags: { only, record: isRecorded }, output }) {
    const chosen = chooseTools(only);
    if (isRecorded && only.length > 0) {
      throw new WrongUse("--record writes the whole table, so it can't go with --only.");
    }
    return (await tryAll(chosen, isRecorded, (line) => output.stdout(`${line}\n`))) === 0
      ? exitCodes.fine
      : exitCodes.findings;
  },
});

type Print = (line: string) => void;

/** @throws WrongUse if no tool has the name. */
function chooseTools(wanted: readonly string[]): readonly Tool[] {
  const named = (word: string): Tool[] => tools.filter(({ name }) => name.toLowerCase().includes(word.toLowerCase()));
  const unknown = wanted.find((word) => named(word).length === 0);
  if (unknown !== undefined) {
    throw new WrongUse(`There is no tool "${unknown}". There are ${tools.map(({ name }) => name).join(', ')}.`);
  }
  return wanted.length === 0 ? tools : tools.filter((tool) => wanted.some((word) => named(word).includes(tool)));
}

/**
 * Tries the tools one after the other, each with a new sandbox. @returns how many results differ from their entries.
 */
async function tryAll(chosen: readonly Tool[], isRecorded: boolean, print: Print): Promise<number> {
  const startedAt = performance.now();
  await install(import.meta.dirname, () => print('installing the tools, about 800 MB (test/matrix/package-lock.json)'));
  const trials: Trial[] = [];
  let findings = 0;
  for (const tool of chosen) {
    const trial = await withSandbox((base) => tryTool(tool, base, (step) => print(describeStep(tool, step))));
    trials.push(trial);
    const finding = findingOf(trial);
    if (finding === undefined) continue;
    findings += 1;
    print(`${tool.name} ${finding}\nWhat it wrote is in ${workOf(tool)}`.replaceAll(/^/gm, '    '));
  }
  if (isRecorded) print(`  wrote ${record(trials)}`);
  const verdict = findings === 0 ? 'each does what its entry says' : `${findings} not as their entries say`;
  print(`${trials.length} tools, ${verdict} (${secondsSince(startedAt)})`);
  return findings;
}

/** @param use gets the address of a new sandbox on a port, with the version. */
async function withSandbox<T>(use: (base: string) => Promise<T>): Promise<T> {
  const sandbox = await createSandbox();
  const server = await listen({ fetch: (request) => sandbox.fetch(request) }, 'localhost', 0);
  try {
    return await use(`${server.address}/${version}`);
  } finally {
    await server.stop(0);
  }
}

function describeStep({ name, fault }: Tool, { step, isGood, detail, seconds }: StepResult): string {
  const isKnown = !isGood && fault?.step === step;
  const verdict = isGood ? 'ok' : isKnown ? `at fault: ${fault?.why}` : 'FAILED';
  const more = isGood && detail !== '' ? `: ${detail}` : '';
  return `${name.padEnd(24)} ${step.padEnd(9)} ${seconds.toFixed(1).padStart(6)} s  ${verdict}${more}`;
}

if (import.meta.main) await runScript(command);
