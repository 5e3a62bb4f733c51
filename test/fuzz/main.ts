/** `npm run fuzz -- --seed N --cases N --operation id`: cases of every operation; ends with 1 when one breaks the contract. */
import { type OperationId, operations } from '../../generated/operations.ts';
import { giveUp, readFlags, wholeNumber } from '../../mocks/launch.ts';
import { batchSize, describeFailure, fuzz } from './run.ts';
import { describeRule, type WordRule, wordRules } from './words.ts';

const usage = `Usage: npm run fuzz -- [options]

Requests made from the contract's schemas, valid ones and broken ones, against a sandbox in process; every answer is held
against the contract, and what breaks it is cut down to the smallest request that still does.

  --seed N        the run to repeat; drawn and printed otherwise
  --cases N       how many for each operation, rounded up to ${batchSize}s (default 2000)
  --operation id  this operation only
  --path P        of a failure as it was printed, with its seed and operation: that failure only
  --help`;

const flags = readFlags(
  {
    seed: { type: 'string' },
    cases: { type: 'string', default: '2000' },
    operation: { type: 'string' },
    path: { type: 'string' },
    help: { type: 'boolean' },
  },
  usage,
);
const seed =
  flags.seed === undefined ? Math.floor(Math.random() * 2 ** 31) : wholeNumber('--seed', flags.seed, 2 ** 31 - 1);
const cases = wholeNumber('--cases', flags.cases, Number.MAX_SAFE_INTEGER);
const wanted = operations.filter(({ id }) => flags.operation === undefined || id === flags.operation);
if (wanted.length === 0) giveUp(`--operation takes the id of an operation, not "${flags.operation}".`);

process.stdout.write(`seed ${seed}, ${cases} cases each\n`);
const seen = new Set<WordRule>();
const failed: OperationId[] = [];
for (const operation of wanted) {
  const report = await fuzz(operation, { seed, cases, ...(flags.path === undefined ? {} : { path: flags.path }) });
  for (const rule of report.rules) seen.add(rule);
  const statuses = Object.entries(report.statuses).map(([status, count]) => `${status}: ${count}`);
  process.stdout.write(`${operation.id} ${report.cases} cases, ${report.valid} valid; ${statuses.join(', ')}\n`);
  if (report.failure === undefined) continue;
  failed.push(operation.id);
  process.stdout.write(`${describeFailure(operation, seed, report.failure)}\n`);
}
if (flags.operation === undefined) {
  const idle = wordRules.filter((rule) => !seen.has(rule)).map((rule) => `\n  ${describeRule(rule)}`);
  process.stdout.write(`rules in words that refused nothing: ${idle.length}${idle.join('')}\n`);
}
process.stdout.write(failed.length === 0 ? 'no fault found\n' : `faults in ${failed.join(', ')}\n`);
process.exitCode = failed.length === 0 ? 0 : 1;
