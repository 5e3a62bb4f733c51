/** Promise: an agent sees all internal accounts of its customer, like the platform, and no others (D36, D79). */
import { describe, expect, test } from 'vitest';
import type { InternalAccount } from '../../generated/types.ts';
import { expectRefusal, faultPlaces } from '../support/expect/apiError.ts';
import { openSandbox } from '../support/sandbox/harness.ts';
import { accountsOf } from '../support/sandbox/platforms.ts';
import { openStranger, strangers, testAgentOperation } from '../support/scenes/agentOperations.ts';
import { openAgent, openAgentStage } from '../support/scenes/agents.ts';
import { newCustomer } from '../support/scenes/externalAccounts.ts';
import { updateCustomer } from '../support/scenes/payments.ts';

const path = '/internal-accounts';
testAgentOperation('listAgentInternalAccounts', () => ({ path }));

/** An agent whose customer has accounts in these currencies. Other customers and platforms have other accounts. */
async function open(...currencies: string[]) {
  const sandbox = await openSandbox();
  for (const whose of strangers) await openStranger(sandbox, whose);
  const customerId = await newCustomer(sandbox, { currencies });
  const agent = await openAgent(sandbox, customerId);
  const find = async (query = ''): Promise<InternalAccount[]> => {
    const { status, body } = await agent.send('GET', `${path}?limit=100&${query}`);
    expect([status, body]).toEqual([200, { data: body.data, hasMore: false, totalCount: body.data.length }]);
    return body.data;
  };
  return { sandbox, customerId, agent, find };
}
const codes = (accounts: readonly InternalAccount[]) => accounts.map(({ balance }) => balance.currency.code);

test('they are what the platform reads of them, the newest first', async () => {
  const { sandbox, customerId, find } = await open('EUR', 'BTC', 'USDB');
  expect(await find()).toEqual((await accountsOf(sandbox, customerId)).reverse());
  expect(codes(await find())).toEqual(['USDB', 'BTC', 'EUR']);
});

test('money that has moved and an account that was closed show at once', async () => {
  const sandbox = await openSandbox();
  const { agent, act, customerId } = await openAgentStage(sandbox);
  await act(2500);
  await updateCustomer(sandbox, customerId, { currencies: ['USD', 'USDC'] });
  const { body } = await agent.send('GET', path);
  expect(body.data).toEqual((await accountsOf(sandbox, customerId)).reverse());
  expect(body.data.map(({ balance }: InternalAccount) => balance.amount)).toContain(97_500);
});

test('those that the policy does not allow are listed, too', async () => {
  const { sandbox, customerId, agent, find } = await open('EUR', 'USD');
  const [first] = await accountsOf(sandbox, customerId);
  await agent.changePolicy({ accountRestrictions: { allowedAccountIds: [first?.id] } });
  expect(await find()).toHaveLength(2);
});

describe('filters', () => {
  test.each<[query: string, currencies: string[]]>([
    ['currency=EUR', ['EUR']],
    ['type=INTERNAL_CRYPTO', ['USDC', 'BTC']],
    ['type=EMBEDDED_WALLET', ['USDB']],
    ['type=INTERNAL_CRYPTO&currency=BTC', ['BTC']],
    ['type=INTERNAL_FIAT&currency=BTC', []],
    ['currency=XXX', []],
  ])('%s: %s', async (query, currencies) => {
    const { find } = await open('EUR', 'BTC', 'USDC', 'USDB');
    expect(codes(await find(query))).toEqual(currencies);
  });

  test('each filter works alone', async () => {
    const { find } = await open('EUR', 'BTC');
    expect(codes(await find('currency=EUR'))).toEqual(['EUR']);
    expect(codes(await find('currency=BTC'))).toEqual(['BTC']);
    expect(codes(await find('type=INTERNAL_FIAT'))).toEqual(['EUR']);
    expect(codes(await find('type=INTERNAL_CRYPTO'))).toEqual(['BTC']);
  });

  test.each([
    'currency=usd',
    'type=WALLET',
    'limit=0',
    'limit=101',
    'limit=x',
    'cursor=abc',
    'customerId=Customer:none',
  ])('%s is 400 and names the parameter', async (query) => {
    const { agent } = await open('EUR');
    const refused = expectRefusal(await agent.send('GET', `${path}?${query}`), 400, 'INVALID_INPUT');
    expect(faultPlaces(refused)).toEqual([`query /${query.split('=')[0]}`]);
  });
});

describe('pages', () => {
  test.each([1, 2, 3, 6, 7])('of %i show every account once', async (limit) => {
    const { agent, find } = await open('EUR', 'USD', 'GBP', 'MXN', 'BTC', 'USDC');
    const seen: InternalAccount[] = [];
    let next = '';
    do {
      const { status, body } = await agent.send('GET', `${path}?limit=${limit}${next}`);
      expect([status, body.totalCount, body.hasMore]).toEqual([200, 6, seen.length + limit < 6]);
      seen.push(...body.data);
      next = body.hasMore ? `&cursor=${body.nextCursor}` : '';
    } while (next !== '');
    expect(seen).toEqual(await find());
  });

  test('a cursor is good for its filters and its list alone', async () => {
    const { sandbox, customerId, agent } = await open('EUR', 'USD', 'GBP');
    const { body } = await agent.send('GET', `${path}?limit=1`);
    for (const query of [`currency=EUR&cursor=${body.nextCursor}`, `cursor=${body.nextCursor}x`]) {
      expectRefusal(await agent.send('GET', `${path}?${query}`), 400, 'INVALID_INPUT');
    }
    const own = `/customers/internal-accounts?customerId=${customerId}`;
    expectRefusal(await sandbox.send('GET', `${own}&cursor=${body.nextCursor}`), 400, 'INVALID_INPUT');
    const platforms = await sandbox.send('GET', `${own}&limit=1`);
    const foreign = await agent.send('GET', `${path}?cursor=${platforms.body.nextCursor}`);
    expectRefusal(foreign, 400, 'INVALID_INPUT');
  });

  test("an agent cannot go on with another agent's cursor to its accounts", async () => {
    const { sandbox, agent } = await open('EUR', 'USD', 'GBP');
    const other = await openAgent(sandbox, await newCustomer(sandbox, { currencies: ['MXN', 'PHP'] }));
    const { body } = await agent.send('GET', `${path}?limit=1`);
    const answer = await other.send('GET', `${path}?cursor=${body.nextCursor}`);
    expectRefusal(answer, 400, 'INVALID_INPUT');
  });
});
