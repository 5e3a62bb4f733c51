/**
 * `npm run fuzz -- --seed N --cases N --operation id`: runs cases of every operation. Exits with 1 if one breaks the
 * contract.
 */
import { defineCommand } from '../../cli/command/command.ts';
import { WrongUse } from '../../cli/command/exit.ts';
import { runScript } from '../../cli/command/run.ts';
import { type OperationId, operations } from '../../generated/operations.ts';
import { batchSize, describeFailure, fuzz } from './run.ts';
import { describeRule, type WordRule, wordRules } from './words.ts';

export const command = defineCommand({
  name: 'fuzz',
  call: 'npm run fuzz',
  script: 'fuzz',
  does: 'send requests made from the contract, and check each reply',
  about: `
Sends valid and invalid requests, made from the contract's schemas, to a sandbox in process, and compares every answer
with the contract. If an answer breaks it, the request is reduced to the smallest one that still does.`,
  flags: {
    seed: {
      type: 'string',
      value: 'N',
      upTo: 2 ** 31 - 1,
      does: 'repeat the run of this seed (default random, and printed)',
    },
    cases: {
      type: 'string',
      value: 'N',
      upTo: Number.MAX_SAFE_INTEGER,
      default: 2000,
      does: `how many for each operation, rounded up to ${batchSize}s (default 2000)`,
    },
    operation: { type: 'string', value: 'ID', does: 'this operation only' },
    path: {
      type: 'string',
      value: 'P',
      does: 'repeat only the failure with this path; needs its seed and operation',
    },
  },
  examples: [
    ['', 'every operation, with a random seed'],
    ['--operation createQuote --cases 200', 'one operation'],
  ],
  ends: 'Exit codes: 0 no fault found, 1 a reply broke the contract, 2 wrong use, 3 a fault of Countersign.',
  async run({ flags: { seed = Math.floor(Math.random() * 2 ** 31), cases, operation: only, path }, output }) {
    const say = (line: string): void => output.stdout(`${line}\n`);
    const wanted = operations.filter(({ id }) => only === undefined || id === only);
    if (wanted.length === 0) throw new WrongUse(`--operation takes the id of an operation, not "${only}".`);
    say(`seed ${seed}, ${cases} cases each`);
    const seen = new Set<WordRule>();
    const failed: OperationId[] = [];
    for (const operation of wanted) {
      const report = await fuzz(operation, { seed, cases, ...(path === undefined ? {} : { path }) });
      for (const rule of report.rules) seen.add(rule);
      const statuses = Object.entries(report.statuses).map(([status, count]) => `${status}: ${count}`);
      say(`${operation.id} ${report.cases} cases, ${report.valid} valid; ${statuses.join(', ')}`);
      if (report.failure === undefined) continue;
      failed.push(operation.id);
      say(describeFailure(operation, seed, report.failure));
    }
    if (only === undefined) {
      const idle = wordRules.filter((rule) => !seen.has(rule)).map((rule) => `\n  ${describeRule(rule)}`);
      say(`rules in words without a refusal: ${idle.length}${idle.join('')}`);
    }
    say(failed.length === 0 ? 'no fault found' : `faults in ${failed.join(', ')}`);
    return failed.length === 0 ? 0 : 1;
  },
});

if (import.meta.main) await runScript(command);
