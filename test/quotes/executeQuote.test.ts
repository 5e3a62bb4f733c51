/**
 * Promise: the checks of an execution have one order. A refusal moves nothing and leaves the quote unchanged. A wallet
 * pays only what its owner signed, with either kind of proofs (D15, D17, D72).
 */
import { p256 } from '@noble/curves/nist.js';
import { describe, expect, it } from 'vitest';
import type { Quote } from '../../generated/types.ts';
import { expectRefusal, faultPlaces } from '../support/expect/apiError.ts';
import {
  encodeStamp,
  type Kind,
  openProver,
  openSignedIn,
  refreshBy,
  signBy,
  signInBy,
  stampOf,
  stampParts,
} from '../support/proofs/prover.ts';
import { wrongSignature } from '../support/proofs/signedRetries.ts';
import { testCommonRefusals } from '../support/requests/refusals.ts';
import { magic } from '../support/scenes/builders.ts';
import { deleteCustomer } from '../support/scenes/businesses.ts';
import {
  bankAccount,
  books,
  execute,
  fromAccount,
  fund,
  moneyState,
  mustQuote,
  nobody,
  openBooks,
  openPayer,
  readQuote,
  toAccount,
  updateCustomer,
} from '../support/scenes/payments.ts';

testCommonRefusals('executeQuote', `/quotes/${nobody('Quote')}/execute`);

/** The payload that a wallet's owner must sign. */
function payloadOf({ paymentInstructions = [] }: Quote): string {
  const [instruction] = paymentInstructions;
  const info = instruction?.accountOrWalletInfo;
  if (info === undefined || !('payloadToSign' in info)) throw new Error('The quote has nothing to sign');
  expect([paymentInstructions.length, info.accountType]).toEqual([1, 'EMBEDDED_WALLET']);
  return info.payloadToSign as string;
}

/** A signed-in wallet with money, and a quote from it to a bank account. */
async function openWalletQuote(kind: Kind) {
  const prover = await openProver(kind);
  const { sandbox } = prover;
  const wallet = await openSignedIn(prover, 'PASSKEY');
  await fund(sandbox, wallet.accountId, 5_000_000);
  const bank = await bankAccount(sandbox, '001');
  const ask = () =>
    mustQuote(sandbox, fromAccount(wallet.accountId), toAccount(bank), { lockedCurrencyAmount: 1_000_000 });
  const quote = await ask();
  const balance = async () => (await books(sandbox))[wallet.accountId];
  return { prover, sandbox, wallet, bank, ask, quote, payload: payloadOf(quote), balance };
}

const withSignature = (signature: string) => ({ 'Service-Wallet-Signature': signature });
/** The signature alone, in base64. */
const bare = (payload: string, privateKey: Uint8Array, format: 'der' | 'compact' = 'der') =>
  Buffer.from(p256.sign(Buffer.from(payload), privateKey, { format })).toString('base64');

describe('the order of checks', () => {
  it('refuses for one fault after the other', async () => {
    const sandbox = await openBooks();
    const payer = await openPayer(sandbox, { USDB: 10_000 }, { email: 'ada@example.com' });
    const bank = await bankAccount(sandbox, '001');
    const source = fromAccount(payer.account('USDB'));
    const quote = await mustQuote(sandbox, source, toAccount(bank), { lockedCurrencyAmount: 20_000 });
    await updateCustomer(sandbox, payer.id, { kycStatus: 'REJECTED' });
    const registered = await sandbox.send('POST', '/auth/credentials', {
      body: { type: 'EMAIL_OTP', accountId: payer.account('USDB') },
    });
    const before = await moneyState(sandbox, quote.id);
    expectRefusal(await execute(sandbox, quote.id), 403, 'USER_NOT_READY');
    await updateCustomer(sandbox, payer.id, { kycStatus: 'APPROVED' });
    expectRefusal(await execute(sandbox, quote.id), 401, 'WALLET_SIGNATURE_MISSING');
    const headers = withSignature(magic.walletSignature);
    const unsigned = expectRefusal(await execute(sandbox, quote.id, headers), 401, 'UNAUTHORIZED');
    expect(unsigned).toMatchObject({ ...wrongSignature, message: expect.stringMatching(/no active session.* Verify/) });
    const clientPublicKey = Buffer.from(p256.getPublicKey(new Uint8Array(32).fill(3), false)).toString('hex');
    const body = { type: 'EMAIL_OTP', otp: magic.otp, clientPublicKey };
    const verified = await sandbox.send('POST', `/auth/credentials/${registered.body.id}/verify`, { body });
    expect(verified.status).toBe(200);
    const refused = expectRefusal(await execute(sandbox, quote.id, headers), 400, 'INSUFFICIENT_FUNDS');
    expect(refused.details).toMatchObject({ balance: 10_000, needed: 20_000 });
    expect(refused.message).toContain('holds 0.01 USDB (10000); the payment needs 0.02 USDB (20000)');
    expect(await moneyState(sandbox, quote.id)).toEqual(before);
    await fund(sandbox, payer.account('USDB'), 10_000);
    expect((await execute(sandbox, quote.id, headers)).body.status).toBe('COMPLETED');
    const after = await moneyState(sandbox, quote.id);
    expectRefusal(await execute(sandbox, quote.id, headers), 409, 'QUOTE_NOT_PENDING');
    await updateCustomer(sandbox, payer.id, { kycStatus: 'REJECTED' });
    expectRefusal(await execute(sandbox, quote.id), 409, 'QUOTE_NOT_PENDING');
    expect(await moneyState(sandbox, quote.id)).toEqual(after);
  });

  it('a payer who was deleted is 410, unless the quote is over', async () => {
    const sandbox = await openBooks();
    const payer = await openPayer(sandbox, { USD: 0 }, { kycStatus: 'APPROVED' });
    const bank = await bankAccount(sandbox, '001');
    const quote = await mustQuote(sandbox, fromAccount(payer.account('USD')), toAccount(bank));
    await updateCustomer(sandbox, payer.id, { kycStatus: 'REJECTED' });
    await deleteCustomer(sandbox, payer.id);
    expectRefusal(await execute(sandbox, quote.id), 410, 'CUSTOMER_DELETED');
    expect(await readQuote(sandbox, quote.id)).toEqual(quote);
    await sandbox.advance(300);
    expectRefusal(await execute(sandbox, quote.id), 409, 'QUOTE_EXPIRED');
  });

  it.each([
    ['002', 'FAILED'],
    ['003', 'PROCESSING'],
    ['005', 'COMPLETED'],
  ])('a quote to …%s is %s and is not executed again', async (suffix, status) => {
    const sandbox = await openBooks();
    const payer = await openPayer(sandbox);
    const bank = await bankAccount(sandbox, suffix);
    const quote = await mustQuote(sandbox, fromAccount(payer.account('EUR')), toAccount(bank));
    expect((await execute(sandbox, quote.id)).body.status).toBe(status);
    const after = await moneyState(sandbox, quote.id);
    expectRefusal(await execute(sandbox, quote.id), 409, 'QUOTE_NOT_PENDING');
    expect(await moneyState(sandbox, quote.id)).toEqual(after);
  });

  it.each(['001', '002', '004', '007'])('without the money 400, whatever the destination (…%s)', async (suffix) => {
    const sandbox = await openBooks();
    const payer = await openPayer(sandbox, { EUR: 9_999 });
    const bank = await bankAccount(sandbox, suffix);
    const quote = await mustQuote(sandbox, fromAccount(payer.account('EUR')), toAccount(bank));
    expectRefusal(await execute(sandbox, quote.id), 400, 'INSUFFICIENT_FUNDS');
    await fund(sandbox, payer.account('EUR'), 1);
    expect((await execute(sandbox, quote.id)).status).toBe(200);
  });

  it('in parallel, one quote is executed once, and money is spent once', async () => {
    const sandbox = await openBooks();
    const payer = await openPayer(sandbox, { EUR: 10_000 });
    const destination = toAccount(await bankAccount(sandbox, '001'));
    const ask = () => mustQuote(sandbox, fromAccount(payer.account('EUR')), destination);
    const [one, other] = [await ask(), await ask()];
    const calls = [one, one, other, one, other, other].map(({ id }) => execute(sandbox, id));
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(new Set(statuses)).toEqual(new Set([200, 400, 409]));
    expect(await books(sandbox)).toMatchObject({ 'World:EUR:EXCHANGE': 9950, 'Fees:EUR': 50 });
  });

  it("a key that isn't a UUID: 400", async () => {
    const sandbox = await openBooks();
    const answer = await execute(sandbox, nobody('Quote'), { 'Idempotency-Key': 'x' });
    expect(faultPlaces(expectRefusal(answer, 400, 'INVALID_INPUT'))).toEqual(['header /Idempotency-Key']);
  });

  it('a signature is ignored where no wallet pays', async () => {
    const sandbox = await openBooks();
    const payer = await openPayer(sandbox);
    const quote = await mustQuote(
      sandbox,
      fromAccount(payer.account('EUR')),
      toAccount(await bankAccount(sandbox, '001')),
    );
    expect(quote).not.toHaveProperty('paymentInstructions');
    const headers = { ...withSignature('nonsense'), 'Request-Id': 'nonsense' };
    expect((await execute(sandbox, quote.id, headers)).body.status).toBe('COMPLETED');
  });
});

describe.each(['magic', 'real'] as const)('a wallet that pays, in %s proofs', (kind) => {
  it('with the signature of any of its sessions, whatever the Request-Id', async () => {
    const { prover, sandbox, wallet, ask, quote, payload, balance } = await openWalletQuote(kind);
    const headers = { ...withSignature(prover.sign(payload, wallet.signedIn)), 'Request-Id': 'nonsense' };
    const answer = await execute(sandbox, quote.id, headers);
    expect([answer.status, answer.body]).toEqual([200, { ...quote, status: 'COMPLETED' }]);
    expect(await balance()).toBe(4_000_000);
    const further = await refreshBy(prover, wallet.signedIn);
    const next = await ask();
    const signature = prover.sign(payloadOf(next), further);
    expect((await execute(sandbox, next.id, withSignature(signature))).body.status).toBe('COMPLETED');
  });

  it('not without one, nor with a wrong one; the right one is good afterwards', async () => {
    const { prover, sandbox, wallet, quote, payload, balance } = await openWalletQuote(kind);
    expectRefusal(await execute(sandbox, quote.id), 401, 'WALLET_SIGNATURE_MISSING');
    const requestId = { 'Request-Id': 'nonsense' };
    expectRefusal(await execute(sandbox, quote.id, requestId), 401, 'WALLET_SIGNATURE_MISSING');
    const wrong = [
      'nonsense',
      magic.walletSignature.slice(1),
      ...(kind === 'magic' ? [] : [magic.walletSignature]),
      encodeStamp({}),
      bare(payload, new Uint8Array(32).fill(5)),
      encodeStamp(stampParts(payload, new Uint8Array(32).fill(5))),
    ];
    for (const signature of wrong) {
      const refused = expectRefusal(await execute(sandbox, quote.id, withSignature(signature)), 401, 'UNAUTHORIZED');
      expect(refused).toMatchObject(wrongSignature);
    }
    expect([await readQuote(sandbox, quote.id), await balance()]).toEqual([quote, 5_000_000]);
    const good = withSignature(prover.sign(payload, wallet.signedIn));
    expect((await execute(sandbox, quote.id, good)).body.status).toBe('COMPLETED');
  });

  it('not with a session that was revoked, nor where there are no credentials', async () => {
    const { prover, sandbox, wallet, quote, payload, bank } = await openWalletQuote(kind);
    const signature = withSignature(prover.sign(payload, wallet.signedIn));
    const path = `/auth/sessions/${wallet.signedIn.session.id}`;
    expect((await signBy(prover, wallet.signedIn, 'DELETE', path)).status).toBe(204);
    expectRefusal(await execute(sandbox, quote.id, signature), 401, 'UNAUTHORIZED');
    const empty = await openPayer(sandbox, { USDB: 0 }, { email: 'bo@example.com' });
    const change = { lockedCurrencyAmount: 1_000_000 };
    const unsigned = await mustQuote(sandbox, fromAccount(empty.account('USDB')), toAccount(bank), change);
    expectRefusal(await execute(sandbox, unsigned.id, signature), 401, 'UNAUTHORIZED');
  });

  it('not with a session that is over, to the second', async () => {
    const { prover, sandbox, wallet, ask } = await openWalletQuote(kind);
    const expiry = Date.parse(wallet.signedIn.session.expiresAt) - Date.parse(await sandbox.now());
    await sandbox.advance(expiry / 1000 - 0.001);
    const [last, late] = [await ask(), await ask()];
    const sign = (quote: Quote) => withSignature(prover.sign(payloadOf(quote), wallet.signedIn));
    expect((await execute(sandbox, last.id, sign(last))).body.status).toBe('COMPLETED');
    await sandbox.advance(0.001);
    expectRefusal(await execute(sandbox, late.id, sign(late)), 401, 'UNAUTHORIZED');
  });

  it('a wallet that receives has nothing to sign', async () => {
    const { sandbox, wallet } = await openWalletQuote(kind);
    const payer = await openPayer(sandbox);
    const quote = await mustQuote(sandbox, fromAccount(payer.account('EUR')), toAccount(wallet.accountId));
    expect(quote).not.toHaveProperty('paymentInstructions');
    expect((await execute(sandbox, quote.id)).body.status).toBe('COMPLETED');
  });
});

describe('real signatures', () => {
  it('may be the DER signature alone, in base64', async () => {
    const { sandbox, wallet, quote, payload } = await openWalletQuote('real');
    const { privateKey } = wallet.signedIn;
    const compact = withSignature(bare(payload, privateKey, 'compact'));
    expectRefusal(await execute(sandbox, quote.id, compact), 401, 'UNAUTHORIZED');
    const signature = withSignature(bare(payload, privateKey));
    expect((await execute(sandbox, quote.id, signature)).body.status).toBe('COMPLETED');
  });

  it('may be by any session of the wallet, in either form', async () => {
    const { prover, sandbox, wallet, ask } = await openWalletQuote('real');
    const sessions = [wallet.signedIn, await signInBy(prover, wallet.credential)];
    for (const { privateKey } of sessions) {
      for (const sign of [bare, stampOf]) {
        const quote = await ask();
        const headers = withSignature(sign(payloadOf(quote), privateKey));
        expect((await execute(sandbox, quote.id, headers)).body.status).toBe('COMPLETED');
      }
    }
  });

  it('are over this quote and its very spelling, by this wallet', async () => {
    const { prover, sandbox, wallet, quote, payload, ask } = await openWalletQuote('real');
    const other = await openSignedIn(prover, 'PASSKEY', 'bo@example.com');
    const { privateKey } = wallet.signedIn;
    const foreign = payloadOf(await ask());
    const written = JSON.stringify(JSON.parse(payload));
    expect(written).not.toBe(payload);
    const wrong = [
      prover.sign(foreign, wallet.signedIn),
      bare(foreign, privateKey),
      prover.sign(written, wallet.signedIn),
      bare(written, privateKey),
      prover.sign(payload, other.signedIn),
      bare(payload, other.signedIn.privateKey),
    ];
    for (const signature of wrong) {
      const refused = expectRefusal(await execute(sandbox, quote.id, withSignature(signature)), 401, 'UNAUTHORIZED');
      expect(refused).toMatchObject(wrongSignature);
    }
    expect(await readQuote(sandbox, quote.id)).toEqual(quote);
  });
});
