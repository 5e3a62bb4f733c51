/**
 * Promise: simultaneous transfers out never spend more than the balance, on every engine. In a separate file, because
 * files that send twenty requests at once also run on PostgreSQL.
 */
import { expect, test } from 'vitest';
import { expectRefusal } from '../support/expect/apiError.ts';
import { expectSound, openOwner, transferOut } from '../support/scenes/transfers.ts';

test('fifty at once never spend more than there is', async () => {
  const owner = await openOwner();
  const answers = await Promise.all(Array.from({ length: 50 }, () => transferOut(owner, { amount: 3000 })));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(33);
  for (const answer of answers.filter(({ status }) => status !== 201)) {
    expectRefusal(answer, 400, 'INSUFFICIENT_FUNDS');
  }
  expect(await owner.balance()).toBe(1000);
  await expectSound(owner.sandbox);
});
