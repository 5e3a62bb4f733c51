/** Requests with an Idempotency-Key, one for each operation that takes it (D10). */
import { expect } from 'vitest';
import type { Answer, TestSandbox } from './harness.ts';
import { type Owner, openOwner } from './transfers.ts';

/** Two keys. */
export const key = '3f1c2b7e-8a54-4c0d-9e21-5b6f7a8c9d01';
export const otherKey = '3f1c2b7e-8a54-4c0d-9e21-5b6f7a8c9d02';

/** A request that its operation takes, once. */
export interface Plan {
  readonly path: string;
  readonly body?: object;
  /** The same request with another sum. */
  readonly otherBody?: object;
}

const quoteBody = (owner: Owner, amount: number): object => ({
  source: { sourceType: 'ACCOUNT', accountId: owner.internalId },
  destination: { destinationType: 'ACCOUNT', accountId: owner.externalId },
  lockedCurrencySide: 'SENDING',
  lockedCurrencyAmount: amount,
});
const transferBody = (source: string, destination: string, amount: number): object => ({
  source: { accountId: source },
  destination: { accountId: destination },
  amount,
});

/** For each operation that takes a key, a request of it; the one whose quote is executed makes the quote first. */
export const plans: Readonly<Record<string, (owner: Owner, amount?: number) => Promise<Plan>>> = {
  createQuote: async (owner, amount = 2500) => ({
    path: '/quotes',
    body: quoteBody(owner, amount),
    otherBody: quoteBody(owner, amount + 1),
  }),
  executeQuote: async (owner, amount = 2500) => {
    const { body } = await owner.sandbox.send('POST', '/quotes', { body: quoteBody(owner, amount) });
    return { path: `/quotes/${body.id}/execute` };
  },
  createTransferIn: async (owner, amount = 2500) => ({
    path: '/transfer-in',
    body: transferBody(owner.externalId, owner.internalId, amount),
    otherBody: transferBody(owner.externalId, owner.internalId, amount + 1),
  }),
  createTransferOut: async (owner, amount = 2500) => ({
    path: '/transfer-out',
    body: transferBody(owner.internalId, owner.externalId, amount),
    otherBody: transferBody(owner.internalId, owner.externalId, amount + 1),
  }),
};
/** The operations that take a key. */
export const names = Object.keys(plans);

/** Sends a request with a key. */
export function post(sandbox: TestSandbox, { path, body }: Plan, idempotencyKey: string, authorization?: string) {
  const headers = { 'Idempotency-Key': idempotencyKey };
  return sandbox.send('POST', path, { body, headers, ...(authorization === undefined ? {} : { authorization }) });
}

/** An owner, and a request that is ready to be sent. */
export async function prepare(name: string, suffix = '000') {
  const owner = await openOwner(suffix);
  const plan = (await plans[name]?.(owner)) as Plan;
  return { owner, sandbox: owner.sandbox, plan };
}

/** Whether an answer says that it was given before. */
export const isReplay = ({ headers }: Answer): boolean => headers.get('idempotency-replayed') === 'true';

/** The second answer is the first one, and says that it is. */
export function expectReplay(answer: Answer, first: Answer): void {
  expect([answer.status, answer.body]).toEqual([first.status, first.body]);
  expect([first.headers.get('idempotency-replayed'), isReplay(answer)]).toEqual([null, true]);
}
