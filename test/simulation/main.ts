/**
 * `npm run simulate -- --seed N --steps N`: runs the sandbox and the model side by side. Exits with 1 if they differ.
 */
import { defineCommand } from '../../cli/command/command.ts';
import { runScript } from '../../cli/command/run.ts';
import { describeReport, simulate } from './run.ts';

export const command = defineCommand({
  name: 'simulate',
  call: 'npm run simulate',
  script: 'simulate',
  does: 'run the sandbox beside a second model',
  about: `
Random steps of customers, of the platform and of agents, each answer, balance, action and usage compared with a second
model; a run that differs is cut down to the fewest steps that still do.`,
  flags: {
    seed: {
      type: 'string',
      value: 'N',
      upTo: Number.MAX_SAFE_INTEGER,
      does: 'the run to repeat; drawn and printed otherwise',
    },
    steps: {
      type: 'string',
      value: 'N',
      upTo: Number.MAX_SAFE_INTEGER,
      default: 10_000,
      does: 'how many steps, some hundred a second (default 10000)',
    },
  },
  examples: [
    ['', 'a run that is drawn'],
    ['--seed 7 --steps 500', 'a short run, repeated'],
  ],
  ends: 'Exit codes: 0 both agree, 1 they differ, 2 wrong use, 3 a fault of Countersign.',
  async run({ flags: { seed = Math.floor(Math.random() * 2 ** 32), steps }, output }) {
    output.stdout(`seed ${seed}, ${steps} steps\n`);
    const report = await simulate({ seed, steps, ledgerEvery: Math.max(1, Math.ceil(steps / 25)) });
    output.stdout(`${describeReport(report)}\n`);
    return report.difference === undefined ? 0 : 1;
  },
});

if (import.meta.main) await runScript(command);
