/**
 * Promise: the proof in a registration's body is checked once, on the first call and at that time. After that the
 * pending request is valid until its `expiresAt`; the retry checks only the binding and the signature (D15).
 */
import { expect, test } from 'vitest';
import { createPasskey } from '../../support/proofs/authenticator.ts';
import { makeCertificate } from '../../support/proofs/certificates.ts';
import {
  claimsOf,
  makeIssuerKey,
  openKeyServer,
  openTrusting,
  signToken,
  testIssuer,
} from '../../support/proofs/issuer.ts';
import { mintToken, openProver, openSignedIn, proverOn, registerBy, signInBy } from '../../support/proofs/prover.ts';
import { openWallet, signed, walletState } from '../../support/scenes/builders.ts';

const path = '/auth/credentials';

async function openPending(body: (accountId: string, mint: (claims: object) => Promise<string>) => Promise<object>) {
  const prover = await openProver('real');
  const { sandbox } = prover;
  const { accountId, signedIn } = await openSignedIn(prover, 'EMAIL_OTP');
  const sent = await body(accountId, (claims) => mintToken(sandbox, { ...claims }));
  const { status, body: asked } = await sandbox.send('POST', path, { body: sent });
  expect(status).toBe(202);
  const retry = () =>
    sandbox.send('POST', path, {
      body: sent,
      headers: signed(asked.requestId, prover.sign(asked.payloadToSign, signedIn)),
    });
  return { sandbox, accountId, retry };
}

test.each([60, 61, 299])(
  'an identity is registered %i s later, though its token is too old by then',
  async (seconds) => {
    const { sandbox, accountId, retry } = await openPending(async (id, mint) => ({
      type: 'OAUTH',
      accountId: id,
      oidcToken: await mint({ sub: 'ada' }),
    }));
    await sandbox.advance(seconds);
    expect(await retry()).toMatchObject({ status: 201, body: { type: 'OAUTH', nickname: 'ada' } });
    expect((await walletState(sandbox, accountId)).credentials).toHaveLength(2);
  },
);

test('at expiresAt it is over: 401', async () => {
  const { sandbox, retry } = await openPending(async (accountId, mint) => ({
    type: 'OAUTH',
    accountId,
    oidcToken: await mint({ sub: 'ada' }),
  }));
  await sandbox.advance(300);
  expect(await retry()).toMatchObject({ status: 401, body: { code: 'REQUEST_ID_INVALID' } });
});

test('a passkey is registered, though the certificate of its attestation has ended by then', async () => {
  const challenge = Buffer.from('registration').toString('base64url');
  const { der, sign } = makeCertificate('2025-01-01T00:00:00Z', '2025-10-13T09:01:00Z');
  const { sandbox, retry } = await openPending(async (accountId) => ({
    type: 'PASSKEY',
    accountId,
    nickname: 'Laptop',
    challenge,
    attestation: createPasskey().attest(challenge, { packed: true, certificates: [der], sign }),
  }));
  await sandbox.advance(200);
  expect((await retry()).status).toBe(201);
});

test('the issuer is not asked again', async () => {
  const issuerKey = makeIssuerKey('ES256', 'k1');
  const server = await openKeyServer([issuerKey]);
  const { sandbox } = await openTrusting(server);
  const prover = proverOn(sandbox, 'real');
  const { accountId } = await openWallet(sandbox, 'grace@example.com');
  const by = await signInBy(prover, await registerBy(prover, 'EMAIL_OTP', accountId));
  const body = { type: 'OAUTH', accountId, oidcToken: await signToken(issuerKey, claimsOf(testIssuer)) };
  const { body: asked } = await sandbox.send('POST', path, { body });
  const before = server.fetches();
  server.fail(500, '');
  const headers = signed(asked.requestId, prover.sign(asked.payloadToSign, by));
  expect((await sandbox.send('POST', path, { body, headers })).status).toBe(201);
  expect(server.fetches()).toBe(before);
});

test("what magic proofs took doesn't count as proof once they are real", async () => {
  const prover = await openProver('real');
  const { sandbox } = prover;
  const { accountId, signedIn } = await openSignedIn(prover, 'EMAIL_OTP');
  const set = (proofs: string) => sandbox.control('PUT', '/settings', { body: { proofs } });
  await set('magic');
  const body = await proverOn(sandbox, 'magic').registration('OAUTH', accountId);
  const { status, body: asked } = await sandbox.send('POST', path, { body });
  expect(status).toBe(202);
  await set('real');
  const headers = signed(asked.requestId, prover.sign(asked.payloadToSign, signedIn));
  const refused = await sandbox.send('POST', path, { body, headers });
  expect(refused).toMatchObject({ status: 401, body: { reason: 'Invalid OIDC token' } });
  expect((await walletState(sandbox, accountId)).credentials).toHaveLength(1);
});
