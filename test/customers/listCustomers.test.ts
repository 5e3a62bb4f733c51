/** Promise: the list of customers is complete, newest first, and shows exactly those that match its filters. */
import { describe, expect, test } from 'vitest';
import { expectRefusal, faultPlaces } from '../support/expect/apiError.ts';
import { testList } from '../support/requests/lists.ts';
import { testCommonRefusals } from '../support/requests/refusals.ts';
import { must, openSandbox, type TestSandbox } from '../support/sandbox/harness.ts';

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
    ['currency=eur', 'currency'],
    ['currency=', 'currency'],
    ['currency=EUR,USD', 'currency'],
    ['isIncludingDeleted=yes', 'isIncludingDeleted'],
    ['isIncludingDeleted=1', 'isIncludingDeleted'],
    ['isIncludingDeleted=True', 'isIncludingDeleted'],
    ['isIncludingDeleted', 'isIncludingDeleted'],
    ['createdAfter=2025-10-13', 'createdAfter'],
    ['createdAfter=2025-10-13T09:00:00', 'createdAfter'],
    ['createdBefore=2025-10-13%2009:00:00Z', 'createdBefore'],
    ['updatedAfter=2025-10-13T09:00:00%2B0000', 'updatedAfter'],
    ['updatedBefore=2025-02-29T09:00:00Z', 'updatedBefore'],
    ['updatedBefore=1760346000000', 'updatedBefore'],
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

describe('ranges of time', () => {
  // Two customers, made one millisecond apart. The older one was changed a second later.
  const open = async () => {
    const sandbox = await openSandbox();
    const older = await create(sandbox, { region: 'DE' });
    await sandbox.advance(0.001);
    const newer = await create(sandbox, { region: 'DE' });
    await sandbox.advance(1);
    const body = { customerType: 'INDIVIDUAL', fullName: 'Ada' };
    must(await sandbox.send('PATCH', `/customers/${older}`, { body }));
    return { sandbox, older, newer };
  };

  test.each<[query: string, found: ('older' | 'newer')[]]>([
    ['createdAfter=2025-10-13T09:00:00Z', ['newer', 'older']],
    ['createdAfter=2025-10-13T09:00:00.0Z', ['newer', 'older']],
    ['createdAfter=2025-10-13T09:00:00.001Z', ['newer']],
    ['createdAfter=2025-10-13T09:00:00.0001Z', ['newer']],
    ['createdAfter=2025-10-13T09:00:00.000000001Z', ['newer']],
    ['createdAfter=2025-10-13T09:00:00.001000Z', ['newer']],
    ['createdAfter=2025-10-13T09:00:00.0010001Z', []],
    ['createdAfter=2025-10-13T09:00:00.002Z', []],
    ['createdBefore=2025-10-13T09:00:00Z', ['older']],
    ['createdBefore=2025-10-13T09:00:00.0009Z', ['older']],
    ['createdBefore=2025-10-13T09:00:00.001Z', ['newer', 'older']],
    ['createdBefore=2025-10-13T08:59:59.999Z', []],
    ['createdAfter=2025-10-13T11:00:00.001%2B02:00', ['newer']],
    ['createdBefore=2025-10-13t05:00:00-04:00', ['older']],
    ['createdAfter=2025-10-13T09:00:00Z&createdBefore=2025-10-13T09:00:00Z', ['older']],
    ['createdAfter=2025-10-13T09:00:00.001Z&createdBefore=2025-10-13T09:00:00Z', []],
    ['updatedAfter=2025-10-13T09:00:01.001Z', ['older']],
    ['updatedAfter=2025-10-13T09:00:01.002Z', []],
    ['updatedBefore=2025-10-13T09:00:01Z', ['newer']],
    ['updatedBefore=2025-10-13T09:00:01.001Z', ['newer', 'older']],
    ['createdBefore=2025-10-13T09:00:00Z&updatedAfter=2025-10-13T09:00:01Z', ['older']],
    ['createdAfter=0000-01-01T00:00:00Z&updatedBefore=9999-12-31T23:59:59.999Z', ['newer', 'older']],
  ])('%s finds %s: both ends count', async (query, found) => {
    const { sandbox, ...ids } = await open();
    expect(await find(sandbox, `region=DE&${query}`)).toEqual(found.map((name) => ids[name]));
  });
});

describe('currency', () => {
  test('goes by the list as it is now, and not by accounts that were closed', async () => {
    const sandbox = await openSandbox();
    const one = await create(sandbox, { currencies: ['EUR', 'GBP'] });
    const two = await create(sandbox, { currencies: ['GBP'] });
    expect(await find(sandbox, 'currency=EUR')).toEqual([one]);
    expect(await find(sandbox, 'currency=GBP')).toEqual([two, one]);
    for (const [id, currencies] of [
      [one, ['GBP']],
      [two, ['EUR', 'JPY']],
    ] as const) {
      const body = { customerType: 'INDIVIDUAL', currencies };
      expect((await sandbox.send('PATCH', `/customers/${id}`, { body })).status).toBe(200);
    }
    expect(await find(sandbox, 'currency=EUR')).toEqual([two]);
    expect(await find(sandbox, 'currency=GBP')).toEqual([one]);
    expect(await find(sandbox, 'currency=JPY')).toEqual([two]);
    expect(await find(sandbox, 'currency=XYZ')).toEqual([]);
  });
});

test('a deleted customer is in the list that asks for them, and in no other', async () => {
  const sandbox = await openSandbox();
  const id = await create(sandbox);
  must(await sandbox.send('DELETE', `/customers/${id}`), 200);
  expect(await find(sandbox, 'currency=USD')).not.toContain(id);
  expect(await find(sandbox, 'currency=USD&isIncludingDeleted=true')).toContain(id);
});
