/** The platform's side of agents: creates, lists and answers them, and reads what a sandbox stored and logged. */
import { expect } from 'vitest';
import type { Agent, AgentDeviceCode } from '../../../generated/types.ts';
import type { Store } from '../../../mocks/sandbox/store/store.ts';
import { everyTable, openStore } from '../sandbox/database.ts';
import { type Answer, openSandbox, type TestSandbox } from '../sandbox/harness.ts';
import { everyPermission, openAgentStage, widePolicy } from './agents.ts';
import { fromAccount, toAccount } from './payments.ts';

/** With this policy every action waits for the platform's approval. */
export const askFirst = { defaultExecutionMode: 'APPROVAL_REQUIRED' };

/** Creates an agent; `change` replaces fields of the request. */
export function askForAgent(sandbox: TestSandbox, customerId: string, change: object = {}): Promise<Answer> {
  return sandbox.send('POST', '/agents', { body: { name: 'Bill payer', customerId, policy: widePolicy, ...change } });
}

/** Creates an agent without connecting it. The request must succeed. */
export async function makeAgent(
  sandbox: TestSandbox,
  customerId: string,
  change: object = {},
): Promise<{ agent: Agent; deviceCode: AgentDeviceCode }> {
  const answer = await askForAgent(sandbox, customerId, change);
  expect([answer.status, answer.body]).toEqual([201, expect.anything()]);
  return answer.body;
}

/** A policy that uses every field, with a rule for each account. */
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

/** A copy with another value at a JSON pointer; undefined removes the field. */
export function withValue(whole: object, pointer: string, value: unknown): object {
  const copy = structuredClone(whole);
  const names = pointer.split('/').slice(1);
  const last = names.pop() ?? '';
  // biome-ignore lint/suspicious/noExplicitAny: it walks through any value
  const holder = names.reduce<any>((part, name) => part[name], copy);
  if (value === undefined) delete holder[last];
  else holder[last] = value;
  return copy;
}

/** Expects that an access token was refused because it isn't valid any more. */
export function expectTokenRefused({ status, headers, body }: Answer): void {
  expect([status, body]).toMatchObject([401, { status: 401, code: 'UNAUTHORIZED' }]);
  expect(headers.get('www-authenticate')).toBe('Bearer realm="Countersign", error="invalid_token"');
}

/** Reads the agent of an access token. */
export function whoAmI(sandbox: TestSandbox, accessToken: string): Promise<Answer> {
  return sandbox.send('GET', '/agents/me', { authorization: `Bearer ${accessToken}` });
}

/** The ids in a list of agents or approvals. No test has more than one page. */
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

/** The same for a quote of 2500 cents, whose execution waits. */
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

/** A sandbox whose store can be inspected: `kept` returns everything in the store and the log as text. */
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
