/**
 * Promise: the lookup of a payable address returns its currencies and the payer data that its provider requires, in any
 * spelling. An unknown address is 404, and the error for text that isn't an address says so.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bundle, expectRefusal, faultPlaces } from '../support/expect/apiError.ts';
import { testCommonRefusals } from '../support/requests/refusals.ts';
import { runs } from '../support/run/length.ts';
import { type Answer, openSandbox, type TestSandbox } from '../support/sandbox/harness.ts';
import { externalAccountsPath, mustAdd, usdRequest } from '../support/scenes/externalAccounts.ts';

testCommonRefusals('lookUpUmaReceiver', '/receiver/uma/$success.usd@vasp.example');

const lookUp = (sandbox: TestSandbox, address: string, query = ''): Promise<Answer> =>
  sandbox.send('GET', `/receiver/uma/${encodeURIComponent(address)}${query}`);
const currenciesOf = ({ body }: Answer): string[] =>
  body.supportedCurrencies.map(({ currency }: { currency: { code: string } }) => currency.code);
const makeCustomer = async (sandbox: TestSandbox, fields: object): Promise<{ id: string; umaAddress: string }> => {
  const answer = await sandbox.send('POST', '/customers', { body: { customerType: 'INDIVIDUAL', ...fields } });
  expect(answer.status).toBe(201);
  return answer.body;
};
const payerFields = [
  { name: 'FULL_NAME', mandatory: true },
  { name: 'BIRTH_DATE', mandatory: true },
  { name: 'NATIONALITY', mandatory: false },
];
const nobodysCustomer = 'Customer:0199e0a4-2f00-7a31-8f5e-6d0b5c2a1eff';

describe('the receivers of the sandbox', () => {
  const receivers: [name: string, currency: string, rate: number][] = [
    ['$success.usd', 'USD', 1],
    ['$success.eur', 'EUR', 1.162],
    ['$success.mxn', 'MXN', 0.0543],
    ['$pending.long.usd', 'USD', 1],
    ['$fail.compliance.usd', 'USD', 1],
  ];

  test.each(receivers)('%s takes %s, at any host and in any case', async (name, code, estimatedExchangeRate) => {
    const sandbox = await openSandbox();
    for (const address of [
      `${name}@vasp.example`,
      `${name}@countersign.example`,
      `${name.toUpperCase()}@VASP.example`,
      `${name}@x`,
      `${name}@${'a'.repeat(253)}`,
    ]) {
      const { status, body } = await lookUp(sandbox, address);
      expect([status, body]).toEqual([
        200,
        {
          lookupId: expect.stringMatching(/^Lookup:[0-9a-f-]{36}$/),
          receiverUmaAddress: address,
          supportedCurrencies: [
            { currency: expect.objectContaining({ code }), estimatedExchangeRate, min: 1, max: 9_000_000_000_000_000 },
          ],
          requiredPayerDataFields: payerFields,
        },
      ]);
    }
  });

  test('are all that the description of the operation names', () => {
    const { description } = bundle.paths['/receiver/uma/{receiverUmaAddress}'].get;
    const named = [...description.matchAll(/^\| `(\$\S+)`/gm)].map(([, name]) => name);
    expect(named).toEqual([...receivers.map(([name]) => name), '$non.existent.usd']);
  });

  test.each(['$non.existent.usd', '$success.gbp', '$success', '$success.usd.', '$xsuccess.usd', '$constructor'])(
    '%s is 404, in any case',
    async (name) => {
      const sandbox = await openSandbox();
      for (const address of [`${name}@vasp.example`, `${name.toUpperCase()}@vasp.example`]) {
        expectRefusal(await lookUp(sandbox, address), 404, 'UMA_NOT_FOUND');
      }
    },
  );
});

describe('customers of the platform', () => {
  test.each<[currencies: string[] | undefined, found: string[]]>([
    [undefined, ['USD', 'USDC', 'USDB']],
    [['KES'], ['KES']],
    [
      ['EUR', 'BTC'],
      ['EUR', 'BTC'],
    ],
  ])('who enabled %j takes %j', async (currencies, found) => {
    const sandbox = await openSandbox();
    const { umaAddress } = await makeCustomer(sandbox, currencies === undefined ? {} : { currencies });
    const answer = await lookUp(sandbox, umaAddress.toUpperCase());
    expect([answer.status, currenciesOf(answer)]).toEqual([200, found]);
    expect(answer.body.requiredPayerDataFields).toEqual(payerFields);
  });

  test('takes what is enabled now', async () => {
    const sandbox = await openSandbox();
    const { id, umaAddress } = await makeCustomer(sandbox, { currencies: ['USD', 'EUR'] });
    const body = { customerType: 'INDIVIDUAL', currencies: ['EUR', 'GBP'] };
    expect((await sandbox.send('PATCH', `/customers/${id}`, { body })).status).toBe(200);
    expect(currenciesOf(await lookUp(sandbox, umaAddress)).sort()).toEqual(['EUR', 'GBP']);
  });

  test('takes what its default deposit account takes, once, and no longer when that is gone', async () => {
    const sandbox = await openSandbox();
    const { id, umaAddress } = await makeCustomer(sandbox, { currencies: ['EUR'] });
    await mustAdd(sandbox, usdRequest('555001', { customerId: id }));
    expect(currenciesOf(await lookUp(sandbox, umaAddress))).toEqual(['EUR']);
    const deposit = await mustAdd(sandbox, usdRequest('555002', { customerId: id, defaultUmaDepositAccount: true }));
    expect(currenciesOf(await lookUp(sandbox, umaAddress))).toEqual(['EUR', 'USD']);
    const body = { customerType: 'INDIVIDUAL', currencies: ['USD', 'EUR'] };
    expect((await sandbox.send('PATCH', `/customers/${id}`, { body })).status).toBe(200);
    expect(currenciesOf(await lookUp(sandbox, umaAddress)).sort()).toEqual(['EUR', 'USD']);
    const back = { ...body, currencies: ['EUR'] };
    expect((await sandbox.send('PATCH', `/customers/${id}`, { body: back })).status).toBe(200);
    expect((await sandbox.send('DELETE', `${externalAccountsPath}/${deposit.id}`)).status).toBe(204);
    expect(currenciesOf(await lookUp(sandbox, umaAddress))).toEqual(['EUR']);
  });

  test('with an address of its own choice is found by that, and by the new one after a change', async () => {
    const sandbox = await openSandbox();
    const { id } = await makeCustomer(sandbox, { umaAddress: '$Ada@pay.example', currencies: ['GBP'] });
    expect(currenciesOf(await lookUp(sandbox, '$ada@PAY.example'))).toEqual(['GBP']);
    const body = { customerType: 'INDIVIDUAL', umaAddress: '$lovelace@pay.example' };
    expect((await sandbox.send('PATCH', `/customers/${id}`, { body })).status).toBe(200);
    expect(currenciesOf(await lookUp(sandbox, '$lovelace@pay.example'))).toEqual(['GBP']);
    expectRefusal(await lookUp(sandbox, '$ada@pay.example'), 404, 'UMA_NOT_FOUND');
  });

  test('comes before a receiver of the sandbox, and is nobody once deleted', async () => {
    const sandbox = await openSandbox();
    for (const umaAddress of ['$success.usd@pay.example', '$bob@pay.example']) {
      const { id } = await makeCustomer(sandbox, { umaAddress, currencies: ['GBP'] });
      expect(currenciesOf(await lookUp(sandbox, umaAddress))).toEqual(['GBP']);
      expect((await sandbox.send('DELETE', `/customers/${id}`)).status).toBe(200);
      expectRefusal(await lookUp(sandbox, umaAddress.toUpperCase()), 404, 'UMA_NOT_FOUND');
    }
    expect(currenciesOf(await lookUp(sandbox, '$success.usd@elsewhere.example'))).toEqual(['USD']);
  });

  test('of another platform is nobody here', async () => {
    const sandbox = await openSandbox();
    const { umaAddress } = await makeCustomer(sandbox, {});
    const other = await sandbox.control('POST', '/platforms', { body: {} });
    const client = sandbox.as(other.body.clientId, other.body.clientSecret);
    const params = { path: { receiverUmaAddress: umaAddress } };
    const result = await client.GET('/receiver/uma/{receiverUmaAddress}', { params });
    expect([result.response.status, (result.error as { code?: string } | undefined)?.code]).toEqual([
      404,
      'UMA_NOT_FOUND',
    ]);
  });
});

describe('spelling', () => {
  test.each([
    '$success.usd@a.example',
    '%24success.usd%40a.example',
    '%24success.usd@a.example',
    '$success%2eusd%40a.example',
  ])('%s names the same receiver', async (path) => {
    const answer = await (await openSandbox()).send('GET', `/receiver/uma/${path}`);
    expect([answer.status, answer.body.receiverUmaAddress]).toEqual([200, '$success.usd@a.example']);
  });

  test.each([
    'success.usd@a.example',
    '$success.usd',
    '$@a.example',
    '$success.usd@',
    '$$success.usd@a.example',
    '$success.usd@a@b',
    ' $success.usd@a.example',
    '$success.usd@a.example\n',
    '$success usd@a.example',
    '$success.usd@a_b',
    '$süccess.usd@a.example',
    '$success/usd@a.example',
    '$success%2Eusd@a.example',
    `$${'a'.repeat(64)}@a.example`,
    `$success.usd@${'a'.repeat(254)}`,
    '$a\u0000@a.example',
    '$',
    '@',
    '😀',
  ])('"%s" isn\'t an address: 400', async (address) => {
    const refused = expectRefusal(await lookUp(await openSandbox(), address), 400, 'INVALID_UMA_ADDRESS');
    expect(faultPlaces(refused)).toEqual(['path /receiverUmaAddress']);
  });

  test('text is an address here exactly where it is one in the rest of the contract', async () => {
    const sandbox = await openSandbox();
    const { pattern, maxLength } = bundle.components.schemas.UmaAddress;
    const part = fc.string({
      unit: fc.constantFrom('a', 'B', '1', '.', '_', '+', '-', '$', '@', 'é', ' '),
      maxLength: 6,
    });
    await fc.assert(
      fc.asyncProperty(part, part, async (name, host) => {
        const address = `$${name}@${host}`;
        const isAddress = new RegExp(pattern, 'u').test(address) && address.length <= maxLength;
        expect((await lookUp(sandbox, address)).status).toBe(isAddress ? 404 : 400);
      }),
      { numRuns: runs(100) },
    );
  });
});

describe('a lookup', () => {
  test('has an id of its own every time', async () => {
    const sandbox = await openSandbox();
    const ids = new Set<string>();
    for (let count = 0; count < 5; count += 1) {
      ids.add((await lookUp(sandbox, '$success.usd@a.example')).body.lookupId);
    }
    expect(ids.size).toBe(5);
  });

  test('takes who would pay: any address, and a customer that exists, deleted or not', async () => {
    const sandbox = await openSandbox();
    const { id, umaAddress } = await makeCustomer(sandbox, {});
    const queries = [
      `?senderUmaAddress=${encodeURIComponent(umaAddress)}&customerId=${encodeURIComponent(id)}`,
      '?senderUmaAddress=$nobody@nowhere.example',
    ];
    for (const query of queries) expect((await lookUp(sandbox, '$success.eur@a.example', query)).status).toBe(200);
    const missing = await lookUp(sandbox, '$success.eur@a.example', `?customerId=${nobodysCustomer}`);
    expectRefusal(missing, 404, 'USER_NOT_FOUND');
    expect((await sandbox.send('DELETE', `/customers/${id}`)).status).toBe(200);
    expect((await lookUp(sandbox, '$success.eur@a.example', `?customerId=${id}`)).status).toBe(200);
  });

  test.each([
    ['?senderUmaAddress=nobody', 'senderUmaAddress'],
    ['?senderUmaAddress=', 'senderUmaAddress'],
    ['?customerId=1', 'customerId'],
    ['?customerId=InternalAccount:0199e0a4-2f00-7a31-8f5e-6d0b5c2a1e01', 'customerId'],
    ['?lookupId=1', 'lookupId'],
  ])('%s is 400 and names the parameter', async (query, name) => {
    const answer = await lookUp(await openSandbox(), '$success.usd@a.example', query);
    expect(faultPlaces(expectRefusal(answer, 400, 'INVALID_INPUT'))).toEqual([`query /${name}`]);
  });
});
