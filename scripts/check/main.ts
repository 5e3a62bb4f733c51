/**
 * `npm run check`: checks everything about the project that can be checked without running it. Every step runs, except
 * those that would only repeat the faults of another. A failed step shows what is wrong and the command that repeats or
 * repairs it.
 */
import { spawn } from 'node:child_process';
import { defineCommand } from '../../cli/command/command.ts';
import { WrongUse } from '../../cli/command/exit.ts';
import { runScript } from '../../cli/command/run.ts';
import { projectRoot, secondsSince } from '../lib/project.ts';
import { watchTree } from '../lib/watch.ts';
import { createProgress, type Progress } from './progress.ts';
import { type Step, steps } from './steps.ts';

const workers = 2;
/** How many lines of a failed step are shown if several steps run, so that all faults fit on the screen. */
const linesShown = 30;
// An editor may write a file in several steps, and a branch switch changes many files.
const quietMs = 300;
const watched = [
  'cli',
  'client',
  'conformance',
  'console',
  'contract',
  'mcp',
  'mocks',
  'openapi',
  'package',
  'scripts',
  'traffic',
];

type Outcome = 'ok' | 'failed' | 'not run';

/**
 * Runs the steps and prints a line for each. For a failed step it also prints what is wrong. @returns how many failed.
 */
async function runAll(chosen: readonly Step[], write: (text: string) => void): Promise<number> {
  const startedAt = performance.now();
  const isAlone = chosen.length === 1;
  const progress = createProgress(write, process.stdout.isTTY === true, chosen.length);
  const outcomes = new Map<string, Promise<Outcome>>();
  const queue = [...chosen];
  const lane = async (): Promise<void> => {
    for (let step = queue.shift(); step !== undefined; step = queue.shift()) {
      const outcome = runStep(step, outcomes.get(step.after ?? ''), { progress, isAlone });
      outcomes.set(step.name, outcome);
      await outcome;
    }
  };
  await Promise.all(Array.from({ length: workers }, lane));
  progress.stop();
  const all = await Promise.all(outcomes.values());
  const [failed, notRun] = (['failed', 'not run'] as const).map((kind) => all.filter((one) => one === kind).length);
  const left = notRun === 0 ? '' : `, ${notRun} not run`;
  const verdict = failed === 0 ? 'all checks passed' : `${failed} of ${chosen.length} checks failed${left}`;
  write(`${verdict} (${secondsSince(startedAt)})\n`);
  return failed ?? 0;
}

interface Run {
  readonly progress: Progress;
  readonly isAlone: boolean;
}

/** Runs a step after the step that it needs has ended. */
async function runStep(step: Step, before: Promise<Outcome> | undefined, { progress, isAlone }: Run): Promise<Outcome> {
  const { name, after, command: repair } = step;
  if (before !== undefined) progress.begin(name, after);
  if (before !== undefined && (await before) !== 'ok') {
    progress.end(name, `${name.padEnd(16)} not run: it would repeat the faults of ${after}`);
    return 'not run';
  }
  progress.begin(name);
  const startedAt = performance.now();
  let problem: string | undefined;
  try {
    problem = await step.run();
  } catch (error) {
    problem = error instanceof Error ? error.message : String(error);
  }
  const outcome = problem === undefined ? 'ok' : 'failed';
  const says = [`${name.padEnd(16)} ${outcome.padEnd(7)} ${secondsSince(startedAt)}`];
  if (problem !== undefined) {
    const lines = problem.split('\n');
    const shown = isAlone ? lines : lines.slice(0, linesShown);
    says.push(shown.join('\n').replace(/^/gm, '    '));
    if (shown.length < lines.length) {
      says.push(`    and ${lines.length - shown.length} more lines: npm run check -- --only "${name}"`);
    }
    says.push(`    → ${repair}`);
  }
  progress.end(name, says.join('\n'));
  return outcome;
}

/** Runs the command again after each change. Each run is a new process, because Node loads a module only once. */
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

/** @throws WrongUse if no step has the name. */
function choose(names: readonly string[]): readonly Step[] {
  const unknown = names.find((name) => !steps.some((step) => step.name === name));
  if (unknown !== undefined) {
    throw new WrongUse(`There is no step "${unknown}". The steps are ${steps.map(({ name }) => name).join(', ')}.`);
  }
  return names.length === 0 ? steps : steps.filter(({ name }) => names.includes(name));
}

export const command = defineCommand({
  name: 'check',
  call: 'npm run check',
  script: 'check',
  does: 'check everything that needs no running sandbox',
  about: `
Checks the contract, its examples and prose, the generated files, types, style, dead code and import rules.
The steps:
${steps.map(({ name }) => `  ${name}`).join('\n')}`,
  flags: {
    only: {
      type: 'string',
      value: 'STEP',
      multiple: true,
      does: 'only this step, with all its output (repeatable)',
    },
    watch: { type: 'boolean', does: 'run again after each change of a file' },
  },
  examples: [
    ['', 'all steps'],
    ['--only types --watch', 'one step, again after each change'],
  ],
  async run({ flags, typed, output }) {
    const chosen = choose(flags.only);
    if (flags.watch) {
      watch(typed);
      return undefined;
    }
    return (await runAll(chosen, output.stdout)) > 0 ? 1 : 0;
  },
});

if (import.meta.main) await runScript(command);
