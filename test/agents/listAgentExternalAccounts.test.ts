/** Promise: an agent sees all external accounts of its customer, no matter who added them, and no others (D36, D79). */
import { describe, expect, test } from 'vitest';
import type { ExternalAccount } from '../../generated/types.ts';
import { expectRefusal, faultPlaces } from '../support/expect/apiError.ts';
import { testList } from '../support/requests/lists.ts';
import { openSandbox } from '../support/sandbox/harness.ts';
import { openAgentList, openStranger, strangers, testAgentOperation } from '../support/scenes/agentOperations.ts';
import { openAgentStage } from '../support/scenes/agents.ts';
import { listExternal, mustAdd, usdcRequest, usdRequest } from '../support/scenes/externalAccounts.ts';

const path = '/external-accounts';
testAgentOperation('listAgentExternalAccounts', () => ({ path }));

let made = 0;
const nextNumber = (): string => {
  made += 1;
  return `${made}000`;
};
testList({
  path: '/agents/me/external-accounts',
  none: 'currency=JPY',
  some: 'currency=USDC',
  add: async (sandbox) => {
    const answer = await sandbox.send('POST', '/agents/me/external-accounts', { body: usdcRequest(nextNumber()) });
    expect(answer.status).toBe(201);
  },
  addOther: async (sandbox) => {
    const answer = await sandbox.send('POST', '/agents/me/external-accounts', { body: usdRequest(nextNumber()) });
    expect(answer.status).toBe(201);
  },
  otherPath: '/customers',
  open: openAgentList,
});

async function open() {
  const sandbox = await openSandbox();
  for (const whose of strangers) await openStranger(sandbox, whose);
  const stage = await openAgentStage(sandbox);
  const coins = await mustAdd(sandbox, usdcRequest('coins', { customerId: stage.customerId }));
  const find = async (query = ''): Promise<ExternalAccount[]> => {
    const { status, body } = await stage.agent.send('GET', `${path}?limit=100&${query}`);
    expect([status, body]).toEqual([200, { data: body.data, hasMore: false, totalCount: body.data.length }]);
    return body.data;
  };
  return { sandbox, stage, coins, find };
}

test('they are what the platform reads of them, the newest first, no matter who added them', async () => {
  const { sandbox, stage, coins, find } = await open();
  const added = await stage.agent.send('POST', path, { body: usdRequest('555777') });
  expect((await find()).map(({ id }) => id)).toEqual([added.body.id, coins.id, stage.bankId]);
  expect(await find()).toEqual(await listExternal(sandbox, `customerId=${stage.customerId}`));
});

test('those that the policy does not allow are listed, too', async () => {
  const { stage, find } = await open();
  await stage.agent.changePolicy({ accountRestrictions: { allowedAccountIds: [] } });
  expect(await find()).toHaveLength(2);
});

describe('filters', () => {
  test.each<[query: string, types: string[]]>([
    ['currency=USD', ['USD_ACCOUNT']],
    ['currency=USDC', ['SOLANA_WALLET']],
    ['currency=EUR', []],
    ['currency=XXX', []],
  ])('%s: %s', async (query, types) => {
    const { find } = await open();
    expect((await find(query)).map(({ accountInfo }) => accountInfo.accountType)).toEqual(types);
  });

  test.each(['currency=usd', 'currency=USD&currency=EUR', 'customerId=Customer:none'])(
    '%s is 400 and names the parameter',
    async (query) => {
      const { stage } = await open();
      const refused = expectRefusal(await stage.agent.send('GET', `${path}?${query}`), 400, 'INVALID_INPUT');
      expect(faultPlaces(refused)).toEqual([`query /${query.split('=')[0]}`]);
    },
  );
});
