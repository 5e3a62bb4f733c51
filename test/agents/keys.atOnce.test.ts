/**
 * Promise: if an agent sends a request many times at once with one Idempotency-Key, it makes one action that counts
 * once, on every engine (D10, D82). In a separate file, because files that send twenty requests at once also run on
 * PostgreSQL.
 */
import { describe, expect, test } from 'vitest';
import { isReplay } from '../support/requests/idempotency.ts';
import { names, openKeyed } from '../support/scenes/agentKeys.ts';
import { actionsOf, used } from '../support/scenes/agentOperations.ts';
import { expectSound, listTransactions } from '../support/scenes/transfers.ts';

describe.each(names)('%s', (name) => {
  test('case 80: of fifty at once, one acts and counts, and all get the same answer', async () => {
    const { sandbox, stage, agent, send, paid } = await openKeyed(name);
    const answers = await Promise.all(Array.from({ length: 50 }, () => send()));
    expect(answers.filter((answer) => !isReplay(answer))).toHaveLength(1);
    const [first] = answers;
    for (const { status, body } of answers) expect([status, body]).toEqual([first?.status, first?.body]);
    expect([await actionsOf(agent), await used(agent)]).toEqual([[first?.body], [1, 2500]]);
    // The payment that funded the customer, and one more.
    expect(await listTransactions(sandbox, `customerId=${stage.customerId}`)).toHaveLength(2);
    expect(await stage.balance()).toBe(paid);
    await expectSound(sandbox);
  });

  test('case 80: of fifty that wait, one waits, and is approved once', async () => {
    const { stage, agent, send, paid } = await openKeyed(name, { defaultExecutionMode: 'APPROVAL_REQUIRED' });
    const answers = await Promise.all(Array.from({ length: 50 }, () => send()));
    const [action, ...more] = await actionsOf(agent);
    expect([action?.status, more]).toEqual(['PENDING_APPROVAL', []]);
    for (const { body } of answers) expect(body).toEqual(action);
    const verdicts = await Promise.all(answers.slice(0, 9).map(({ body }) => stage.answer(body, 'approve')));
    expect(verdicts.map(({ status }) => status).sort()).toEqual([200, ...Array(8).fill(409)]);
    expect([await stage.balance(), await used(agent)]).toEqual([paid, [1, 2500]]);
  });
});
