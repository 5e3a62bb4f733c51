/**
 * Promise: payloadToSign returns the text of a quote that the wallet's owner signs, byte for byte. A quote without such a
 * text is a TypeError that names the quote.
 */
import { expect, onTestFinished, test } from 'vitest';
import { payloadToSign } from '../../client/index.ts';
import { createSandbox } from '../../package/sandbox.ts';
import { payloadToSign as forTests, signIn } from '../../package/testing.ts';
import { data } from '../support/sandbox/harness.ts';

test('its signature executes the quote in real proofs, and another text does not', async () => {
  const sandbox = await createSandbox({ proofs: 'real' });
  onTestFinished(() => sandbox.close());
  const client = sandbox.client();
  const customer = { currencies: ['USD', 'USDB'] };
  const { wallet, accounts, signer } = await signIn(sandbox, { balance: 5_000_000, customer });
  const dollars = accounts.find(({ balance }) => balance.currency.code === 'USD');
  const ask = async (source: string, destination: string, amount: number) =>
    data(
      await client.POST('/quotes', {
        body: {
          source: { sourceType: 'ACCOUNT', accountId: source },
          destination: { destinationType: 'ACCOUNT', accountId: destination },
          lockedCurrencySide: 'SENDING',
          lockedCurrencyAmount: amount,
        },
      }),
    );
  const quote = await ask(wallet.id, dollars?.id ?? '', 1_000_000);
  const execute = async (text: string) => {
    const header = { 'Service-Wallet-Signature': await signer(text) };
    return client.POST('/quotes/{quoteId}/execute', { params: { path: { quoteId: quote.id }, header } });
  };
  expect((await execute(`${payloadToSign(quote)} `)).response.status).toBe(401);
  expect(data(await execute(payloadToSign(quote))).status).toBe('COMPLETED');

  const other = await ask(dollars?.id ?? '', wallet.id, 10);
  expect(() => payloadToSign(other)).toThrow(
    new TypeError(`The quote ${other.id} has no payload to sign. Only a quote that a wallet pays has one.`),
  );
  // @ts-expect-error: a wallet is not a quote
  expect(() => payloadToSign(wallet)).toThrow(TypeError);
});

test('is in countersign/testing too', () => {
  expect(forTests).toBe(payloadToSign);
});
