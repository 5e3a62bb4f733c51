/** Requests with an Idempotency-Key, one for each operation that takes it (D10). */
import { expect } from 'vitest';
import type { Answer, TestSandbox } from '../sandbox/harness.ts';
import { openAgent } from '../scenes/agents.ts';
import { type Owner, openOwner } from '../scenes/transfers.ts';

export const key = '3f1c2b7e-8a54-4c0d-9e21-5b6f7a8c9d01';
export const otherKey = '3f1c2b7e-8a54-4c0d-9e21-5b6f7a8c9d02';

/** A request of an operation, sent once. */
export interface Plan {
  readonly path: string;
  readonly body?: object;
  /** The same request with another amount. */
  readonly otherBody?: object;
  /** The platform's credentials if absent. */
  readonly authorization?: string;
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

/** A request for each operation that takes a key. If it executes a quote, it creates the quote first. */
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
/** The platform's operations that take a key. */
export const names = Object.keys(plans);

/** The same for the agents' operations, as a new agent of the owner. */
export const agentPlans: typeof plans = {
  createAgentQuote: async (owner, amount) => asAgent(owner, await plans['createQuote']?.(owner, amount)),
  executeAgentQuote: async (owner, amount = 2500) => {
    const agent = await openAgent(owner.sandbox, owner.customerId);
    const { body } = await agent.send('POST', '/quotes', { body: quoteBody(owner, amount) });
    return { path: `/agents/me/quotes/${body.id}/execute`, authorization: `Bearer ${agent.accessToken}` };
  },
  createAgentTransferIn: async (owner, amount) => asAgent(owner, await plans['createTransferIn']?.(owner, amount)),
  createAgentTransferOut: async (owner, amount) => asAgent(owner, await plans['createTransferOut']?.(owner, amount)),
};
/** The agents' operations that take a key. */
export const agentNames = Object.keys(agentPlans);

async function asAgent(owner: Owner, plan: Plan | undefined): Promise<Plan> {
  const { accessToken } = await openAgent(owner.sandbox, owner.customerId);
  return { ...plan, path: `/agents/me${plan?.path}`, authorization: `Bearer ${accessToken}` };
}

/** Sends a request with a key. */
export function post(sandbox: TestSandbox, plan: Plan, idempotencyKey: string, authorization = plan.authorization) {
  const { path, body } = plan;
  const headers = { 'Idempotency-Key': idempotencyKey };
  return sandbox.send('POST', path, { body, headers, ...(authorization === undefined ? {} : { authorization }) });
}

/** An owner, and a prepared request. */
export async function prepare(name: string, suffix = '000') {
  const owner = await openOwner(suffix);
  const plan = (await { ...plans, ...agentPlans }[name]?.(owner)) as Plan;
  return { owner, sandbox: owner.sandbox, plan };
}

/** Whether an answer says that it repeats an earlier one. */
export const isReplay = ({ headers }: Answer): boolean => headers.get('idempotency-replayed') === 'true';

/** Expects the first answer again, marked as a replay. */
export function expectReplay(answer: Answer, first: Answer): void {
  expect([answer.status, answer.body]).toEqual([first.status, first.body]);
  expect([first.headers.get('idempotency-replayed'), isReplay(answer)]).toEqual([null, true]);
}
