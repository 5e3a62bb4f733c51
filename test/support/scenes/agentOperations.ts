/**
 * Tests that all of an agent's operations need, called from each operation's test file, and helpers for those tests.
 */
import { describe, expect, test } from 'vitest';
import { type OperationId, operations } from '../../../generated/operations.ts';
import type { AgentAction, Quote } from '../../../generated/types.ts';
import { expectRefusal, faultPlaces } from '../expect/apiError.ts';
import { type Answer, basic, openSandbox, type SendOptions, type TestSandbox } from '../sandbox/harness.ts';
import { openPlatform } from '../sandbox/platforms.ts';
import { type AgentStage, everyPermission, openAgentStage, type TestAgent } from './agents.ts';
import { deleteCustomer } from './businesses.ts';
import { mustAdd, usdRequest } from './externalAccounts.ts';
import { moneyState } from './transfers.ts';

/** A request of an agent's operation that succeeds on the stage; `path` is relative to `/agents/me`. */
export interface AgentRequest {
  readonly path: string;
  readonly options?: SendOptions;
}

const asksWhetherPaused: readonly OperationId[] = [
  'createAgentQuote',
  'executeAgentQuote',
  'createAgentTransferIn',
  'createAgentTransferOut',
];

const realm = 'Bearer realm="Countersign"';
export const unknownToken = `agent_${'0'.repeat(64)}`;

/**
 * Adds tests to the file that calls it: 401 without an agent's token, 400 for an unknown query parameter, 403 with
 * every permission except the required one, and the effect of a pause and of the customer's deletion (D32, D79).
 */
export function testAgentOperation(
  operationId: OperationId,
  prepare: (stage: AgentStage, sandbox: TestSandbox) => Promise<AgentRequest> | AgentRequest,
): void {
  const { method, agentPermission } = operations.find(({ id }) => id === operationId) ?? {};
  if (method === undefined) throw new Error(`No operation ${operationId}`);
  const open = async () => {
    const sandbox = await openSandbox();
    const stage = await openAgentStage(sandbox);
    const { path, options } = await prepare(stage, sandbox);
    const send = (more: SendOptions = {}, query = '') =>
      stage.agent.send(method, path + query, { ...options, ...more });
    return { sandbox, stage, send };
  };

  describe('what every operation of an agent does', () => {
    test.each([
      ['no credentials', null, realm],
      ["a platform's credentials", basic('sandbox', 'sandbox'), realm],
      ['a scheme without a token', 'Bearer', realm],
      ['an unknown token', `Bearer ${unknownToken}`, `${realm}, error="invalid_token"`],
    ])('%s: 401', async (_name, authorization, challenge) => {
      const { sandbox, send } = await open();
      const before = await moneyState(sandbox);
      const answer = await send({ authorization });
      expectRefusal(answer, 401, 'UNAUTHORIZED');
      expect(answer.headers.get('www-authenticate')).toBe(challenge);
      expect(await moneyState(sandbox)).toEqual(before);
    });

    test('an unknown query parameter: 400', async () => {
      const { send } = await open();
      const refused = expectRefusal(await send({}, '?surprise=1'), 400, 'INVALID_INPUT');
      expect(faultPlaces(refused)).toContain('query /surprise');
    });

    test(agentPermission === null ? 'needs no permission' : `without ${agentPermission}: 403`, async () => {
      const { sandbox, stage, send } = await open();
      const permissions = everyPermission.filter((one) => agentPermission !== null && one !== agentPermission);
      await stage.agent.changePolicy({ permissions });
      const before = await moneyState(sandbox);
      const answer = await send();
      if (agentPermission === null) expect(answer.status).toBe(200);
      else expectRefusal(answer, 403, 'FORBIDDEN');
      expect(await moneyState(sandbox)).toEqual(before);
      await stage.agent.changePolicy({ permissions: agentPermission === null ? [] : [agentPermission] });
      expect([200, 201, 204]).toContain((await send()).status);
    });

    test(asksWhetherPaused.includes(operationId) ? 'while paused: 403' : 'works while paused', async () => {
      const { sandbox, stage, send } = await open();
      await stage.agent.pause(true);
      if (asksWhetherPaused.includes(operationId)) {
        const before = await moneyState(sandbox);
        expectRefusal(await send(), 403, 'AGENT_PAUSED');
        expect(await moneyState(sandbox)).toEqual(before);
        await stage.agent.pause(false);
      }
      expect([200, 201, 204]).toContain((await send()).status);
    });

    test(method === 'GET' ? 'reads for a deleted customer' : 'for a deleted customer: 410', async () => {
      const { sandbox, stage, send } = await open();
      await empty(sandbox, stage, await stage.balance());
      await deleteCustomer(sandbox, stage.customerId);
      const before = await moneyState(sandbox);
      const answer = await send();
      if (method === 'GET') expect(answer.status).toBe(200);
      else expectRefusal(answer, 410, 'CUSTOMER_DELETED');
      expect(await moneyState(sandbox)).toEqual(before);
    });
  });
}

/** The platform pays this amount out of the stage's account. */
export async function empty(sandbox: TestSandbox, stage: AgentStage, amount: number): Promise<void> {
  const body = { source: { accountId: stage.accountId }, destination: { accountId: stage.bankId }, amount };
  expect((await sandbox.send('POST', '/transfer-out', { body })).status).toBe(201);
}

/** Someone whose accounts don't belong to the agent's customer. */
export interface Stranger {
  readonly customerId: string;
  readonly accountId: string;
  readonly bankId: string;
}

/** The owners whose accounts an agent can't see (D79). */
export const strangers = ['another customer', 'the platform', 'another platform', 'nobody'] as const;

export async function openStranger(sandbox: TestSandbox, whose: (typeof strangers)[number]): Promise<Stranger> {
  switch (whose) {
    case 'another customer':
      return openAgentStage(sandbox);
    case 'another platform':
      return openAgentStage(await openPlatform(sandbox));
    case 'nobody':
      return { customerId: 'Customer:none', accountId: 'InternalAccount:none', bankId: 'ExternalAccount:none' };
    case 'the platform': {
      const { body } = await sandbox.send('GET', '/platform/internal-accounts');
      const bank = await mustAdd(sandbox, usdRequest('999777'));
      return { customerId: 'Customer:none', accountId: body.data[0].id, bankId: bank.id };
    }
  }
}

/** Quotes 2500 cents from the stage's account to its bank account, unless `change` differs. */
export function quoteAs(stage: AgentStage, change: object = {}, options: SendOptions = {}): Promise<Answer> {
  return stage.agent.send('POST', '/quotes', { body: agentQuote(stage, change), ...options });
}

/** The body of {@link quoteAs}. */
export function agentQuote({ accountId, bankId }: Pick<AgentStage, 'accountId' | 'bankId'>, change: object = {}) {
  return {
    source: { sourceType: 'ACCOUNT', accountId },
    destination: { destinationType: 'ACCOUNT', accountId: bankId },
    lockedCurrencySide: 'SENDING',
    lockedCurrencyAmount: 2500,
    ...change,
  };
}

/** The same; the request must succeed. */
export async function mustQuoteAs(stage: AgentStage, change: object = {}): Promise<Quote> {
  const answer = await quoteAs(stage, change);
  expect([answer.status, answer.body]).toEqual([201, expect.anything()]);
  return answer.body;
}

/** The agent executes a quote. Returns the answer unchecked. */
export function executeAs(agent: TestAgent, quote: { readonly id: string }, options: SendOptions = {}) {
  return agent.send('POST', `/quotes/${quote.id}/execute`, options);
}

/** The same; the request must succeed. */
export async function mustExecuteAs(agent: TestAgent, quote: { readonly id: string }, options: SendOptions = {}) {
  const answer = await executeAs(agent, quote, options);
  expect([answer.status, answer.body]).toEqual([200, expect.anything()]);
  return answer.body as Extract<AgentAction, { type: 'EXECUTE_QUOTE' }>;
}

/** A transfer's body. */
export function transferBody(source: string, destination: string, amount: unknown = 2500, rail?: string) {
  const paymentRail = rail === undefined ? {} : { paymentRail: rail };
  return { source: { accountId: source }, destination: { accountId: destination, ...paymentRail }, amount };
}

/** The agent collects money from the stage's bank account. Returns the answer unchecked. */
export function transferInAs(stage: AgentStage, amount = 2500, options: SendOptions = {}): Promise<Answer> {
  const body = transferBody(stage.bankId, stage.accountId, amount);
  return stage.agent.send('POST', '/transfer-in', { body, ...options });
}

/** The agent's actions, newest first, as the agent reads them. */
export async function actionsOf(agent: TestAgent, query = ''): Promise<AgentAction[]> {
  const { status, body } = await agent.send('GET', `/actions?limit=100&${query}`);
  expect([query, status, body?.totalCount]).toEqual([query, 200, body?.data?.length]);
  return body.data;
}

export async function readAction(agent: TestAgent, { id }: { readonly id: string }): Promise<AgentAction> {
  const { status, body } = await agent.send('GET', `/actions/${id}`);
  expect([status, body]).toEqual([200, expect.anything()]);
  return body;
}

/** The agent's usage today: the number of actions and the moved amount. */
export async function used(agent: TestAgent): Promise<[count: number, spend: number]> {
  const { usage } = await agent.look();
  return [usage.dailyTransactionCount, usage.dailySpend];
}

/** Money, actions and usage, which must be the same after a refused request. */
export async function agentState(sandbox: TestSandbox, { agent }: AgentStage): Promise<unknown> {
  return { money: await moneyState(sandbox), actions: await actionsOf(agent), agent: await agent.look() };
}

/** A sandbox that sends an agent's token to the agent's own operations, for the tests that every list needs. */
export async function openAgentList(policy: object = {}): Promise<TestSandbox> {
  const sandbox = await openSandbox();
  const { accessToken } = (await openAgentStage(sandbox, policy)).agent;
  const authorization = `Bearer ${accessToken}`;
  return {
    ...sandbox,
    send: (method, path, options = {}) =>
      sandbox.send(method, path, path.startsWith('/agents/me') ? { authorization, ...options } : options),
  };
}

/** The account and the bank account of {@link openAgentList}'s stage, as its agent reads them. */
export async function ownAccounts(sandbox: TestSandbox): Promise<[accountId: string, bankId: string]> {
  const idOf = async (path: string): Promise<string> =>
    (await sandbox.send('GET', `/agents/me/${path}-accounts?currency=USD`)).body.data[0].id;
  return [await idOf('internal'), await idOf('external')];
}
