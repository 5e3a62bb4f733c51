/**
 * Promise: the list has the providers that match all filters, sorted by name in either direction, in pages. Blocked
 * ones are included by default.
 */
import { describe, expect, test } from 'vitest';
import type { UmaProvider } from '../../generated/types.ts';
import { expectRefusal, faultPlaces } from '../support/expect/apiError.ts';
import { testCommonRefusals } from '../support/requests/refusals.ts';
import { openSandbox, type TestSandbox } from '../support/sandbox/harness.ts';

testCommonRefusals('listUmaProviders', '/uma-providers');

const list = async (sandbox: TestSandbox, query = ''): Promise<UmaProvider[]> => {
  const answer = await sandbox.send('GET', `/uma-providers?${query}`);
  expect([answer.status, query]).toEqual([200, query]);
  return answer.body.data;
};
const namesOf = (providers: readonly UmaProvider[]): string[] => providers.map(({ name }) => name);

describe('the list', () => {
  test('runs from Z to A, and from A to Z when asked', async () => {
    const sandbox = await openSandbox();
    const names = namesOf(await list(sandbox));
    expect(names.length).toBeGreaterThan(2);
    expect(names).toEqual(names.toSorted().reverse());
    expect(namesOf(await list(sandbox, 'sortOrder=desc'))).toEqual(names);
    expect(namesOf(await list(sandbox, 'sortOrder=asc'))).toEqual(names.toReversed());
  });

  test('holds these providers, two of them blocked: other tests of an app can be written against them', async () => {
    const providers = await list(await openSandbox(), 'sortOrder=asc');
    const facts = providers.map(({ domain, allowListStatus, lei, supportedRegions, supportedCurrencies }) =>
      [domain, allowListStatus, lei, supportedRegions, supportedCurrencies.map(({ code }) => code)].map(String),
    );
    expect(facts).toEqual([
      ['alder.example', 'true', '5493001KJTIIGC8Y1R12', 'US,CA', 'USD,CAD,USDC'],
      ['ribera.example', 'true', '213800D1EI4B9WTWWD28', 'MX,CO', 'MXN,COP'],
      ['cove.example', 'true', '529900T8BM49AURSDO55', 'GB,DE,FR,ES', 'GBP,EUR,BTC'],
      ['dhow.example', 'false', '254900OPPU84GM83MG36', 'AE,KE', 'AED,KES'],
      ['everline.example', 'true', '335800FVH4MOKZS9VH40', 'PH,SG,IN', 'PHP,SGD,INR'],
      ['fathom.example', 'false', '391200ZLOQTX1P6JKS67', 'NG,ZA', 'NGN,ZAR,USDT'],
    ]);
    const currencies = providers.flatMap(({ supportedCurrencies }) => supportedCurrencies);
    for (const { decimals } of currencies) expect(decimals).toBeGreaterThanOrEqual(0);
  });

  test.each(['', 'sortOrder=asc&'])('%s is read page by page without gap or repetition', async (order) => {
    const sandbox = await openSandbox();
    const whole = namesOf(await list(sandbox, order));
    const read: string[] = [];
    for (let cursor = ''; ; ) {
      const { body } = await sandbox.send('GET', `/uma-providers?${order}limit=2${cursor}`);
      read.push(...namesOf(body.data));
      expect(body).toMatchObject({ totalCount: whole.length, hasMore: read.length < whole.length });
      expect('nextCursor' in body).toBe(body.hasMore);
      if (!body.hasMore) break;
      cursor = `&cursor=${body.nextCursor}`;
    }
    expect(read).toEqual(whole);
  });

  test('case 88: a cursor is good for its own order and filters only', async () => {
    const sandbox = await openSandbox();
    const { body } = await sandbox.send('GET', '/uma-providers?limit=1&sortOrder=asc');
    for (const query of [
      'limit=1',
      'limit=1&sortOrder=asc&hasBlockedProviders=false',
      'sortOrder=asc&countryCode=US',
    ]) {
      const refused = await sandbox.send('GET', `/uma-providers?${query}&cursor=${body.nextCursor}`);
      expect(faultPlaces(expectRefusal(refused, 400, 'INVALID_INPUT'))).toEqual(['query /cursor']);
    }
    // The same filters, with and without the defaults written out.
    const same = await sandbox.send(
      'GET',
      `/uma-providers?limit=1&sortOrder=asc&hasBlockedProviders=true&cursor=${body.nextCursor}`,
    );
    expect(same.status).toBe(200);
  });
});

describe('filters', () => {
  const serves = (country: string) => (one: UmaProvider) => one.supportedRegions.includes(country);
  const takes = (code: string) => (one: UmaProvider) => one.supportedCurrencies.some((own) => own.code === code);
  const isAllowed = (one: UmaProvider) => one.allowListStatus;

  test.each<[query: string, tests: ((one: UmaProvider) => boolean)[], isEmpty: boolean]>([
    ['countryCode=US', [serves('US')], false],
    ['countryCode=KE', [serves('KE')], false],
    ['countryCode=AQ', [serves('AQ')], true],
    ['currencyCode=MXN', [takes('MXN')], false],
    ['currencyCode=BTC', [takes('BTC')], false],
    ['currencyCode=JPY', [takes('JPY')], true],
    ['currencyCode=XXX', [takes('XXX')], true],
    ['hasBlockedProviders=false', [isAllowed], false],
    ['hasBlockedProviders=true', [], false],
    ['countryCode=GB&currencyCode=EUR', [serves('GB'), takes('EUR')], false],
    ['countryCode=GB&currencyCode=USD', [serves('GB'), takes('USD')], true],
    ['countryCode=AE&hasBlockedProviders=true', [serves('AE')], false],
    ['countryCode=AE&hasBlockedProviders=false', [serves('AE'), isAllowed], true],
    ['countryCode=ZA&currencyCode=USDT&hasBlockedProviders=false', [serves('ZA'), takes('USDT'), isAllowed], true],
    ['countryCode=IN&currencyCode=PHP&hasBlockedProviders=false', [serves('IN'), takes('PHP'), isAllowed], false],
  ])('%s', async (query, tests, isEmpty) => {
    const sandbox = await openSandbox();
    const wanted = (await list(sandbox)).filter((one) => tests.every((passes) => passes(one)));
    expect(await list(sandbox, query)).toEqual(wanted);
    expect(await list(sandbox, `${query}&sortOrder=asc`)).toEqual(wanted.toReversed());
    expect(wanted.length === 0).toBe(isEmpty);
  });

  test.each([
    ['countryCode=us', 'countryCode'],
    ['countryCode=USA', 'countryCode'],
    ['currencyCode=usd', 'currencyCode'],
    ['currencyCode=USD&currencyCode=EUR', 'currencyCode'],
    ['hasBlockedProviders=1', 'hasBlockedProviders'],
    ['hasBlockedProviders=False', 'hasBlockedProviders'],
    ['hasBlockedProviders=', 'hasBlockedProviders'],
    ['sortOrder=ASC', 'sortOrder'],
    ['sortOrder=', 'sortOrder'],
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['cursor=abc', 'cursor'],
    ['name=Alder', 'name'],
  ])('%s is 400 and names the parameter', async (query, name) => {
    const answer = await (await openSandbox()).send('GET', `/uma-providers?${query}`);
    expect(faultPlaces(expectRefusal(answer, 400, 'INVALID_INPUT'))).toEqual([`query /${name}`]);
  });
});
