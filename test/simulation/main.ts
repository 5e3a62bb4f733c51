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
  does: 'compare the sandbox with a second model',
  about: `
Takes random steps as customers, the platform and agents, and compares each answer, balance, action and usage with a
second model. If they differ, the run is reduced to the fewest steps that still show it.`,
  flags: {
    seed: {
      type: 'string',
      value: 'N',
      upTo: Number.MAX_SAFE_INTEGER,
      does: 'repeat the run of this seed (default random, and printed)',
    },
    steps: {
      type: 'string',
      value: 'N',
      upTo: Number.MAX_SAFE_INTEGER,
      default: 10_000,
      does: 'how many steps; some hundreds run per second (default 10000)',
    },
  },
  examples: [
    ['', 'a random run'],
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
