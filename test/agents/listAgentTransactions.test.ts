/**
 * Promise: an agent with VIEW_TRANSACTIONS sees every transaction of its customer once, no matter who started it, in
 * the requested order and with the requested filters, and no others (D07, D74, D79).
 */
import { describe, expect, test } from 'vitest';
import type { Transaction } from '../../generated/types.ts';
import { expectRefusal, faultPlaces } from '../support/expect/apiError.ts';
import { testList } from '../support/requests/lists.ts';
import { openSandbox } from '../support/sandbox/harness.ts';
import {
  mustExecuteAs,
  mustQuoteAs,
  openAgentList,
  openStranger,
  ownAccounts,
  strangers,
  testAgentOperation,
  transferBody,
  transferInAs,
} from '../support/scenes/agentOperations.ts';
import { openAgent, openAgentStage, type TestAgent } from '../support/scenes/agents.ts';
import { payIn } from '../support/scenes/payments.ts';
import { listTransactions } from '../support/scenes/transfers.ts';

const path = '/transactions';
testAgentOperation('listAgentTransactions', () => ({ path }));

testList({
  path: '/agents/me/transactions',
  none: 'status=REFUNDED',
  some: 'type=OUTGOING',
  wide: 'status=COMPLETED',
  add: async (sandbox) => {
    const body = transferBody(...(await ownAccounts(sandbox)), 1);
    expect((await sandbox.send('POST', '/agents/me/transfer-out', { body })).status).toBe(201);
  },
  addOther: async (sandbox) => {
    const [accountId, bankId] = await ownAccounts(sandbox);
    const body = transferBody(bankId, accountId, 1);
    expect((await sandbox.send('POST', '/agents/me/transfer-in', { body })).status).toBe(201);
  },
  otherPath: '/customers',
  open: openAgentList,
});

async function find(agent: TestAgent, query = ''): Promise<Transaction[]> {
  const { status, body } = await agent.send('GET', `${path}?limit=100&${query}`);
  expect([query, status, body?.totalCount]).toEqual([query, 200, body?.data?.length]);
  return body.data;
}

/**
 * Transactions of every kind, one second apart, started by the agent, another agent, the platform and from outside.
 * PENDING ones stay PENDING.
 */
async function openHistory() {
  const sandbox = await openSandbox();
  for (const whose of strangers) await openStranger(sandbox, whose);
  const stage = await openAgentStage(sandbox, {}, '005');
  const { agent, accountId, bankId, customerId } = stage;
  const sibling = await openAgent(sandbox, customerId);
  const body = transferBody(accountId, bankId, 30);
  const steps: (() => Promise<unknown>)[] = [
    () => stage.act(10),
    () => transferInAs(stage, 20),
    () => sibling.send('POST', '/transfer-out', { body }),
    () => sandbox.send('POST', '/transfer-out', { body }),
    () => payIn(sandbox, customerId, 'USD', 42),
    async () => mustExecuteAs(agent, await mustQuoteAs(stage)),
    () => mustQuoteAs(stage),
  ];
  for (const step of steps) {
    await sandbox.advance(1);
    await step();
  }
  return { sandbox, stage, sibling, all: await find(agent) };
}

test("they are the platform's view of the customer, and tell which agent started them", async () => {
  const { sandbox, stage, sibling, all } = await openHistory();
  const { agent, customerId } = stage;
  expect(all).toEqual(await listTransactions(sandbox, `customerId=${customerId}`));
  expect(all.map(({ type, status }) => `${type} ${status}`)).toEqual([
    'OUTGOING PENDING',
    'OUTGOING COMPLETED',
    'INCOMING COMPLETED',
    'OUTGOING PENDING',
    'OUTGOING PENDING',
    'INCOMING PENDING',
    'OUTGOING PENDING',
    'INCOMING COMPLETED',
  ]);
  const [me, other] = [agent.id, sibling.id];
  expect(all.map(({ agentId }) => agentId)).toEqual([me, me, undefined, undefined, other, me, me, undefined]);
  expect(await find(sibling)).toEqual(all);
});

describe('filters', () => {
  test('each narrows the list as it says, and so does each pair of them', async () => {
    const { stage, all } = await openHistory();
    const { agent, accountId, bankId } = stage;
    const idOf = (side: Transaction['source'] | Transaction['destination']) =>
      'accountId' in side ? side.accountId : undefined;
    const [middle] = all.slice(3);
    const { reference } = middle?.reconciliationInstructions ?? {};
    const moment = middle?.createdAt ?? '';
    const rows: [query: string, matches: (one: Transaction) => boolean][] = [
      [`accountIdentifier=${bankId}`, ({ source, destination }) => [idOf(source), idOf(destination)].includes(bankId)],
      [`senderAccountIdentifier=${accountId}`, ({ source }) => idOf(source) === accountId],
      ['senderAccountIdentifier=$SUCCESS.usd@pay.example', ({ source }) => source.sourceType === 'UMA_ADDRESS'],
      [`receiverAccountIdentifier=${accountId}`, ({ destination }) => idOf(destination) === accountId],
      ['status=PENDING', ({ status }) => status === 'PENDING'],
      ['type=INCOMING', ({ type }) => type === 'INCOMING'],
      [`reference=${reference}`, (one) => one.reconciliationInstructions?.reference === reference],
      [`startDate=${moment}`, ({ createdAt = '' }) => createdAt >= moment],
      [`endDate=${moment}`, ({ createdAt = '' }) => createdAt <= moment],
    ];
    for (const [query, matches] of rows) {
      const found = all.filter(matches);
      expect([query, await find(agent, query), found.length > 0]).toEqual([query, found, true]);
      for (const [other, alsoMatches] of rows) {
        if (other.split('=')[0] === query.split('=')[0]) continue;
        const both = `${query}&${other}`;
        expect([both, await find(agent, both)]).toEqual([both, found.filter(alsoMatches)]);
      }
    }
  });

  test('sortOrder reverses the list', async () => {
    const { stage, all } = await openHistory();
    expect(await find(stage.agent, 'sortOrder=asc')).toEqual(all.toReversed());
    expect(await find(stage.agent, 'sortOrder=desc&type=INCOMING')).toEqual(
      all.filter(({ type }) => type === 'INCOMING'),
    );
  });

  test("another customer's account finds nothing", async () => {
    const { sandbox, stage } = await openHistory();
    const { accountId, agent } = await openAgentStage(sandbox);
    expect(await find(stage.agent, `accountIdentifier=${accountId}`)).toEqual([]);
    expect(await find(agent, `accountIdentifier=${accountId}`)).toHaveLength(1);
  });

  test.each([
    'customerId=Customer:none',
    'platformCustomerId=ada',
    'status=DONE',
    'type=SIDEWAYS',
    'sortOrder=up',
    'startDate=yesterday',
    'endDate=2025-02-30T00:00:00Z',
    'reference=',
    'accountIdentifier=',
  ])('%s is 400 at its place', async (query) => {
    const { agent } = await openAgentStage(await openSandbox());
    const refused = expectRefusal(await agent.send('GET', `${path}?${query}`), 400, 'INVALID_INPUT');
    expect(faultPlaces(refused)).toEqual([`query /${query.split('=')[0]}`]);
  });
});
