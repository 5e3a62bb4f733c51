/**
 * Promise: a quote that is paid from outside has payment instructions for every currency, and starts only with that
 * payment. A quote to an account outside says which way the money goes (D76, D77).
 */
import { describe, expect, it } from 'vitest';
import type { SparkPaymentAccountInfo } from '../../generated/types.ts';
import { expectRefusal } from '../support/expect/apiError.ts';
import { decimalsOf } from '../support/expect/exactMoney.ts';
import { readSpark } from '../support/expect/sparkInvoices.ts';
import { mustAdd } from '../support/scenes/externalAccounts.ts';
import {
  execute,
  fromAccount,
  fromOutside,
  moneyState,
  mustQuote,
  mustQuoteUma,
  nobody,
  openSides,
  readTransaction,
  toAccount,
  toUma,
} from '../support/scenes/payments.ts';

const usd = '$success.usd@pay.example';

/** The account types for currencies without bank accounts. */
const wallets: Readonly<Record<string, readonly string[]>> = {
  BTC: ['SPARK_WALLET'],
  JPY: ['SWIFT_ACCOUNT'],
  KWD: ['SWIFT_ACCOUNT'],
  USDB: ['SPARK_WALLET'],
  USDC: ['SOLANA_WALLET', 'BASE_WALLET'],
  USDT: ['TRON_WALLET'],
};

describe('money from outside', () => {
  it.each(Object.keys(decimalsOf))("%s: instructions with a reference of the quote's own", async (currency) => {
    const { sandbox, payer } = await openSides();
    const amounts = { lockedCurrencySide: 'RECEIVING', lockedCurrencyAmount: 1_000_00 };
    const ask = () => mustQuote(sandbox, fromOutside(currency), toAccount(payer.account('USD')), amounts);
    const [one, other] = [await ask(), await ask()];
    expect(one.source).toEqual(fromOutside(currency));
    const infos = (one.paymentInstructions ?? []).map(({ accountOrWalletInfo }) => accountOrWalletInfo);
    expect(infos.map(({ accountType }) => accountType)).toEqual(wallets[currency] ?? [`${currency}_ACCOUNT`]);
    const { reference } = (await readTransaction(sandbox, one.transactionId)).reconciliationInstructions ?? {};
    for (const info of infos) if ('reference' in info) expect(info.reference).toBe(reference);
    expect(other.paymentInstructions).not.toEqual(one.paymentInstructions);
    expect(infos.some((info) => 'payloadToSign' in info)).toBe(false);
  });

  it.each(['BTC', 'USDB'])('%s: a Spark invoice asks for the total, until the quote expires', async (currency) => {
    const { sandbox, payer } = await openSides();
    const amounts = { lockedCurrencySide: 'RECEIVING', lockedCurrencyAmount: 1_000_00 };
    const quote = await mustQuote(sandbox, fromOutside(currency), toAccount(payer.account('USD')), amounts);
    const [instruction] = quote.paymentInstructions ?? [];
    const { address = '', invoice = '' } = (instruction?.accountOrWalletInfo ?? {}) as Partial<SparkPaymentAccountInfo>;
    const asked = { asset: currency, amount: quote.totalSendingAmount, memo: quote.id };
    const read = readSpark(invoice);
    expect(read).toMatchObject({ prefix: 'sparkrt', invoice: { ...asked, expiresAt: Date.parse(quote.expiresAt) } });
    expect(readSpark(address)).toEqual({ prefix: read.prefix, publicKey: read.publicKey });
    expect((await sandbox.send('GET', `/quotes/${quote.id}`)).body).toEqual(quote);
  });

  it("of a customer is that customer's payment; it can't be executed", async () => {
    const { sandbox, payer, bank } = await openSides();
    const source = fromOutside('EUR', { customerId: payer.id });
    const quote = await mustQuote(sandbox, source, toAccount(bank));
    expect(quote.source).toEqual(source);
    expect((await readTransaction(sandbox, quote.transactionId)).customerId).toBe(payer.id);
    const before = await moneyState(sandbox, quote.id);
    expectRefusal(await execute(sandbox, quote.id), 400, 'INVALID_INPUT');
    expect(await moneyState(sandbox, quote.id)).toEqual(before);
    expectRefusal(await execute(sandbox, nobody('Quote')), 404, 'QUOTE_NOT_FOUND');
  });

  it('an address outside is a wallet without rails', async () => {
    const { sandbox, payer } = await openSides();
    const wallet = await mustAdd(sandbox, {
      currency: 'USDC',
      accountInfo: { accountType: 'SOLANA_WALLET', address: '4Nd1mYQzvgV8Vr3Z3nYb7pD6T8K9jF2eWqxY1sUoRabc' },
    });
    const quote = await mustQuote(sandbox, fromAccount(payer.account('EUR')), toAccount(wallet.id));
    expect(quote.destination).toEqual({ ...toAccount(wallet.id), currency: 'USDC' });
    const receiver = await mustQuoteUma(sandbox, fromAccount(payer.account('EUR')), usd);
    expect(receiver.destination).toEqual({ ...toUma(usd), currency: 'USD' });
  });
});
