/**
 * Promise: an agent quotes a payment of its customer within its accounts, like the platform. A quote moves no money,
 * counts no usage and creates no action. A refused request leaves nothing behind (D32, D79, D80, D82).
 */

import { describe, expect, test } from 'vitest';
import { expectRefusal, faultPlaces } from '../support/expect/apiError.ts';
import { everyChoice } from '../support/requests/everyChoice.ts';
import { expectReplay, key, otherKey } from '../support/requests/idempotency.ts';
import { openSandbox } from '../support/sandbox/harness.ts';
import { accountsOf } from '../support/sandbox/platforms.ts';
import {
  actionsOf,
  agentQuote,
  agentState,
  executeAs,
  mustQuoteAs,
  openStranger,
  quoteAs,
  strangers,
  testAgentOperation,
  used,
} from '../support/scenes/agentOperations.ts';
import { everyPermission, openAgent, openAgentStage } from '../support/scenes/agents.ts';
import { newCustomer } from '../support/scenes/externalAccounts.ts';
import {
  at,
  fromAccount,
  fromOutside,
  lookUp,
  nobody,
  payerInfo,
  readQuote,
  readTransaction,
  toAccount,
  toUma,
  updateCustomer,
} from '../support/scenes/payments.ts';

testAgentOperation('createAgentQuote', (stage) => ({ path: '/quotes', options: { body: agentQuote(stage) } }));

async function open(policy: object = {}) {
  const sandbox = await openSandbox();
  return { sandbox, stage: await openAgentStage(sandbox, policy) };
}

const toBob = '$success.usd@pay.example';
/** The fields of a quote to a UMA address. The platform has looked up the receiver. */
const umaQuote = async (sandbox: Parameters<typeof lookUp>[0]) => ({
  destination: toUma(toBob),
  lookupId: await lookUp(sandbox, toBob),
  senderCustomerInfo: payerInfo,
});

describe('a quote', () => {
  test("is the platform's, with the agent in its transaction; nothing else has happened", async () => {
    const { sandbox, stage } = await open();
    const { agent, customerId, accountId, bankId } = stage;
    const told = { description: 'Rent', purposeOfPayment: 'REAL_ESTATE_PURCHASE' };
    const quote = await mustQuoteAs(stage, told);
    const usd = expect.objectContaining({ code: 'USD', decimals: 2 });
    expect(quote).toEqual({
      id: expect.stringMatching(/^Quote:/),
      status: 'PENDING',
      source: { ...fromAccount(accountId), currency: 'USD', customerId },
      destination: { ...toAccount(bankId), currency: 'USD', paymentRail: 'ACH' },
      sendingCurrency: usd,
      receivingCurrency: usd,
      totalSendingAmount: 2500,
      totalReceivingAmount: 2500,
      feesIncluded: 0,
      exchangeRate: 1,
      rateDetails: expect.objectContaining({ serviceApiVariableFeeRate: 0 }),
      counterpartyInformation: { FULL_NAME: 'Ada Byron' },
      transactionId: expect.stringMatching(/^Transaction:/),
      createdAt: at(0),
      expiresAt: at(300),
      ...told,
    });
    expect(await readQuote(sandbox, quote.id)).toEqual(quote);
    const transaction = await readTransaction(sandbox, quote.transactionId);
    expect(transaction).toMatchObject({ status: 'PENDING', quoteId: quote.id, customerId, agentId: agent.id });
    expect([await stage.balance(), await actionsOf(agent), await used(agent)]).toEqual([100_000, [], [0, 0]]);
  });

  test('of the platform itself names no agent', async () => {
    const { sandbox, stage } = await open();
    const { body } = await sandbox.send('POST', '/quotes', { body: agentQuote(stage) });
    expect(await readTransaction(sandbox, body.transactionId)).not.toHaveProperty('agentId');
  });

  test('to a UMA address that the platform has looked up', async () => {
    const { sandbox, stage } = await open();
    const quote = await mustQuoteAs(stage, await umaQuote(sandbox));
    expect(quote).toMatchObject({
      destination: toUma(toBob),
      counterpartyInformation: { FULL_NAME: 'Sandbox Receiver' },
    });
  });

  test.each([
    [
      'the limits',
      { spendingLimits: { perTransactionLimit: 1, dailyLimit: 1, dailyTransactionLimit: 0, monthlyLimit: 1 } },
    ],
    ['the threshold', { approvalThresholds: { currency: 'USD', amount: 1 } }],
    ['the execution mode', { defaultExecutionMode: 'APPROVAL_REQUIRED' }],
    ['the balance', { permissions: everyPermission }],
  ])('does not ask %s', async (_name, update) => {
    const { stage } = await open();
    await stage.agent.changePolicy(update);
    expect((await mustQuoteAs(stage, { lockedCurrencyAmount: 100_001 })).status).toBe('PENDING');
  });
});

describe('a quote that is paid from outside', () => {
  test.each([
    ['without', false],
    ['with', true],
  ])("%s customerId it is the customer's; the payer decides, so there is no action", async (_name, isNamed) => {
    const { sandbox, stage } = await open({ defaultExecutionMode: 'APPROVAL_REQUIRED' });
    const { agent, customerId } = stage;
    const quote = await mustQuoteAs(stage, { source: fromOutside('USD', isNamed ? { customerId } : {}) });
    expect(quote.source).toEqual(fromOutside('USD', { customerId }));
    expectRefusal(await executeAs(agent, quote), 400, 'INVALID_INPUT');
    const paid = await sandbox.send('POST', '/sandbox/send', { body: { quoteId: quote.id, currencyCode: 'USD' } });
    expect([paid.status, paid.body]).toEqual([
      200,
      expect.objectContaining({ status: 'COMPLETED', customerId, agentId: agent.id }),
    ]);
    expect([await actionsOf(agent), await used(agent), await stage.balance()]).toEqual([[], [0, 0], 100_000]);
  });

  test.each(strangers)('of %s is 404, before the permission', async (whose) => {
    const { sandbox, stage } = await open({ permissions: [] });
    const { customerId } = await openStranger(sandbox, whose);
    const answer = await quoteAs(stage, { source: fromOutside('USD', { customerId }) });
    expectRefusal(answer, 404, 'USER_NOT_FOUND');
  });

  test('asks no source of the allowed accounts', async () => {
    const { stage } = await open();
    await stage.agent.changePolicy({ accountRestrictions: { allowedAccountIds: [] } });
    await mustQuoteAs(stage, { source: fromOutside('USD') });
  });
});

describe('what is not there for the agent', () => {
  test.each(strangers)('the accounts of %s: 404 on each side, before the permission', async (whose) => {
    const { sandbox, stage } = await open();
    const stranger = await openStranger(sandbox, whose);
    await stage.agent.changePolicy({ permissions: [] });
    const before = await agentState(sandbox, stage);
    for (const id of [stranger.accountId, stranger.bankId]) {
      for (const change of [{ source: fromAccount(id) }, { destination: toAccount(id) }]) {
        expectRefusal(await quoteAs(stage, change), 404, 'ACCOUNT_NOT_FOUND');
      }
    }
    expect(await agentState(sandbox, stage)).toEqual(before);
  });

  test.each([
    ['a lookup', toUma(toBob), { lookupId: nobody('Lookup') }, 'LOOKUP_REQUEST_NOT_FOUND'],
    ['a receiver', toUma('$nobody@pay.example'), { lookupId: nobody('Lookup') }, 'UMA_NOT_FOUND'],
  ] as const)('%s that nobody has: 404', async (_name, destination, change, code) => {
    const { stage } = await open();
    expectRefusal(await quoteAs(stage, { destination, senderCustomerInfo: payerInfo, ...change }), 404, code);
  });
});

describe("the payment's own rules", () => {
  const rows: [string, object, number, Parameters<typeof expectRefusal>[2], string | undefined][] = [
    ['execution at once', { immediatelyExecute: true }, 400, 'INVALID_INPUT', 'immediatelyExecute'],
    ['an unknown field', { agentId: 'x' }, 400, 'INVALID_INPUT', 'agentId'],
    ['no amount', { lockedCurrencyAmount: 0 }, 400, 'INVALID_INPUT', 'lockedCurrencyAmount'],
    ['a currency that is not', { source: fromOutside('XXX') }, 400, 'INVALID_CURRENCY', 'source/currency'],
    ['no lookup', { destination: toUma(toBob) }, 400, 'INVALID_INPUT', 'lookupId'],
  ];
  test.each(rows)('%s: %o is %i', async (_name, change, status, code, place) => {
    const { sandbox, stage } = await open();
    const before = await agentState(sandbox, stage);
    const refused = expectRefusal(await quoteAs(stage, change), status, code);
    expect(faultPlaces(refused)).toEqual([`body /${place}`]);
    expect(await agentState(sandbox, stage)).toEqual(before);
  });

  test('immediatelyExecute may be said to be false', async () => {
    const { stage } = await open();
    expect((await mustQuoteAs(stage, { immediatelyExecute: false })).status).toBe('PENDING');
  });

  test('an amount out of range, and a receiver who gets too little information: 400', async () => {
    const { sandbox, stage } = await open();
    const { senderCustomerInfo: _info, ...rest } = await umaQuote(sandbox);
    expectRefusal(await quoteAs(stage, rest), 400, 'MISSING_MANDATORY_USER_INFO');
    const agent = await openAgent(sandbox, await newCustomer(sandbox, { currencies: ['USDC', 'BTC'] }));
    const { data } = (await agent.send('GET', '/internal-accounts')).body;
    const [bitcoins, dollars] = data.map(({ id }: { id: string }) => id);
    const change = { source: fromAccount(dollars), destination: toAccount(bitcoins), lockedCurrencyAmount: 1 };
    const answer = await agent.send('POST', '/quotes', { body: agentQuote(stage, change) });
    expectRefusal(answer, 400, 'AMOUNT_OUT_OF_RANGE');
  });

  test.each(['PENDING', 'REJECTED'])(
    'a customer who is %s may not send: 403, before the accounts',
    async (kycStatus) => {
      const { sandbox, stage } = await open();
      await updateCustomer(sandbox, stage.customerId, { kycStatus });
      await stage.agent.changePolicy({ accountRestrictions: { allowedAccountIds: [] } });
      expectRefusal(await quoteAs(stage), 403, 'USER_NOT_READY');
    },
  );
});

describe('allowedAccountIds', () => {
  test.each(['external account', 'UMA address'])('without the source: 403 that names it, to an %s', async (kind) => {
    const { sandbox, stage } = await open();
    await stage.agent.changePolicy({ accountRestrictions: { allowedAccountIds: [] } });
    const change = kind === 'UMA address' ? await umaQuote(sandbox) : {};
    const before = await agentState(sandbox, stage);
    const refused = expectRefusal(await quoteAs(stage, change), 403, 'POLICY_VIOLATION');
    expect(refused).toMatchObject({ reason: 'allowedAccountIds', details: { accountId: stage.accountId } });
    expect(await agentState(sandbox, stage)).toEqual(before);
  });

  test('with the source: 201, to an external account and to a UMA address, because the list is about internal accounts only', async () => {
    const { sandbox, stage } = await open();
    await stage.agent.changePolicy({ accountRestrictions: { allowedAccountIds: [stage.accountId] } });
    await mustQuoteAs(stage);
    await mustQuoteAs(stage, await umaQuote(sandbox));
  });

  test('between two internal accounts both are examined', async () => {
    const { sandbox, stage } = await open();
    const accounts = await accountsOf(sandbox, stage.customerId);
    const other = accounts.find(({ id, type }) => id !== stage.accountId && type !== 'EMBEDDED_WALLET')?.id ?? '';
    const change = { destination: toAccount(other) };
    await stage.agent.changePolicy({ accountRestrictions: { allowedAccountIds: [stage.accountId] } });
    const refused = expectRefusal(await quoteAs(stage, change), 403, 'POLICY_VIOLATION');
    expect(refused).toMatchObject({ reason: 'allowedAccountIds', details: { accountId: other } });
    await stage.agent.changePolicy({ accountRestrictions: { allowedAccountIds: [stage.accountId, other] } });
    await mustQuoteAs(stage, change);
  });
});

test('a key: the same quote again, whatever has happened to it, and 422 for another', async () => {
  const { sandbox, stage } = await open();
  const options = { headers: { 'Idempotency-Key': key } };
  const early = { headers: { 'Idempotency-Key': otherKey } };
  expectRefusal(await quoteAs(stage, { immediatelyExecute: true }, early), 400, 'INVALID_INPUT');
  expectRefusal(await quoteAs(stage, {}, early), 422, 'IDEMPOTENCY_KEY_REUSED');
  const first = await quoteAs(stage, {}, options);
  expect(first.status).toBe(201);
  await sandbox.advance(300);
  expectReplay(await quoteAs(stage, {}, options), first);
  expectRefusal(await quoteAs(stage, { lockedCurrencyAmount: 2501 }, options), 422, 'IDEMPOTENCY_KEY_REUSED');
  expectRefusal(await quoteAs(stage, {}, { headers: { 'Idempotency-Key': 'x' } }), 400, 'INVALID_INPUT');
});

test("takes every field of the platform's quote, and returns it", async () => {
  const { sandbox, stage } = await open();
  const { customerId, accountId, bankId } = stage;
  const source = fromAccount(accountId, { customerId, currency: 'USD' });
  const lookedUp = (await sandbox.send('GET', `/receiver/external-account/${bankId}`)).body.lookupId;
  const toBank = await mustQuoteAs(stage, {
    source,
    destination: toAccount(bankId, { paymentRail: 'ACH', currency: 'USD' }),
    lookupId: lookedUp,
    immediatelyExecute: false,
  });
  expect(toBank).toMatchObject({ source, destination: { accountId: bankId, paymentRail: 'ACH', currency: 'USD' } });
  const outside = fromOutside('EUR', { customerId });
  const { lookupId } = await umaQuote(sandbox);
  const destination = toUma(toBob, { currency: 'USD' });
  const change = { source: outside, destination, lookupId, senderCustomerInfo: payerInfo };
  expect(await mustQuoteAs(stage, change)).toMatchObject({ source: outside, destination });
  for (const purposeOfPayment of everyChoice({ $ref: '#/components/schemas/PurposeOfPayment' })) {
    expect(await mustQuoteAs(stage, { purposeOfPayment })).toMatchObject({ purposeOfPayment });
  }
});
