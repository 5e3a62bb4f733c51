/**
 * Promise: the list shows every account of the platform's customers that matches the filters, in the contract's shapes
 * (D36).
 */
import { describe, expect, test } from 'vitest';
import type { InternalAccount } from '../../generated/types.ts';
import { currencyCodes } from '../../mocks/sandbox/payments/currencies.ts';
import { expectRefusal, faultPlaces } from '../support/expect/apiError.ts';
import { misfits } from '../support/requests/arbitrary.ts';
import { testList } from '../support/requests/lists.ts';
import { testCommonRefusals } from '../support/requests/refusals.ts';
import { sample } from '../support/run/length.ts';
import { must, openSandbox, type TestSandbox } from '../support/sandbox/harness.ts';
import { openWallet } from '../support/scenes/builders.ts';

const path = '/customers/internal-accounts';
const createWith = async (sandbox: TestSandbox, ...currencies: string[]): Promise<string> => {
  const answer = await sandbox.send('POST', '/customers', { body: { customerType: 'INDIVIDUAL', currencies } });
  expect(answer.status).toBe(201);
  return answer.body.id;
};
const find = async (sandbox: TestSandbox, query: string): Promise<InternalAccount[]> => {
  const answer = await sandbox.send('GET', `${path}?${query}`);
  expect([answer.status, answer.body?.totalCount]).toEqual([200, answer.body?.data?.length]);
  return answer.body.data;
};

testCommonRefusals('listInternalAccounts', path);

testList({
  path,
  none: 'currency=JPY',
  some: 'currency=EUR',
  wide: 'type=INTERNAL_FIAT',
  add: async (sandbox) => void (await createWith(sandbox, 'EUR')),
  addOther: async (sandbox) => void (await createWith(sandbox, 'GBP')),
  otherPath: '/customers',
});

describe('filters', () => {
  test.each<[query: string, currencies: string[]]>([
    ['', ['USDB', 'USDC', 'BTC', 'EUR']],
    ['&currency=EUR', ['EUR']],
    ['&type=INTERNAL_CRYPTO', ['USDC', 'BTC']],
    ['&type=EMBEDDED_WALLET', ['USDB']],
    ['&type=INTERNAL_CRYPTO&currency=BTC', ['BTC']],
    ['&type=INTERNAL_FIAT&currency=BTC', []],
    ['&currency=GBP', []],
    ['&currency=XXX', []],
  ])('of one customer, with "%s": %s', async (query, currencies) => {
    const sandbox = await openSandbox();
    const customerId = await createWith(sandbox, 'EUR', 'BTC', 'USDC', 'USDB');
    await createWith(sandbox, 'EUR');
    const found = await find(sandbox, `customerId=${customerId}${query}`);
    expect(found.map(({ balance }) => balance.currency.code)).toEqual(currencies);
    for (const account of found) expect(account.customerId).toBe(customerId);
  });

  test.each([
    ['currency', 'currency=EUR', 2],
    ['type', 'type=EMBEDDED_WALLET', 2],
    ['nothing', '', 7],
  ])('by %s the accounts of every customer count', async (_name, query, count) => {
    const sandbox = await openSandbox();
    // In addition to the two ready-made customers, which each have USD, USDC and USDB.
    for (let made = 0; made < (query.startsWith('currency') ? 2 : 1); made += 1) await createWith(sandbox, 'EUR');
    expect(await find(sandbox, query)).toHaveLength(count);
  });

  test('a customer that does not exist has an empty list (D55)', async () => {
    expect(await find(await openSandbox(), 'customerId=Customer:none')).toEqual([]);
  });

  test.each([
    ['customerId=none', 'customerId'],
    ['customerId=InternalAccount:a', 'customerId'],
    ['currency=eur', 'currency'],
    ['currency=', 'currency'],
    ['type=WALLET', 'type'],
    ['type=INTERNAL_FIAT,INTERNAL_CRYPTO', 'type'],
    ['status=ACTIVE', 'status'],
  ])('%s is 400 and names the parameter', async (query, name) => {
    const answer = await (await openSandbox()).send('GET', `${path}?${query}`);
    expect(faultPlaces(expectRefusal(answer, 400, 'INVALID_INPUT'))).toEqual([`query /${name}`]);
  });
});

describe('an account', () => {
  test.each([
    ['USD', 'INTERNAL_FIAT', 2, ['USD_ACCOUNT']],
    ['EUR', 'INTERNAL_FIAT', 2, ['EUR_ACCOUNT']],
    ['JPY', 'INTERNAL_FIAT', 0, ['SWIFT_ACCOUNT']],
    ['KWD', 'INTERNAL_FIAT', 3, ['SWIFT_ACCOUNT']],
    ['USDC', 'INTERNAL_CRYPTO', 6, ['SOLANA_WALLET', 'BASE_WALLET']],
    ['USDT', 'INTERNAL_CRYPTO', 6, ['TRON_WALLET']],
    ['BTC', 'INTERNAL_CRYPTO', 8, ['SPARK_WALLET']],
    ['USDB', 'EMBEDDED_WALLET', 6, []],
  ])('in %s is %s with %i decimals, and opens empty', async (code, type, decimals, ways) => {
    const sandbox = await openSandbox();
    const customerId = await createWith(sandbox, code);
    const [account] = await find(sandbox, `customerId=${customerId}`);
    expect(account).toEqual({
      id: expect.stringMatching(/^InternalAccount:[0-9a-f-]{36}$/),
      customerId,
      type,
      status: 'ACTIVE',
      balance: { amount: 0, currency: { code, decimals, name: expect.any(String), symbol: expect.any(String) } },
      fundingPaymentInstructions: ways.map((accountType) => ({
        accountOrWalletInfo: expect.objectContaining({ accountType }),
        instructionsNotes: expect.any(String),
        isPlatformAccount: false,
      })),
      ...(type === 'EMBEDDED_WALLET' ? { privateEnabled: false } : {}),
      createdAt: '2025-10-13T09:00:00.000Z',
      updatedAt: '2025-10-13T09:00:00.000Z',
    });
  });

  test('belongs to the wallet that a new customer gets without asking', async () => {
    const sandbox = await openSandbox();
    const { customer, accountId } = await openWallet(sandbox);
    const [wallet] = await find(sandbox, `customerId=${customer.id}&type=EMBEDDED_WALLET`);
    expect(wallet?.id).toBe(accountId);
  });
});

describe('how to pay in', () => {
  const special: Readonly<Record<string, string[]>> = {
    BTC: ['SPARK_WALLET'],
    JPY: ['SWIFT_ACCOUNT'],
    KWD: ['SWIFT_ACCOUNT'],
    USDB: [],
    USDC: ['SOLANA_WALLET', 'BASE_WALLET'],
    USDT: ['TRON_WALLET'],
  };
  const instructionsOf = async (sandbox: TestSandbox, customerId: string) => {
    const [account] = await find(sandbox, `customerId=${customerId}`);
    return account?.fundingPaymentInstructions ?? [];
  };

  test.each(sample(currencyCodes, 16))('into an account in %s', async (code) => {
    const sandbox = await openSandbox();
    const [one, other] = [await createWith(sandbox, code), await createWith(sandbox, code)];
    const instructions = await instructionsOf(sandbox, one);
    const kinds = instructions.map(({ accountOrWalletInfo }) => accountOrWalletInfo.accountType);
    expect(kinds).toEqual(special[code] ?? [`${code}_ACCOUNT`]);
    const others = await instructionsOf(sandbox, other);
    for (const [index, instruction] of instructions.entries()) {
      expect(misfits({ $ref: '#/components/schemas/PaymentInstructions' }, instruction)).toEqual([]);
      expect(instruction.isPlatformAccount).toBe(false);
      expect(instruction.accountOrWalletInfo).not.toEqual(others[index]?.accountOrWalletInfo);
      const { reference } = instruction.accountOrWalletInfo as { reference?: string };
      if (reference !== undefined) expect(instruction.instructionsNotes).toContain(reference);
    }
    await sandbox.advance(86_400);
    expect(await instructionsOf(sandbox, one)).toEqual(instructions);
  });

  test('stays the same when money comes in', async () => {
    const sandbox = await openSandbox();
    const customerId = await createWith(sandbox, 'EUR');
    const before = await instructionsOf(sandbox, customerId);
    const [account] = await find(sandbox, `customerId=${customerId}`);
    must(await sandbox.send('POST', `/sandbox/internal-accounts/${account?.id}/fund`, { body: { amount: 1 } }));
    expect(await instructionsOf(sandbox, customerId)).toEqual(before);
  });

  test('into two accounts of one customer has different references', async () => {
    const sandbox = await openSandbox();
    const customerId = await createWith(sandbox, 'EUR', 'GBP');
    const accounts = await find(sandbox, `customerId=${customerId}`);
    const notes = accounts.flatMap(({ fundingPaymentInstructions }) => fundingPaymentInstructions);
    expect(new Set(notes.map(({ instructionsNotes }) => instructionsNotes)).size).toBe(2);
  });
});
