/** Agents from the platform's side: made, listed, answered; and what a sandbox has kept and logged of them. */
import { expect } from 'vitest';
import type { Agent, AgentDeviceCode } from '../../../generated/types.ts';
import type { Store } from '../../../mocks/sandbox/store/store.ts';
import { everyTable, openStore } from '../sandbox/database.ts';
import { type Answer, openSandbox, type TestSandbox } from '../sandbox/harness.ts';
import { everyPermission, openAgentStage, widePolicy } from './agents.ts';
import { fromAccount, toAccount } from './payments.ts';

/** With this every action waits for the platform. */
export const askFirst = { defaultExecutionMode: 'APPROVAL_REQUIRED' };

/** Asks for an agent; `change` replaces fields of the request. */
export function askForAgent(sandbox: TestSandbox, customerId: string, change: object = {}): Promise<Answer> {
  return sandbox.send('POST', '/agents', { body: { name: 'Bill payer', customerId, policy: widePolicy, ...change } });
}

/** Makes an agent, which must be possible, and connects nothing to it. */
export async function makeAgent(
  sandbox: TestSandbox,
  customerId: string,
  change: object = {},
): Promise<{ agent: Agent; deviceCode: AgentDeviceCode }> {
  const answer = await askForAgent(sandbox, customerId, change);
  expect([answer.status, answer.body]).toEqual([201, expect.anything()]);
  return answer.body;
}

/** A policy with everything in it, in which each account has a rule. */
export function fullPolicy(accountId: string, bankId: string) {
  return {
    permissions: everyPermission,
    defaultExecutionMode: 'AUTO',
    spendingLimits: {
      currency: 'USD',
      perTransactionLimit: 50_000,
      dailyLimit: 100_000,
      dailyTransactionLimit: 10,
      monthlyLimit: 1_000_000,
    },
    accountRestrictions: {
      allowedAccountIds: [accountId],
      accountRules: [
        { accountId, executionMode: 'APPROVAL_REQUIRED', perTransactionLimit: 20_000 },
        { accountId: bankId, executionMode: 'AUTO' },
      ],
    },
    approvalThresholds: { currency: 'EUR', amount: 10_000 },
  };
}

/** The same value with another one at a JSON pointer; undefined takes the field away. */
export function withValue(whole: object, pointer: string, value: unknown): object {
  const copy = structuredClone(whole);
  const names = pointer.split('/').slice(1);
  const last = names.pop() ?? '';
  // biome-ignore lint/suspicious/noExplicitAny: a walk through a value of any form
  const holder = names.reduce<any>((part, name) => part[name], copy);
  if (value === undefined) delete holder[last];
  else holder[last] = value;
  return copy;
}

/** An access token was refused as one that is known no longer. */
export function expectTokenRefused({ status, headers, body }: Answer): void {
  expect([status, body]).toMatchObject([401, { status: 401, code: 'UNAUTHORIZED' }]);
  expect(headers.get('www-authenticate')).toBe('Bearer realm="Countersign", error="invalid_token"');
}

/** Asks who the bearer of an access token is. */
export function whoAmI(sandbox: TestSandbox, accessToken: string): Promise<Answer> {
  return sandbox.send('GET', '/agents/me', { authorization: `Bearer ${accessToken}` });
}

/** The ids that a list of agents or approvals finds, all of them as far as a test goes. */
export async function idsOf(sandbox: TestSandbox, path: string): Promise<string[]> {
  const { status, body } = await sandbox.send('GET', `${path}${path.includes('?') ? '&' : '?'}limit=100`);
  expect([path, status, body?.totalCount]).toEqual([path, 200, body?.data?.length]);
  return body.data.map(({ id }: { id: string }) => id);
}

/** A customer with an agent whose transfer of 2500 cents waits for approval. */
export async function openWaiting(policy: object = askFirst, suffix = '777', given?: TestSandbox) {
  const sandbox = given ?? (await openSandbox());
  const stage = await openAgentStage(sandbox, policy, suffix);
  const action = await stage.act(2500);
  expect(action.status).toBe('PENDING_APPROVAL');
  return { sandbox, ...stage, action };
}
export type Waiting = Awaited<ReturnType<typeof openWaiting>>;

/** The same of a quote of 2500 cents, whose execution waits. */
export async function openWaitingQuote() {
  const sandbox = await openSandbox();
  const stage = await openAgentStage(sandbox, askFirst);
  const sides = { source: fromAccount(stage.accountId), destination: toAccount(stage.bankId) };
  const body = { ...sides, lockedCurrencySide: 'SENDING', lockedCurrencyAmount: 2500 };
  const quote = (await stage.agent.send('POST', '/quotes', { body })).body;
  const action = (await stage.agent.send('POST', `/quotes/${quote.id}/execute`)).body;
  expect(action).toMatchObject({ status: 'PENDING_APPROVAL', quote: { status: 'PENDING' } });
  return { sandbox, ...stage, quote, action };
}

/** A sandbox whose store can be looked into: `kept` is all that it and the log hold, as text. */
export async function openTransparent(): Promise<{ sandbox: TestSandbox; kept(): Promise<string> }> {
  const store = await openStore();
  const sandbox = await openSandbox({ store });
  return { sandbox, kept: async () => (await dump(store)) + JSON.stringify(sandbox.log) };
}

function dump(store: Store): Promise<string> {
  return store.read(async (reader) => {
    const rows = [];
    for (const name of everyTable) {
      rows.push((await reader.execute({ sql: `select * from "${name}"`, parameters: [] })).rows);
    }
    return JSON.stringify(rows, (_key, value) => (typeof value === 'bigint' ? String(value) : value));
  });
}
