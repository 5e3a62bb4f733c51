/**
 * Promise: the examples of the contract tell one story. An id names the same thing everywhere, every reference leads to
 * an existing thing with the stated owner, and events happen in order. Every planted contradiction is found.
 */
import { describe, expect, test } from 'vitest';
import { type NamedExample, readExamples } from '../../scripts/check/story/read.ts';
import { findContradictions } from '../../scripts/check/story.ts';
import { bundle } from '../support/expect/apiError.ts';

const examples = readExamples(bundle);

// biome-ignore lint/suspicious/noExplicitAny: a test may change any part of an example
type Value = any;

/** The contradictions after one example is changed. */
function spoil(title: string, change: (value: Value) => unknown): string[] {
  const [operationId, ...rest] = title.split('.');
  const name = rest.join('.');
  const told: NamedExample[] = examples.map((example) => {
    if (example.operationId !== operationId || example.name !== name) return example;
    const copy = structuredClone(example.value);
    const changed = change(copy);
    // A parameter's value is a string, which can't be changed in place.
    const value = typeof changed === 'string' ? changed : copy;
    expect(value).not.toEqual(example.value);
    return { ...example, value };
  });
  expect(told).not.toEqual(examples);
  return findContradictions(told);
}

const uuid = (end: string) => `0199e0a4-2f00-7a31-8f5e-6d0b5c2a1e${end}`;

test('the real examples do not contradict each other', () => {
  expect(examples.length).toBeGreaterThan(300);
  expect(findContradictions(examples)).toEqual([]);
});

describe('planted contradictions are found', () => {
  const planted: [what: string, title: string, change: (value: Value) => unknown, found: RegExp][] = [
    [
      'an id of a parameter that no example shows',
      'listAgents.customerId.amara',
      () => `Customer:${uuid('99')}`,
      /no example shows Customer:/,
    ],
    [
      'a path that names another quote than the reply',
      'getAgentQuote.quoteId.getAgentQuote',
      () => `Quote:${uuid('50')}`,
      /getAgentQuote.dollarQuote is about Quote:\S+5a, not Quote:\S+50/,
    ],
    [
      'a filter that no entry of the list has',
      'listCustomers.region.unitedStates',
      () => 'DE',
      /no entry of listCustomers.firstPage has region=DE/,
    ],
    [
      'filters that no entry has together',
      'listInternalAccounts.currency.dollars',
      () => 'USDB',
      /no entry of listInternalAccounts.walletAndBank has currency=USDB and customerId=\S+ and type=INTERNAL_FIAT/,
    ],
    [
      'a time after the list',
      'listAgents.createdAfter.thatDay',
      () => '2026-01-01T00:00:00.000Z',
      /no entry of listAgents.oneAgent has createdAfter=2026/,
    ],
    [
      'an id that no example shows',
      'createCredential.emailOtp',
      (v) => Object.assign(v, { accountId: `InternalAccount:${uuid('99')}` }),
      /no example shows InternalAccount:/,
    ],
    [
      'one in a text to sign',
      'createQuote.walletQuote',
      (v) =>
        Object.assign(v.paymentInstructions[0].accountOrWalletInfo, {
          payloadToSign: `{"parameters":{"quoteId":"Quote:${uuid('99')}"}}`,
        }),
      /no example shows Quote:/,
    ],
    ['another name', 'getCustomer.individual', (v) => Object.assign(v, { fullName: 'Amara Obi' }), /another fullName/],
    [
      'another customer of a wallet',
      'updateInternalAccount.walletMadePrivate',
      (v) => Object.assign(v, { customerId: `Customer:${uuid('02')}` }),
      /another customerId/,
    ],
    [
      'another type of account',
      'listInternalAccounts.walletAndBank',
      (v) => Object.assign(v.data[0], { type: 'INTERNAL_CRYPTO' }),
      /another type/,
    ],
    [
      'another bank',
      'getExternalAccount.bank',
      (v) => Object.assign(v.accountInfo, { routingNumber: '021000089' }),
      /another accountInfo/,
    ],
    [
      'another policy',
      'getAgent.billPayer',
      (v) => Object.assign(v.policy.spendingLimits, { dailyLimit: 1 }),
      /another policy/,
    ],
    [
      'another moment of creation',
      'verifyCredential.emailOtpSession',
      (v) => Object.assign(v, { createdAt: '2025-10-13T09:03:00.000Z' }),
      /another createdAt/,
    ],
    [
      'a field that is missing in a list',
      'listCustomers.firstPage',
      (v) => delete v.data[1].address,
      /another address/,
    ],
    [
      'a field that nothing changed',
      'updateAgent.renamed',
      (v) => Object.assign(v.policy, { defaultExecutionMode: 'APPROVAL_REQUIRED' }),
      /another policy/,
    ],
    [
      'the account of somebody else',
      'getQuote.completed',
      (v) => Object.assign(v.source, { customerId: `Customer:${uuid('02')}` }),
      /the owner of InternalAccount/,
    ],
    [
      'a currency that the account has not',
      'createTransferOut.completed',
      (v) => Object.assign(v.source, { currency: 'EUR' }),
      /the currency of InternalAccount/,
    ],
    [
      'a credential of no wallet',
      'createCredential.oauthCreated',
      (v) => Object.assign(v, { accountId: `InternalAccount:${uuid('11')}` }),
      /the type of the account/,
    ],
    [
      "the platform's name of another",
      'getTransaction.incoming',
      (v) => Object.assign(v, { platformCustomerId: 'shop-0815' }),
      /the platform's name/,
    ],
    [
      'the customer of another agent',
      'getAgentAction.rejected',
      (v) => Object.assign(v, { customerId: `Customer:${uuid('02')}` }),
      /the customer of Agent/,
    ],
    [
      "an account of somebody else in an agent's policy",
      'getAgent.notConnected',
      (v) => Object.assign(v, { customerId: `Customer:${uuid('02')}` }),
      /the owner of .*, which the policy names,/,
    ],
    [
      'a holder of another name',
      'createQuote.walletQuote',
      (v) => Object.assign(v.counterpartyInformation, { FULL_NAME: 'Nobody' }),
      /the holder of the destination/,
    ],
    [
      'a total that the quote has not',
      'getTransaction.outgoing',
      (v) => Object.assign(v.sentAmount, { amount: 9_999_999 }),
      /the total of the quote/,
    ],
    [
      'a fee that the quote has not',
      'sendSandboxPayment.completed',
      (v) => Object.assign(v, { fees: 30 }),
      /the fee of the quote/,
    ],
    [
      'a text to sign of another total',
      'createQuote.walletQuote',
      (v) => {
        const info = v.paymentInstructions[0].accountOrWalletInfo;
        info.payloadToSign = info.payloadToSign.replace('10000000', '1');
      },
      /the total to sign/,
    ],
    [
      'a challenge of six minutes',
      'createCredential.signatureRequired',
      (v) => Object.assign(v, { expiresAt: '2025-10-13T09:18:00.000Z' }),
      /lifetime of the challenge in minutes is 5, not 6/,
    ],
    [
      'an action of another amount',
      'createAgentTransferOut.carriedOut',
      (v) => Object.assign(v.transferDetails, { amount: 2501 }),
      /the amount is/,
    ],
    [
      'a change before the making',
      'getTransaction.outgoing',
      (v) => Object.assign(v, { updatedAt: '2025-10-13T09:29:00.000Z' }),
      /before it was made/,
    ],
    [
      'something that names what came later',
      'listCredentials.passkeyAndEmail',
      (v) => Object.assign(v.data[0], { createdAt: '2025-10-13T08:00:00.000Z', updatedAt: '2025-10-13T08:00:00.000Z' }),
      /made later/,
    ],
    [
      'a quote of six minutes',
      'createQuote.umaQuote',
      (v) => Object.assign(v, { expiresAt: '2025-10-13T09:36:00.000Z' }),
      /lives 6 minutes/,
    ],
    [
      'a session of an hour',
      'refreshSession.sessionRefreshed',
      (v) => Object.assign(v, { expiresAt: '2025-10-13T10:12:00.000Z' }),
      /lives 60 minutes/,
    ],
    [
      'a device code of an hour',
      'createAgent.billPayerCreated',
      (v) => Object.assign(v.deviceCode, { expiresAt: '2025-10-13T11:00:00.000Z' }),
      /lifetime of the device code/,
    ],
    [
      'usage that nobody caused',
      'getAgent.billPayer',
      (v) => Object.assign(v.usage, { dailySpend: 2501 }),
      /its usage says/,
    ],
    [
      'usage that is too old',
      'updateAgent.paused',
      (v) => Object.assign(v.usage, { dailyTransactionCount: 1, dailySpend: 2500, monthlySpend: 2500 }),
      /by the story 4/,
    ],
    [
      'a deletion before the last payment',
      'deleteCustomer.individualDeleted',
      (v) => Object.assign(v, { updatedAt: '2025-10-13T10:00:00.000Z' }),
      /was deleted before/,
    ],
    ['a list in the wrong order', 'listSessions.twoSessions', (v) => v.data.reverse(), /the order is/],
    [
      'a total that is too small',
      'listAgentActions.firstPage',
      (v) => Object.assign(v, { totalCount: 2 }),
      /more than the total/,
    ],
  ];

  test.each(planted)('%s', (_what, title, change, found) => {
    expect(spoil(title, change)).toContainEqual(expect.stringMatching(found));
  });
});
