/**
 * Promise: the lookup of an existing external account returns the currencies that it can be paid in. It requires no
 * payer data.
 */
import { describe, expect, test } from 'vitest';
import { expectRefusal, faultPlaces } from '../support/expect/apiError.ts';
import { testCommonRefusals } from '../support/requests/refusals.ts';
import { type Answer, openSandbox, type TestSandbox } from '../support/sandbox/harness.ts';

const nobodys = '0199e0a4-2f00-7a31-8f5e-6d0b5c2a1eff';

testCommonRefusals('lookUpExternalAccountReceiver', `/receiver/external-account/ExternalAccount:${nobodys}`);

const lookUp = (sandbox: TestSandbox, accountId: string, query = ''): Promise<Answer> =>
  sandbox.send('GET', `/receiver/external-account/${encodeURIComponent(accountId)}${query}`);
const beneficiary = { beneficiaryType: 'INDIVIDUAL', fullName: 'Lena Brandt' };
const add = async (sandbox: TestSandbox, fields: object): Promise<string> => {
  const answer = await sandbox.send('POST', '/customers/external-accounts', { body: fields });
  expect([answer.status, answer.body]).toEqual([201, expect.anything()]);
  return answer.body.id;
};
const upi = { currency: 'INR', accountInfo: { accountType: 'INR_ACCOUNT', vpa: 'lena@upi', beneficiary } };

describe('an account', () => {
  test.each([
    ['bank account', upi, 'INR', 0.0113, 2],
    [
      'one in another currency',
      { currency: 'MXN', accountInfo: { accountType: 'MXN_ACCOUNT', clabeNumber: '032180000118359719', beneficiary } },
      'MXN',
      0.0543,
      2,
    ],
  ])('%s takes its own currency', async (_name, fields, code, estimatedExchangeRate, decimals) => {
    const sandbox = await openSandbox();
    const accountId = await add(sandbox, fields);
    const { status, body } = await lookUp(sandbox, accountId);
    expect([status, body]).toEqual([
      200,
      {
        lookupId: expect.stringMatching(/^Lookup:[0-9a-f-]{36}$/),
        accountId,
        supportedCurrencies: [
          {
            currency: expect.objectContaining({ code, decimals }),
            estimatedExchangeRate,
            min: 1,
            max: 9_000_000_000_000_000,
          },
        ],
        requiredPayerDataFields: [],
      },
    ]);
  });

  test("of a customer can be looked up as the platform's own can, each time under an id of its own", async () => {
    const sandbox = await openSandbox();
    const customer = await sandbox.send('POST', '/customers', { body: { customerType: 'INDIVIDUAL' } });
    const accountId = await add(sandbox, { ...upi, customerId: customer.body.id });
    const ids = [await lookUp(sandbox, accountId), await lookUp(sandbox, accountId)].map(({ body }) => body.lookupId);
    expect(new Set(ids).size).toBe(2);
  });

  test('that was deleted is 404', async () => {
    const sandbox = await openSandbox();
    const accountId = await add(sandbox, upi);
    expect((await sandbox.send('DELETE', `/customers/external-accounts/${accountId}`)).status).toBe(204);
    expectRefusal(await lookUp(sandbox, accountId), 404, 'ACCOUNT_NOT_FOUND');
  });

  test('of another platform is 404', async () => {
    const sandbox = await openSandbox();
    const accountId = await add(sandbox, upi);
    const other = await sandbox.control('POST', '/platforms', { body: {} });
    const client = sandbox.as(other.body.clientId, other.body.clientSecret);
    const result = await client.GET('/receiver/external-account/{accountId}', { params: { path: { accountId } } });
    expect(result.response.status).toBe(404);
  });

  test.each([
    `ExternalAccount:${nobodys}`,
    `InternalAccount:${nobodys}`,
    'ExternalAccount:',
    'x',
    '$success.usd@a.example',
  ])('%s is 404', async (accountId) => {
    expectRefusal(await lookUp(await openSandbox(), accountId), 404, 'ACCOUNT_NOT_FOUND');
  });
});

describe('who would pay', () => {
  test('may be any address, and a customer that exists', async () => {
    const sandbox = await openSandbox();
    const accountId = await add(sandbox, upi);
    const customer = await sandbox.send('POST', '/customers', { body: { customerType: 'INDIVIDUAL' } });
    const query = `?senderUmaAddress=$nobody@nowhere.example&customerId=${customer.body.id}`;
    expect((await lookUp(sandbox, accountId, query)).status).toBe(200);
    expectRefusal(await lookUp(sandbox, accountId, `?customerId=Customer:${nobodys}`), 404, 'USER_NOT_FOUND');
  });

  test.each([
    ['?senderUmaAddress=nobody', 'senderUmaAddress'],
    ['?customerId=1', 'customerId'],
    ['?currency=INR', 'currency'],
  ])('%s is 400 and names the parameter', async (query, name) => {
    const sandbox = await openSandbox();
    const answer = await lookUp(sandbox, await add(sandbox, upi), query);
    expect(faultPlaces(expectRefusal(answer, 400, 'INVALID_INPUT'))).toEqual([`query /${name}`]);
  });
});
