/**
 * Promise: a customer's new e-mail address takes effect for the customer and every EMAIL_OTP credential of its wallets
 * together. A session of one of those wallets must have signed exactly this change (D15, D16, D61). Tested with both
 * proofs. updateCustomer.emailConflicts.test.ts tests the conflicts.
 */
import { describe, expect, test } from 'vitest';
import { expectRefusal } from '../support/expect/apiError.ts';
import { type Kind, newestCode, signBy, signInBy } from '../support/proofs/prover.ts';
import { byLength } from '../support/run/length.ts';
import { startOfTime } from '../support/sandbox/harness.ts';
import { clientKeys, walletState } from '../support/scenes/builders.ts';
import { change, email, oldEmail, openScene, openTied } from '../support/scenes/emailChange.ts';

describe.each(byLength<readonly Kind[]>(['real'], ['magic', 'real']))('in %s proofs', (kind) => {
  const withNickname = ({ credentials, sessions }: Awaited<ReturnType<typeof walletState>>) => ({
    credentials: credentials.map(({ nickname }) => nickname),
    sessions: sessions.map(({ nickname }) => nickname),
  });

  describe('without EMAIL_OTP credentials', () => {
    test.each(['no credential at all', 'a passkey'])('%s: at once, whatever the headers', async (credential) => {
      const { customer, update, register, wallets, platform } = await openScene(kind);
      const passkey = credential === 'a passkey' ? await register(wallets.first, 'PASSKEY') : undefined;
      const body = { privateEnabled: true };
      const { body: elsewhere } = await platform.send('PATCH', `/internal-accounts/${wallets.first}`, { body });
      expect(elsewhere).toHaveProperty('payloadToSign');
      for (const requestId of ['Request:nonsense', elsewhere.requestId]) {
        const answer = await update(change, { 'Request-Id': requestId, 'Service-Wallet-Signature': 'x' });
        expect([answer.status, answer.body]).toEqual([200, { ...customer, email }]);
      }
      expect((await walletState(platform, wallets.first)).credentials).toEqual(passkey === undefined ? [] : [passkey]);
    });

    test("another customer's EMAIL_OTP credential does not count, and its address may be had", async () => {
      const { update, register, wallets } = await openScene(kind);
      await register(wallets.other, 'EMAIL_OTP');
      expect((await update({ ...change, email: 'grace@example.com' })).status).toBe(200);
    });
  });

  describe('with EMAIL_OTP credentials on two wallets', () => {
    test('the first call changes nothing; the retry changes customer, credentials and sessions', async () => {
      const { platform, customer, wallets, first, state, challenge } = await openTied(kind);
      const before = await state();
      const body = { ...change, fullName: 'Ada', currencies: ['USDB', 'EUR'] };
      const { challenge: issued, retry } = await challenge(body);
      expect(issued).toEqual({
        payloadToSign: expect.stringContaining(email),
        requestId: expect.stringMatching(/^Request:/),
        expiresAt: new Date(startOfTime + 300_000).toISOString(),
        type: 'EMAIL_OTP',
      });
      expect(await state()).toEqual(before);
      await platform.advance(60);
      const answer = await retry(first);
      expect([answer.status, answer.body]).toEqual([
        200,
        { ...customer, ...body, updatedAt: '2025-10-13T09:01:00.000Z' },
      ]);
      for (const wallet of [wallets.first, wallets.second]) {
        const now = await walletState(platform, wallet);
        expect(withNickname(now)).toEqual({ credentials: [email], sessions: [email] });
        expect(now.credentials[0]?.updatedAt).toBe('2025-10-13T09:01:00.000Z');
      }
    });

    test('any of the wallets may sign', async () => {
      const { second, challenge } = await openTied(kind);
      expect((await (await challenge()).retry(second)).status).toBe(200);
    });

    test("a session of another customer's wallet may not", async () => {
      const { prover, register, wallets, state, challenge } = await openScene(kind);
      await register(wallets.first, 'EMAIL_OTP');
      const grace = await signInBy(prover, await register(wallets.other, 'EMAIL_OTP'));
      const { retry } = await challenge();
      const before = await state();
      const refused = expectRefusal(await retry(grace), 401, 'UNAUTHORIZED');
      expect(refused.reason).toBe('Invalid Service-Wallet-Signature');
      expect(await state()).toEqual(before);
    });

    test('the challenge has the type of the oldest credential of all wallets (D16)', async () => {
      const { prover, register, wallets, challenge } = await openScene(kind);
      const passkey = await register(wallets.second, 'PASSKEY');
      await register(wallets.first, 'EMAIL_OTP');
      const { challenge: issued, retry } = await challenge();
      expect(issued.type).toBe('PASSKEY');
      expect((await retry(await signInBy(prover, passkey))).status).toBe(200);
    });

    test('a code that waits ends with it, and the next goes to the new address', async () => {
      const { platform, prover, credentials, first, challenge } = await openTied(kind);
      const waiting = await prover.prove(credentials.second);
      const verify = (proof: { body: object }) =>
        platform.send('POST', `/auth/credentials/${credentials.second.id}/verify`, { body: proof.body });
      expect((await (await challenge()).retry(first)).status).toBe(200);
      expect(await verify(waiting)).toMatchObject({ status: 401, body: { reason: 'Invalid OTP code' } });
      const fresh = await prover.prove(credentials.second);
      if (kind === 'real') {
        const { to, code } = (await platform.control('GET', '/outbox')).body.data[0];
        expect([to, code]).toEqual([email, await newestCode(platform)]);
      }
      expect(await verify(fresh)).toMatchObject({ status: 200, body: { nickname: email } });
    });

    test('a session that was there before may sign after, and what follows it is called by the new address', async () => {
      const { prover, first, challenge } = await openTied(kind);
      await (await challenge()).retry(first);
      const body = { clientPublicKey: clientKeys(3).publicKeyHex };
      const refreshed = await signBy(prover, first, 'POST', `/auth/sessions/${first.session.id}/refresh`, body);
      expect([refreshed.status, refreshed.body.nickname]).toEqual([201, email]);
    });

    test('another case of the letters is another address; the same address needs nothing', async () => {
      const { customer, update } = await openTied(kind);
      expect((await update({ ...change, email: 'ADA@example.com' })).status).toBe(202);
      expect(await update({ ...change, email: oldEmail })).toMatchObject({ status: 200, body: customer });
    });

    test('what the update must not do is refused before anything is signed, and again on the retry', async () => {
      const { platform, wallets, first, update, challenge, state } = await openTied(kind);
      const body = { ...change, currencies: ['EUR'] };
      const { retry } = await challenge(body);
      const funded = await platform.send('POST', `/sandbox/internal-accounts/${wallets.second}/fund`, {
        body: { amount: 1 },
      });
      expect(funded.status).toBe(200);
      const before = await state();
      expectRefusal(await retry(first), 409, 'CONFLICT');
      expectRefusal(await update(body), 409, 'CONFLICT');
      expect(await state()).toEqual(before);
    });
  });

  describe('the retry', () => {
    test('with the keys of its body in another order is the same; replayed it is 401, even once the address moved on', async () => {
      const { first, state, challenge } = await openTied(kind);
      const { retry } = await challenge({ ...change, fullName: 'Ada' });
      expect((await retry(first, { fullName: 'Ada', email, customerType: 'INDIVIDUAL' })).status).toBe(200);
      const done = await state();
      expectRefusal(await retry(first), 401, 'REQUEST_ID_INVALID');
      expect(await state()).toEqual(done);
      expect((await (await challenge({ ...change, email: oldEmail })).retry(first)).status).toBe(200);
      const back = await state();
      expectRefusal(await retry(first), 401, 'REQUEST_ID_INVALID');
      expect(await state()).toEqual(back);
    });

    test.each([
      ['another address', { ...change, email: 'mallory@example.com' }],
      ['the address in another case', { ...change, email: email.toLowerCase() }],
      ['one more field', { ...change, kycStatus: 'REJECTED' }],
      ['the address as it was', { ...change, email: oldEmail }],
    ])('with %s: 401, and the pending request stays usable', async (_name, body) => {
      const { first, state, challenge } = await openTied(kind);
      const { retry } = await challenge();
      const before = await state();
      expectRefusal(await retry(first, body), 401, 'WALLET_SIGNATURE_BODY_MISMATCH');
      expect(await state()).toEqual(before);
      expect((await retry(first)).status).toBe(200);
    });

    test('without the address it is an update like any other, and the pending request stays usable', async () => {
      const { first, challenge } = await openTied(kind);
      const { retry } = await challenge();
      const answer = await retry(first, { customerType: 'INDIVIDUAL', fullName: 'Ada' });
      expect(answer).toMatchObject({ status: 200, body: { fullName: 'Ada', email: oldEmail } });
      expect((await retry(first)).status).toBe(200);
    });
  });
});
