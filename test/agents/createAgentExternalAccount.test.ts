/**
 * Promise: an agent adds an external account for its customer, with the same checks as the platform. A refused request
 * adds nothing (D40, D79).
 */
import { describe, expect, test } from 'vitest';
import { expectRefusal, faultPlaces } from '../support/expect/apiError.ts';
import { openSandbox } from '../support/sandbox/harness.ts';
import { openStranger, strangers, testAgentOperation } from '../support/scenes/agentOperations.ts';
import { openAgentStage } from '../support/scenes/agents.ts';
import { listExternal, mustAdd, usdcRequest, usdRequest } from '../support/scenes/externalAccounts.ts';

const path = '/external-accounts';
testAgentOperation('createAgentExternalAccount', () => ({ path, options: { body: usdRequest('000555777') } }));

async function open(policy: object = {}) {
  const sandbox = await openSandbox();
  const stage = await openAgentStage(sandbox, policy);
  const add = (body: object) => stage.agent.send('POST', path, { body });
  return { sandbox, stage, add };
}

test.each([
  ['without', false],
  ['with', true],
])("%s customerId: the account is the customer's, ACTIVE at once, and the platform sees it", async (_name, isNamed) => {
  const { sandbox, stage, add } = await open();
  const { customerId } = stage;
  const body = usdRequest('000123456789', {
    platformAccountId: 'rent',
    defaultUmaDepositAccount: true,
    ...(isNamed ? { customerId } : {}),
  });
  const answer = await add(body);
  expect([answer.status, answer.body]).toEqual([
    201,
    {
      ...body,
      customerId,
      id: expect.stringMatching(/^ExternalAccount:[0-9a-f-]{36}$/),
      status: 'ACTIVE',
      beneficiaryVerificationStatus: 'MATCHED',
      beneficiaryVerifiedData: { fullName: 'Ada Byron' },
      accountInfo: { ...body.accountInfo, paymentRails: ['ACH', 'WIRE', 'RTP', 'FEDNOW'] },
    },
  ]);
  expect((await listExternal(sandbox, `customerId=${customerId}`))[0]).toEqual(answer.body);
  expect((await stage.act(2500, { destinationId: answer.body.id })).status).toBe('APPROVED');
});

test('an account that was added can be paid at once, whatever internal accounts the policy allows (D78)', async () => {
  const { stage, add } = await open();
  await stage.agent.changePolicy({ accountRestrictions: { allowedAccountIds: [stage.accountId] } });
  const { body } = await add(usdRequest('000555777'));
  expect((await stage.act(2500, { destinationId: body.id })).status).toBe('APPROVED');
});

describe('refusals add nothing', () => {
  test.each([
    [
      "an account number that isn't text",
      usdRequest('1', {}, { accountNumber: 5 }),
      400,
      'INVALID_INPUT',
      'accountInfo/accountNumber',
    ],
    ['an unknown field', { ...usdRequest('1'), agentId: 'x' }, 400, 'INVALID_INPUT', 'agentId'],
    ['another currency', usdRequest('1', { currency: 'EUR' }), 400, 'INVALID_CURRENCY', 'currency'],
    ['an account that nobody has', usdRequest('1105'), 400, 'INVALID_BANK_ACCOUNT', 'accountInfo'],
    ['an account that the customer has', usdRequest('123456777'), 409, 'CONFLICT', undefined],
  ] as const)('%s', async (_name, body, status, code, place) => {
    const { sandbox, add } = await open();
    const before = await listExternal(sandbox);
    const refused = expectRefusal(await add(body), status, code);
    if (place !== undefined) expect(faultPlaces(refused)).toEqual([`body /${place}`]);
    expect(await listExternal(sandbox)).toEqual(before);
  });

  test.each(strangers)('%s as the customer: 404, before the permission and the currency', async (whose) => {
    const { sandbox, add } = await open({ permissions: [] });
    const { customerId } = await openStranger(sandbox, whose);
    const before = await listExternal(sandbox);
    expectRefusal(await add(usdRequest('1105', { customerId, currency: 'XXX' })), 404, 'USER_NOT_FOUND');
    expect(await listExternal(sandbox)).toEqual(before);
  });

  test('an empty body is 400 at every place', async () => {
    const { add } = await open();
    const refused = expectRefusal(await add({}), 400, 'INVALID_INPUT');
    expect(faultPlaces(refused)).toEqual(['body /accountInfo', 'body /currency']);
  });
});

test("the same account of another customer or of the platform isn't a conflict", async () => {
  const { sandbox, add } = await open();
  await mustAdd(sandbox, usdcRequest('coins'));
  await mustAdd(
    sandbox,
    usdcRequest('coins', { customerId: (await openStranger(sandbox, 'another customer')).customerId }),
  );
  expect((await add(usdcRequest('coins'))).status).toBe(201);
  expectRefusal(await add(usdcRequest('coins')), 409, 'CONFLICT');
});

test('it becomes the default account for UMA payments', async () => {
  const { sandbox, stage, add } = await open();
  const asDefault = { defaultUmaDepositAccount: true };
  await mustAdd(sandbox, usdcRequest('a', { customerId: stage.customerId, ...asDefault }));
  const { body } = await add(usdcRequest('b', asDefault));
  const defaults = (await listExternal(sandbox)).filter((account) => account.defaultUmaDepositAccount);
  expect(defaults.map(({ id }) => id)).toEqual([body.id]);
});
