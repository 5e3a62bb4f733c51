/**
 * Promise: the platform sees exactly the actions that wait for approval, of all agents or of the requested ones, in the
 * requested order. An action that was answered or has failed leaves the list and its count (D07, D33).
 */
import { describe, expect, test } from 'vitest';
import { expectRefusal, faultPlaces } from '../support/expect/apiError.ts';
import { testList } from '../support/requests/lists.ts';
import { testCommonRefusals } from '../support/requests/refusals.ts';
import { openStore } from '../support/sandbox/database.ts';
import { openSandbox, type TestSandbox } from '../support/sandbox/harness.ts';
import { openPlatform } from '../support/sandbox/platforms.ts';
import { openAgent, openAgentStage, redeem } from '../support/scenes/agents.ts';
import { fromAccount, nobody, openBooks, toAccount } from '../support/scenes/payments.ts';
import { askFirst, idsOf, openWaiting } from '../support/scenes/platformAgents.ts';

const path = '/agents/approvals';

testCommonRefusals('listAgentApprovals', path);

// The ready-made agent has the same id in every sandbox of the harness, because they are seeded.
const ready = await (async () => {
  const store = await openStore();
  const [agent] = (await (await openSandbox({ store })).send('GET', '/agents')).body.data;
  await store.close();
  return agent;
})();

/** An agent for each sandbox, and a function that makes it request a payment. */
const stages = new WeakMap<TestSandbox, Promise<(amount: number) => Promise<unknown>>>();
const readyPays = async (sandbox: TestSandbox) => {
  const authorization = `Bearer ${await redeem(sandbox, 'AGENT-DEMO-2025')}`;
  const idOf = async (kind: string) =>
    (await sandbox.send('GET', `/agents/me/${kind}-accounts?currency=USD`, { authorization })).body.data[0].id;
  const [source, destination] = [{ accountId: await idOf('internal') }, { accountId: await idOf('external') }];
  return async (amount: number) => {
    const body = { source, destination, amount };
    const answer = await sandbox.send('POST', '/agents/me/transfer-out', { authorization, body });
    expect(answer.body).toMatchObject({ status: 'PENDING_APPROVAL' });
  };
};
const others = new WeakMap<TestSandbox, ReturnType<typeof openAgentStage>>();
const once = <T>(kept: WeakMap<TestSandbox, Promise<T>>, sandbox: TestSandbox, make: () => Promise<T>): Promise<T> => {
  const found = kept.get(sandbox) ?? make();
  kept.set(sandbox, found);
  return found;
};

testList({
  path,
  none: 'agentId=Agent:none',
  some: `agentId=${ready.id}`,
  wide: `customerId=${ready.customerId}`,
  add: async (sandbox) => void (await (await once(stages, sandbox, () => readyPays(sandbox)))(20_000)),
  addOther: async (sandbox) =>
    void (await (await once(others, sandbox, () => openAgentStage(sandbox, askFirst))).act(100)),
  otherPath: '/customers',
});

test('an action is shown as the agent that asked for it sees it', async () => {
  const { sandbox, agent, action } = await openWaiting();
  const { status, body } = await sandbox.send('GET', path);
  expect([status, body]).toEqual([200, { data: [action], hasMore: false, totalCount: 1 }]);
  expect((await agent.send('GET', `/actions/${action.id}`)).body).toEqual(action);
});

describe('filters', () => {
  // Ada has agents a and b, Bob has c. a requests at 9:00, b one millisecond later, c and again a one second after
  // that.
  const open = async () => {
    const sandbox = await openBooks();
    const ada = await openAgentStage(sandbox, askFirst);
    const b = await openAgent(sandbox, ada.customerId, askFirst);
    const bob = await openAgentStage(sandbox, askFirst);
    const a1 = await ada.act(1);
    await sandbox.advance(0.001);
    const body = { source: { accountId: ada.accountId }, destination: { accountId: ada.bankId }, amount: 1 };
    const b1 = (await b.send('POST', '/transfer-out', { body })).body;
    await sandbox.advance(1);
    const c1 = await bob.act(1);
    const a2 = await ada.act(2);
    const ids = { a1: a1.id, a2: a2.id, b1: b1.id, c1: c1.id } as Record<string, string>;
    const names = { A: ada.agent.id, B: b.id, C: bob.agent.id, ADA: ada.customerId, BOB: bob.customerId };
    const find = async (query: string) => {
      const asked = query.replace(/=(A|B|C|ADA|BOB)\b/g, (_all, name: keyof typeof names) => `=${names[name]}`);
      const found = await idsOf(sandbox, `${path}?${asked}`);
      return found.map((id) => Object.keys(ids).find((name) => ids[name] === id));
    };
    return { sandbox, ada, bob, a1, c1, find };
  };

  test.each<[query: string, found: string[]]>([
    ['', ['a2', 'c1', 'b1', 'a1']],
    ['sortOrder=desc', ['a2', 'c1', 'b1', 'a1']],
    ['sortOrder=asc', ['a1', 'b1', 'c1', 'a2']],
    ['agentId=A', ['a2', 'a1']],
    ['agentId=A&sortOrder=asc', ['a1', 'a2']],
    ['agentId=B', ['b1']],
    ['customerId=ADA', ['a2', 'b1', 'a1']],
    ['customerId=BOB', ['c1']],
    ['customerId=ADA&agentId=B', ['b1']],
    ['customerId=BOB&agentId=A', []],
    ['agentId=Agent:none', []],
    ['startDate=2025-10-13T09:00:00.001Z', ['a2', 'c1', 'b1']],
    ['startDate=2025-10-13T09:00:00.002Z', ['a2', 'c1']],
    ['startDate=2025-10-13T09:00:01.002Z', []],
    ['endDate=2025-10-13T09:00:00Z', ['a1']],
    ['endDate=2025-10-13T09:00:00.001Z', ['b1', 'a1']],
    ['startDate=2025-10-13T09:00:00.001Z&endDate=2025-10-13T09:00:00.001Z', ['b1']],
    ['startDate=2025-10-13T11:00:01.001%2B02:00&customerId=ADA&sortOrder=asc', ['a2']],
    ['startDate=2025-10-13T09:00:01Z&endDate=2025-10-13T09:00:00Z', []],
  ])('%s finds %j', async (query, found) => {
    expect(await (await open()).find(query)).toEqual(found);
  });

  test('what is answered drops out of every list and every count', async () => {
    const { ada, bob, a1, c1, find } = await open();
    expect((await ada.answer(a1, 'approve')).body.status).toBe('APPROVED');
    expect((await bob.answer(c1, 'reject')).body.status).toBe('REJECTED');
    expect(await find('')).toEqual(['a2', 'b1']);
    expect(await find('agentId=A')).toEqual(['a2']);
    expect(await find('customerId=ADA&agentId=A')).toEqual(['a2']);
    expect(await find('customerId=ADA&endDate=2025-10-13T09:00:00.001Z')).toEqual(['b1']);
    expect(await find('customerId=BOB')).toEqual([]);
  });

  test.each([
    ['agentId=none', 'agentId'],
    ['agentId=', 'agentId'],
    ['customerId=Agent:none', 'customerId'],
    ['startDate=2025-10-13', 'startDate'],
    ['endDate=2025-10-13T09:00:00', 'endDate'],
    ['sortOrder=ASC', 'sortOrder'],
    ['sortOrder=asc&sortOrder=asc', 'sortOrder'],
    ['status=PENDING_APPROVAL', 'status'],
    ['createdAfter=2025-10-13T09:00:00Z', 'createdAfter'],
  ])('%s is 400 and names the parameter', async (query, name) => {
    const answer = await (await openSandbox()).send('GET', `${path}?${query}`);
    expect(faultPlaces(expectRefusal(answer, 400, 'INVALID_INPUT'))).toEqual([`query /${name}`]);
  });
});

test('of one moment, the oldest first is the newest first backwards; a cursor is good in its own order only', async () => {
  const { sandbox, act } = await openWaiting();
  for (let count = 0; count < 6; count += 1) await act(100);
  const newest = await idsOf(sandbox, path);
  const walked: string[] = [];
  let cursor = '';
  do {
    const { body } = await sandbox.send('GET', `${path}?sortOrder=asc&limit=2${cursor}`);
    expect(body.totalCount).toBe(7);
    walked.push(...body.data.map(({ id }: { id: string }) => id));
    cursor = body.nextCursor === undefined ? '' : `&cursor=${body.nextCursor}`;
    if (cursor !== '') {
      const other = await sandbox.send('GET', `${path}?sortOrder=desc&limit=2${cursor}`);
      expect(faultPlaces(expectRefusal(other, 400, 'INVALID_INPUT'))).toEqual(['query /cursor']);
    }
  } while (cursor !== '');
  expect(walked).toEqual(newest.reverse());
});

test('what is answered between two pages hides nothing that stays, the last one seen included', async () => {
  const { sandbox, act, answer, action } = await openWaiting();
  const made = [action];
  for (let count = 0; count < 5; count += 1) made.unshift(await act(100));
  const first = (await sandbox.send('GET', `${path}?limit=2`)).body;
  for (const at of [0, 1, 3]) await answer(made[at] ?? action, 'reject');
  const { body } = await sandbox.send('GET', `${path}?limit=100&cursor=${first.nextCursor}`);
  const left = [2, 4, 5].map((at) => made[at]?.id);
  expect([body.totalCount, body.data.map(({ id }: { id: string }) => id)]).toEqual([3, left]);
});

test('a quote that expires while it waits drops out at that moment', async () => {
  const sandbox = await openBooks();
  const { agent, accountId, bankId } = await openAgentStage(sandbox, askFirst);
  const sides = { source: fromAccount(accountId), destination: toAccount(bankId) };
  const body = { ...sides, lockedCurrencySide: 'SENDING', lockedCurrencyAmount: 100 };
  const { id } = (await agent.send('POST', '/quotes', { body })).body;
  const action = (await agent.send('POST', `/quotes/${id}/execute`)).body;
  await sandbox.advance(299.999);
  expect(await idsOf(sandbox, path)).toEqual([action.id]);
  await sandbox.advance(0.001);
  expect(await idsOf(sandbox, path)).toEqual([]);
  expect((await agent.send('GET', `/actions/${action.id}`)).body.status).toBe('FAILED');
});

test('another platform has its own list', async () => {
  const { sandbox, action } = await openWaiting();
  const other = await openPlatform(sandbox);
  expect(await idsOf(other, path)).toEqual([]);
  const there = await (await openAgentStage(other, askFirst)).act(100);
  expect(await idsOf(other, path)).toEqual([there.id]);
  expect(await idsOf(sandbox, path)).toEqual([action.id]);
  expect(await idsOf(sandbox, `${path}?agentId=${nobody('Agent')}`)).toEqual([]);
});
