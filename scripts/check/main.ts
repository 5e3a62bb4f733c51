/**
 * `npm run check`: everything about the project that can be told without running it. Every step runs, except those that
 * would only repeat the faults of another. A step that failed shows what is wrong and the command that repeats or
 * repairs it.
 */
import { spawn } from 'node:child_process';
import { parseArgs } from 'node:util';
import { projectRoot, secondsSince } from '../lib/project.ts';
import { watchTree } from '../lib/watch.ts';
import { type Step, steps } from './steps.ts';

const usage = `npm run check -- [--only STEP]… [--watch]

Checks everything that can be told without running the sandbox: the contract, its examples and prose, the generated
files, types, style, dead code, import rules.

--only STEP   only this step, with all its output; may be given several times
--watch       again whenever a file of the project changes

Steps: ${steps.map(({ name }) => name).join(', ')}.

Exit code 0: all is well. 1: something is wrong. 2: the command line is.`;

const workers = 2;
/** Of a step that fails beside others, so that no fault pushes the others off the screen. */
const linesShown = 30;
// Editors write a file in several steps, and a change of branch touches many.
const quietMs = 300;
const watched = ['cli', 'client', 'conformance', 'contract', 'mocks', 'openapi', 'package', 'scripts', 'traffic'];

type Outcome = 'ok' | 'failed' | 'not run';

/** Reads the command line. @returns the steps to run, or what to print and the exit code. */
function readOptions(
  args: string[],
): { chosen: readonly Step[]; isWatching: boolean } | { says: string; code: number } {
  let values: { only: string[]; watch: boolean; help: boolean };
  try {
    ({ values } = parseArgs({
      args,
      options: {
        only: { type: 'string', multiple: true, default: [] },
        watch: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    }));
  } catch (error) {
    return { says: `${error instanceof Error ? error.message : error}\n\n${usage}`, code: 2 };
  }
  if (values.help) return { says: usage, code: 0 };
  const unknown = values.only.find((name) => !steps.some((step) => step.name === name));
  if (unknown !== undefined) return { says: `There is no step "${unknown}".\n\n${usage}`, code: 2 };
  const chosen = values.only.length === 0 ? steps : steps.filter(({ name }) => values.only.includes(name));
  return { chosen, isWatching: values.watch };
}

/** Runs the steps and prints a line for each, and for one that failed what is wrong. @returns how many failed. */
async function runAll(chosen: readonly Step[]): Promise<number> {
  const startedAt = performance.now();
  const isAlone = chosen.length === 1;
  const outcomes = new Map<string, Promise<Outcome>>();
  const queue = [...chosen];
  const lane = async (): Promise<void> => {
    for (let step = queue.shift(); step !== undefined; step = queue.shift()) {
      const outcome = runStep(step, outcomes.get(step.after ?? ''), isAlone);
      outcomes.set(step.name, outcome);
      await outcome;
    }
  };
  await Promise.all(Array.from({ length: workers }, lane));
  const all = await Promise.all(outcomes.values());
  const [failed, notRun] = (['failed', 'not run'] as const).map((kind) => all.filter((one) => one === kind).length);
  const left = notRun === 0 ? '' : `, ${notRun} not run`;
  const verdict = failed === 0 ? 'all checks passed' : `${failed} of ${chosen.length} checks failed${left}`;
  console.log(`${verdict} (${secondsSince(startedAt)})`);
  return failed ?? 0;
}

async function runStep(step: Step, before: Promise<Outcome> | undefined, isAlone: boolean): Promise<Outcome> {
  if (before !== undefined && (await before) !== 'ok') {
    console.log(`${step.name.padEnd(16)} not run: it would repeat the faults of ${step.after}`);
    return 'not run';
  }
  const startedAt = performance.now();
  let problem: string | undefined;
  try {
    problem = await step.run();
  } catch (error) {
    problem = error instanceof Error ? error.message : String(error);
  }
  const outcome = problem === undefined ? 'ok' : 'failed';
  console.log(`${step.name.padEnd(16)} ${outcome.padEnd(7)} ${secondsSince(startedAt)}`);
  if (problem !== undefined) {
    const lines = problem.split('\n');
    const shown = isAlone ? lines : lines.slice(0, linesShown);
    console.log(shown.join('\n').replace(/^/gm, '    '));
    if (shown.length < lines.length) {
      console.log(`    and ${lines.length - shown.length} more lines: npm run check -- --only "${step.name}"`);
    }
    console.log(`    → ${step.command}`);
  }
  return outcome;
}

/** Runs the command again after each change, in a process of its own, because modules are loaded once. */
function watch(args: readonly string[]): void {
  let isRunning = false;
  let timer: NodeJS.Timeout | undefined;
  const run = () => {
    if (isRunning) {
      timer = setTimeout(run, quietMs);
      return;
    }
    isRunning = true;
    const child = spawn(process.execPath, [import.meta.filename, ...args.filter((one) => one !== '--watch')], {
      cwd: projectRoot,
      stdio: 'inherit',
    });
    child.once('exit', () => {
      isRunning = false;
      console.log('waiting for a change (Ctrl-C ends)');
    });
  };
  for (const folder of watched) {
    watchTree(projectRoot, folder, () => {
      clearTimeout(timer);
      timer = setTimeout(run, quietMs);
    });
  }
  run();
}

const args = process.argv.slice(2);
const options = readOptions(args);
if ('says' in options) {
  (options.code === 0 ? console.log : console.error)(options.says);
  process.exitCode = options.code;
} else if (options.isWatching) {
  watch(args);
} else if ((await runAll(options.chosen)) > 0) {
  process.exitCode = 1;
}
