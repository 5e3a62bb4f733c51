/** Promise: the list of agents is complete, newest first, and shows exactly those that match its filters (D07, D81). */
import { describe, expect, test } from 'vitest';
import { expectRefusal, faultPlaces } from '../support/expect/apiError.ts';
import { testList } from '../support/requests/lists.ts';
import { testCommonRefusals } from '../support/requests/refusals.ts';
import { openSandbox, type TestSandbox } from '../support/sandbox/harness.ts';
import { openPlatform } from '../support/sandbox/platforms.ts';
import { redeem } from '../support/scenes/agents.ts';
import { deleteCustomer, readyMadeBusiness } from '../support/scenes/businesses.ts';
import { newCustomer } from '../support/scenes/externalAccounts.ts';
import { nobody, openBooks } from '../support/scenes/payments.ts';
import { idsOf, makeAgent } from '../support/scenes/platformAgents.ts';

testCommonRefusals('listAgents', '/agents');

const business = await readyMadeBusiness();

testList({
  path: '/agents',
  none: 'customerId=Customer:none',
  some: `customerId=${business}`,
  wide: 'isPaused=false',
  add: async (sandbox) => void (await makeAgent(sandbox, business)),
  addOther: async (sandbox) => void (await makeAgent(sandbox, await newCustomer(sandbox))),
  otherPath: '/customers',
});

const change = async (sandbox: TestSandbox, id: string, body: object) =>
  expect((await sandbox.send('PATCH', `/agents/${id}`, { body })).status).toBe(200);

describe('filters', () => {
  // Two customers. Agent p is paused, c is connected, pc is both. Ada has an agent without either, p, c and pc; Bob has
  // c.
  const open = async () => {
    const sandbox = await openBooks();
    const [ada, bob] = [await newCustomer(sandbox), await newCustomer(sandbox)];
    const make = async (customerId: string, name: string): Promise<string> => {
      const { agent, deviceCode } = await makeAgent(sandbox, customerId, { name });
      if (name.startsWith('p')) await change(sandbox, agent.id, { isPaused: true });
      if (name.endsWith('c')) await redeem(sandbox, deviceCode.code);
      return agent.id;
    };
    const ids = {
      none: await make(ada, 'none'),
      p: await make(ada, 'p'),
      c: await make(ada, 'c'),
      pc: await make(ada, 'pc'),
      bob: await make(bob, 'bob c'),
    };
    return { sandbox, ada, bob, ids };
  };
  type Name = 'none' | 'p' | 'c' | 'pc' | 'bob';

  test.each<[query: string, found: Name[]]>([
    ['', ['bob', 'pc', 'c', 'p', 'none']],
    ['customerId=ADA', ['pc', 'c', 'p', 'none']],
    ['customerId=BOB', ['bob']],
    ['isPaused=true', ['pc', 'p']],
    ['isPaused=false', ['bob', 'c', 'none']],
    ['isConnected=true', ['bob', 'pc', 'c']],
    ['isConnected=false', ['p', 'none']],
    ['isPaused=true&isConnected=true', ['pc']],
    ['isPaused=false&isConnected=false', ['none']],
    ['customerId=ADA&isConnected=true', ['pc', 'c']],
    ['customerId=ADA&isPaused=false&isConnected=true', ['c']],
    ['customerId=BOB&isPaused=true', []],
    ['customerId=Customer:none', []],
  ])('%s finds %j', async (query, found) => {
    const { sandbox, ada, bob, ids } = await open();
    const asked = query.replace('ADA', ada).replace('BOB', bob);
    expect(await idsOf(sandbox, `/agents?${asked}`)).toEqual(found.map((name) => ids[name]));
  });

  test('use the current state: pausing, connecting and deleting change the results and their counts', async () => {
    const { sandbox, ada, ids } = await open();
    await change(sandbox, ids.p, { isPaused: false });
    await change(sandbox, ids.none, { isPaused: true });
    expect(await idsOf(sandbox, `/agents?customerId=${ada}&isPaused=true`)).toEqual([ids.pc, ids.none]);
    const { code } = (await sandbox.send('POST', `/agents/${ids.none}/device-codes`)).body;
    await redeem(sandbox, code);
    expect(await idsOf(sandbox, '/agents?isConnected=false')).toEqual([ids.p]);
    // A new code doesn't disconnect a connected agent.
    expect((await sandbox.send('POST', `/agents/${ids.c}/device-codes`)).status).toBe(201);
    expect(await idsOf(sandbox, '/agents?isConnected=false')).toEqual([ids.p]);
    expect((await sandbox.send('DELETE', `/agents/${ids.pc}`)).status).toBe(204);
    expect(await idsOf(sandbox, `/agents?customerId=${ada}`)).toEqual([ids.c, ids.p, ids.none]);
    expect(await idsOf(sandbox, '/agents')).toHaveLength(4);
  });

  test.each([
    ['customerId=none', 'customerId'],
    ['customerId=', 'customerId'],
    ['isPaused=yes', 'isPaused'],
    ['isPaused=1', 'isPaused'],
    ['isPaused', 'isPaused'],
    ['isConnected=True', 'isConnected'],
    ['isConnected=true&isConnected=true', 'isConnected'],
    ['createdAfter=2025-10-13', 'createdAfter'],
    ['createdBefore=2025-10-13T09:00:00', 'createdBefore'],
    ['updatedAfter=now', 'updatedAfter'],
    ['updatedBefore=2025-02-29T09:00:00Z', 'updatedBefore'],
    ['sortOrder=asc', 'sortOrder'],
    ['name=x', 'name'],
  ])('%s is 400 and names the parameter', async (query, name) => {
    const answer = await (await openSandbox()).send('GET', `/agents?${query}`);
    expect(faultPlaces(expectRefusal(answer, 400, 'INVALID_INPUT'))).toEqual([`query /${name}`]);
  });
});

describe('ranges of time', () => {
  // The agents are made one millisecond apart. The older one was renamed a second later, which updates it. An agent's
  // own action doesn't.
  test.each<[query: string, found: ('older' | 'newer')[]]>([
    ['createdAfter=2025-10-13T09:00:00Z', ['newer', 'older']],
    ['createdAfter=2025-10-13T09:00:00.001Z', ['newer']],
    ['createdAfter=2025-10-13T09:00:00.002Z', []],
    ['createdBefore=2025-10-13T09:00:00Z', ['older']],
    ['createdBefore=2025-10-13T08:59:59.999Z', []],
    ['createdAfter=2025-10-13T11:00:00.001%2B02:00', ['newer']],
    ['updatedAfter=2025-10-13T09:00:01.001Z', ['older']],
    ['updatedAfter=2025-10-13T09:00:01.002Z', []],
    ['updatedBefore=2025-10-13T09:00:01Z', ['newer']],
    ['updatedBefore=2025-10-13T09:00:01.001Z', ['newer', 'older']],
    ['createdBefore=2025-10-13T09:00:00Z&updatedAfter=2025-10-13T09:00:01Z', ['older']],
    ['createdAfter=2025-10-13T09:00:00.001Z&createdBefore=2025-10-13T09:00:00Z', []],
    ['isPaused=false&createdBefore=2025-10-13T09:00:00Z', ['older']],
  ])('%s finds %j: both ends count', async (query, found) => {
    const sandbox = await openBooks();
    const customerId = await newCustomer(sandbox);
    const older = (await makeAgent(sandbox, customerId)).agent.id;
    await sandbox.advance(0.001);
    const newer = (await makeAgent(sandbox, customerId)).agent.id;
    await sandbox.advance(1);
    await change(sandbox, older, { name: 'Other' });
    const ids = { older, newer };
    expect(await idsOf(sandbox, `/agents?${query}`)).toEqual(found.map((name) => ids[name]));
  });
});

test('each agent is shown as it is by itself, the one of a deleted customer too', async () => {
  const sandbox = await openSandbox();
  const customerId = await newCustomer(sandbox);
  const { agent } = await makeAgent(sandbox, customerId);
  await deleteCustomer(sandbox, customerId);
  const { body } = await sandbox.send('GET', `/agents?customerId=${customerId}`);
  expect(body).toEqual({ data: [agent], hasMore: false, totalCount: 1 });
});

test('another platform has its own list', async () => {
  const sandbox = await openSandbox();
  const other = await openPlatform(sandbox);
  const { agent } = await makeAgent(other, await newCustomer(other));
  expect(await idsOf(other, '/agents')).toEqual([agent.id]);
  expect(await idsOf(sandbox, '/agents')).not.toContain(agent.id);
  expect(await idsOf(sandbox, `/agents?customerId=${nobody('Customer')}`)).toEqual([]);
});
