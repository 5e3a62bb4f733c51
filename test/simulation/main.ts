/** `npm run simulate -- --seed N --steps N`: the sandbox beside the model; ends with 1 when they differ. */
import { readFlags, wholeNumber } from '../../mocks/launch.ts';
import { describeReport, simulate } from './run.ts';

const usage = `Usage: npm run simulate -- [options]

Random steps of customers, of the platform and of agents, each answer, balance, action and usage compared with a second
model; a run that differs is cut down to the fewest steps that still do.

  --seed N    the run to repeat; drawn and printed otherwise
  --steps N   how many steps, some hundred a second (default 10000)
  --help`;

const flags = readFlags(
  { seed: { type: 'string' }, steps: { type: 'string', default: '10000' }, help: { type: 'boolean' } },
  usage,
);
const seed =
  flags.seed === undefined
    ? Math.floor(Math.random() * 2 ** 32)
    : wholeNumber('--seed', flags.seed, Number.MAX_SAFE_INTEGER);
const steps = wholeNumber('--steps', flags.steps, Number.MAX_SAFE_INTEGER);
process.stdout.write(`seed ${seed}, ${steps} steps\n`);
const report = await simulate({ seed, steps, ledgerEvery: Math.max(1, Math.ceil(steps / 25)) });
process.stdout.write(`${describeReport(report)}\n`);
process.exitCode = report.difference === undefined ? 0 : 1;
