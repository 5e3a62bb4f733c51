/**
 * Promise: simultaneous requests share a commit. If one fails halfway, the others are carried out again and still
 * happen once, including due events, keys, and the refusals that a key keeps.
 */
import { expect, test } from 'vitest';
import { operation } from '../../mocks/sandbox/domains/operation.ts';
import { handlers } from '../../mocks/sandbox/registry/handlers.ts';
import { Problem } from '../../mocks/sandbox/tools/problem.ts';
import { key, otherKey } from '../support/requests/idempotency.ts';
import { engine } from '../support/sandbox/database.ts';
import { type Answer, openSandbox, startOfTime } from '../support/sandbox/harness.ts';
import { expectSound, listTransactions, openOwner, quote } from '../support/scenes/transfers.ts';

/** A transfer of this amount is refused after all of it was written. */
const cursed = 13;

test('one request fails half-way; what fell due, a key and a kept refusal happen once beside it', async () => {
  let now = startOfTime;
  let carriedOut = 0;
  const createTransferOut = operation('createTransferOut', {
    async handle(call, unit, prepared) {
      carriedOut += 1;
      const reply = await handlers.createTransferOut.handle(call, unit, prepared);
      if (call.body.amount === cursed) throw new Problem('INSUFFICIENT_FUNDS', 'after all');
      return reply;
    },
  });
  const sandbox = await openSandbox({
    clock: { now: () => now },
    handlers: { ...handlers, createTransferOut },
  });
  const owner = await openOwner('000', {}, sandbox);
  const { id: quoteId, expiresAt } = await quote(owner);
  const before = (await listTransactions(sandbox)).length;
  now = Date.parse(expiresAt);
  const pay = (amount: number, idempotencyKey?: string): Promise<Answer> =>
    sandbox.send('POST', '/transfer-out', {
      body: { source: { accountId: owner.internalId }, destination: { accountId: owner.externalId }, amount },
      headers: idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey },
    });
  const answers = await Promise.all([
    pay(100),
    pay(200, key),
    pay(cursed),
    pay(cursed, otherKey),
    pay(200, key),
    pay(cursed),
    pay(cursed, otherKey),
    pay(300),
  ]);
  const replayed = (answer: Answer | undefined) => answer?.headers.get('idempotency-replayed') ?? 'new';
  const refused = answers.filter(({ status }) => status !== 201);
  expect(refused.map(({ body }) => body.code)).toEqual(Array(4).fill('INSUFFICIENT_FUNDS'));
  expect([answers[1], answers[4]].map(replayed).sort()).toEqual(['new', 'true']);
  expect(answers[4]?.body.id).toBe(answers[1]?.body.id);
  expect([answers[3], answers[6]].map(replayed).sort()).toEqual(['new', 'true']);
  // The two replays do no work. On SQLite the six share a transaction, and those before the first failure run twice.
  if (engine() === 'SQLite') expect(carriedOut).toBeGreaterThan(6);
  const made = (await listTransactions(sandbox)).slice(0, -before);
  expect(made.map((one) => ('sentAmount' in one ? one.sentAmount.amount : undefined)).sort()).toEqual([100, 200, 300]);
  expect(await owner.balance()).toBe(100_000 - 600);
  expect((await sandbox.send('GET', `/quotes/${quoteId}`)).body.status).toBe('EXPIRED');
  await expectSound(sandbox);
});
