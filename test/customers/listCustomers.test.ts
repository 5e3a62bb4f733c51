/** Promise: the list of customers is complete, newest first, and shows exactly those that its filters ask for. */
import { describe, expect, test } from 'vitest';
import { expectRefusal, faultPlaces } from '../support/apiError.ts';
import { openSandbox, type TestSandbox } from '../support/harness.ts';
import { testList } from '../support/lists.ts';
import { testCommonRefusals } from '../support/refusals.ts';

const create = async (sandbox: TestSandbox, fields: object = {}): Promise<string> => {
  const body = { customerType: 'INDIVIDUAL', currencies: ['USD'], ...fields };
  const answer = await sandbox.send('POST', '/customers', { body });
  expect(answer.status).toBe(201);
  return answer.body.id;
};
const find = async (sandbox: TestSandbox, query: string): Promise<string[]> => {
  const answer = await sandbox.send('GET', `/customers?${query}`);
  expect([answer.status, answer.body?.totalCount]).toEqual([200, answer.body?.data?.length]);
  return answer.body.data.map(({ id }: { id: string }) => id);
};

testCommonRefusals('listCustomers', '/customers');

testList({
  path: '/customers',
  none: 'platformCustomerId=nobody',
  some: 'region=DE',
  wide: 'customerType=INDIVIDUAL',
  add: async (sandbox) => void (await create(sandbox, { region: 'DE' })),
  addOther: async (sandbox) => void (await create(sandbox, { region: 'AT' })),
  otherPath: '/customers/internal-accounts',
});

describe('filters', () => {
  const open = async () => {
    const sandbox = await openSandbox();
    const ids = {
      ada: await create(sandbox, { platformCustomerId: 'ada', region: 'DE', umaAddress: '$Ada@pay.example' }),
      bob: await create(sandbox, { platformCustomerId: 'Ada', region: 'AT', umaAddress: '$bob@pay.example' }),
      shop: await create(sandbox, { customerType: 'BUSINESS', platformCustomerId: 'shop', region: 'DE' }),
    };
    return { sandbox, ids };
  };

  test.each<[query: string, found: ('ada' | 'bob' | 'shop')[]]>([
    ['platformCustomerId=ada', ['ada']],
    ['platformCustomerId=Ada', ['bob']],
    ['platformCustomerId=AD%25', []],
    ['region=DE', ['shop', 'ada']],
    ['region=DE&customerType=BUSINESS', ['shop']],
    ['region=DE&customerType=INDIVIDUAL&platformCustomerId=ada', ['ada']],
    ['region=AT&platformCustomerId=ada', []],
    ['umaAddress=%24ada%40pay.example', ['ada']],
    ['umaAddress=$ADA@PAY.EXAMPLE', ['ada']],
    ['umaAddress=$none@pay.example', []],
    ['region=FR', []],
  ])('%s finds %s', async (query, found) => {
    const { sandbox, ids } = await open();
    expect(await find(sandbox, query)).toEqual(found.map((name) => ids[name]));
  });

  test('without one everybody is there, the ready-made customers last', async () => {
    const { sandbox, ids } = await open();
    const all = await find(sandbox, '');
    expect(all.slice(0, 3)).toEqual([ids.shop, ids.bob, ids.ada]);
    expect(all).toHaveLength(5);
  });

  test('text beyond ASCII is found by its own spelling only', async () => {
    const sandbox = await openSandbox();
    const [composed, decomposed] = ['Zo\u00eb +&=?#', 'Zoe\u0308 +&=?#'];
    const id = await create(sandbox, { platformCustomerId: composed });
    expect(await find(sandbox, `platformCustomerId=${encodeURIComponent(composed)}`)).toEqual([id]);
    expect(await find(sandbox, `platformCustomerId=${encodeURIComponent(decomposed)}`)).toEqual([]);
    expect(await find(sandbox, new URLSearchParams({ platformCustomerId: composed }).toString())).toEqual([id]);
  });

  test.each([
    ['customerType=PERSON', 'customerType'],
    ['customerType=individual', 'customerType'],
    ['region=de', 'region'],
    ['region=DEU', 'region'],
    ['umaAddress=ada@pay.example', 'umaAddress'],
    ['platformCustomerId=', 'platformCustomerId'],
    [`platformCustomerId=${'a'.repeat(256)}`, 'platformCustomerId'],
    ['platformCustomerId=a%00b', 'platformCustomerId'],
    ['region=DE&region=DE', 'region'],
    ['Region=DE', 'Region'],
    ['email=a@b.example', 'email'],
    ['__proto__=1', '__proto__'],
    ['limit[]=1', 'limit[]'],
  ])('%s is 400 and names the parameter', async (query, name) => {
    const answer = await (await openSandbox()).send('GET', `/customers?${query}`);
    expect(faultPlaces(expectRefusal(answer, 400, 'INVALID_INPUT'))).toEqual([`query /${name}`]);
  });

  test('all faults of a query are listed together', async () => {
    const answer = await (await openSandbox()).send('GET', '/customers?limit=0&region=x&surprise=1&cursor=');
    const places = ['query /cursor', 'query /limit', 'query /region', 'query /surprise'];
    expect(faultPlaces(expectRefusal(answer, 400, 'INVALID_INPUT'))).toEqual(places);
  });
});
