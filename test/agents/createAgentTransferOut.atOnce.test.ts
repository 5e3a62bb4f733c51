/**
 * Promise: an agent's simultaneous transfers out never exceed its limits, on every engine (D33). In a separate file,
 * because files that send twenty requests at once also run on PostgreSQL.
 */
import { expect, test } from 'vitest';
import { expectRefusal } from '../support/expect/apiError.ts';
import { openSandbox } from '../support/sandbox/harness.ts';
import { used } from '../support/scenes/agentOperations.ts';
import { openAgentStage } from '../support/scenes/agents.ts';
import { expectSound } from '../support/scenes/transfers.ts';

test('fifty at once never pass a limit', async () => {
  const sandbox = await openSandbox();
  const spendingLimits = { currency: 'USD', perTransactionLimit: 2500, dailyLimit: 10_000 };
  const stage = await openAgentStage(sandbox, { spendingLimits });
  const answers = await Promise.all(Array.from({ length: 50 }, () => stage.transferOut(2500)));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(4);
  for (const answer of answers.filter(({ status }) => status !== 201)) {
    expectRefusal(answer, 403, 'POLICY_VIOLATION');
  }
  expect([await stage.balance(), await used(stage.agent)]).toEqual([90_000, [4, 10_000]]);
  await expectSound(sandbox);
});
