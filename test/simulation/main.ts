/** `npm run simulate -- --seed N --steps N`: the sandbox beside the model; ends with 1 when they differ. */
import { parseArgs } from 'node:util';
import { describeReport, simulate } from './run.ts';

const options = { seed: { type: 'string' }, steps: { type: 'string', default: '10000' } } as const;
const { values } = parseArgs({ options });
const seed = values.seed === undefined ? Math.floor(Math.random() * 2 ** 32) : Number(values.seed);
const steps = Number(values.steps);
if (![seed, steps].every((number) => Number.isSafeInteger(number) && number >= 0)) {
  process.stderr.write('--seed and --steps take whole numbers\n');
  process.exit(2);
}
const report = await simulate({ seed, steps, ledgerEvery: Math.max(1, Math.ceil(steps / 25)) });
process.stdout.write(`${describeReport(report)}\n`);
process.exitCode = report.difference === undefined ? 0 : 1;
