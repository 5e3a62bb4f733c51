/**
 * Promise: this list shows the platform's own external accounts, which no list of customers' accounts shows, and none
 * of the customers' accounts (D01, D36).
 */
import { describe, expect, test } from 'vitest';
import { expectRefusal, faultPlaces } from '../support/expect/apiError.ts';
import { testCommonRefusals } from '../support/requests/refusals.ts';
import { openSandbox } from '../support/sandbox/harness.ts';
import { openPlatform } from '../support/sandbox/platforms.ts';
import {
  externalAccountsPath,
  listOfCustomers,
  listOfPlatform,
  mustAdd,
  newCustomer,
  openBareSandbox,
  usdcRequest,
  usdRequest,
} from '../support/scenes/externalAccounts.ts';

const path = '/platform/external-accounts';

testCommonRefusals('listPlatformExternalAccounts', path);

test('the two lists share the accounts between them, newest first, whatever comes and goes', async () => {
  const sandbox = await openBareSandbox();
  const customerId = await newCustomer(sandbox);
  const own = [await mustAdd(sandbox, usdRequest('1')), await mustAdd(sandbox, usdcRequest('2'))].reverse();
  const theirs = [await mustAdd(sandbox, usdRequest('1', { customerId }))];
  expect([await listOfPlatform(sandbox), await listOfCustomers(sandbox)]).toEqual([own, theirs]);
  expect(await listOfCustomers(sandbox, `customerId=${customerId}`)).toEqual(theirs);
  expect((await sandbox.send('DELETE', `${externalAccountsPath}/${own[0]?.id}`)).status).toBe(204);
  expect([await listOfPlatform(sandbox), await listOfCustomers(sandbox)]).toEqual([own.slice(1), theirs]);
});

test('a platform shows its own only', async () => {
  const sandbox = await openBareSandbox();
  const other = await openPlatform(sandbox);
  const own = await mustAdd(sandbox, usdRequest('1'));
  const others = await mustAdd(other, usdRequest('1'));
  expect([await listOfPlatform(sandbox), await listOfPlatform(other)]).toEqual([[own], [others]]);
});

describe('filters and pages', () => {
  test('by currency', async () => {
    const sandbox = await openBareSandbox();
    const [usd, usdc] = [await mustAdd(sandbox, usdRequest('1')), await mustAdd(sandbox, usdcRequest('2'))];
    await mustAdd(sandbox, usdRequest('3', { customerId: await newCustomer(sandbox) }));
    expect([await listOfPlatform(sandbox, 'currency=USD'), await listOfPlatform(sandbox, 'currency=USDC')]).toEqual([
      [usd],
      [usdc],
    ]);
    expect(await listOfPlatform(sandbox, 'currency=EUR')).toEqual([]);
    expect((await listOfCustomers(sandbox, 'currency=USD')).map(({ customerId }) => customerId)).toEqual([
      expect.stringMatching(/^Customer:/),
    ]);
  });

  test("come without a gap, and a cursor of the customers' list is refused", async () => {
    const sandbox = await openBareSandbox();
    const customerId = await newCustomer(sandbox);
    for (const number of ['1', '2', '3']) {
      await mustAdd(sandbox, usdRequest(number));
      await mustAdd(sandbox, usdRequest(number, { customerId }));
    }
    const first = await sandbox.send('GET', `${path}?limit=2`);
    const second = await sandbox.send('GET', `${path}?limit=2&cursor=${first.body.nextCursor}`);
    expect([...first.body.data, ...second.body.data]).toEqual(await listOfPlatform(sandbox));
    const { nextCursor } = (await sandbox.send('GET', `${externalAccountsPath}?limit=2`)).body;
    const refused = await sandbox.send('GET', `${path}?limit=2&cursor=${nextCursor}`);
    expect(faultPlaces(expectRefusal(refused, 400, 'INVALID_INPUT'))).toEqual(['query /cursor']);
  });

  test.each([
    ['currency=eur', 'currency'],
    ['customerId=Customer:none', 'customerId'],
    ['limit=0', 'limit'],
  ])('%s is 400 and names the parameter', async (query, name) => {
    const answer = await (await openSandbox()).send('GET', `${path}?${query}`);
    expect(faultPlaces(expectRefusal(answer, 400, 'INVALID_INPUT'))).toEqual([`query /${name}`]);
  });
});
