/**
 * Promise: the two kinds of proofs don't mix. With real proofs no magic value is accepted, with magic proofs only magic
 * values are. What was made with one kind stays usable with the other as far as it can be proved there (D15, D19, D46,
 * D50).
 */
import { describe, expect, test } from 'vitest';
import { invalidPasskey, openPasskey } from '../../support/proofs/passkeys.ts';
import {
  challengeCredential,
  encodeStamp,
  type Kind,
  mintToken,
  openProver,
  openSignedIn,
  type Prover,
  registerBy,
  stampOf,
  stampParts,
  verify,
} from '../../support/proofs/prover.ts';
import type { Answer } from '../../support/sandbox/harness.ts';
import {
  clientKeys,
  magic,
  oidcToken,
  openWallet,
  registerEmailOtp,
  signed,
  walletState,
} from '../../support/scenes/builders.ts';

const { publicKeyHex: clientPublicKey } = clientKeys();
const stub = Buffer.from('countersign-sandbox-stub-key-v01');
const refused = (reason: string) => ({ status: 401, body: { status: 401, code: 'UNAUTHORIZED', reason } });
const setProofs = async ({ sandbox }: Prover, proofs: Kind) => {
  expect((await sandbox.control('PUT', '/settings', { body: { proofs } })).status).toBe(200);
};

describe('in real proofs no magic value passes', () => {
  const rows: readonly (readonly [string, string, (prover: Prover) => Promise<Answer>])[] = [
    [
      'the code',
      'Invalid OTP code',
      async ({ sandbox }) => {
        const { id } = await registerEmailOtp(sandbox, (await openWallet(sandbox)).accountId);
        return verify(sandbox, id, { body: { type: 'EMAIL_OTP', otp: magic.otp, clientPublicKey }, headers: {} });
      },
    ],
    [
      'the passkey signature',
      'Invalid passkey signature',
      async (prover) => {
        const { accountId } = await openWallet(prover.sandbox);
        const { id, credentialId = '' } = await registerBy(prover, 'PASSKEY', accountId);
        const { body } = await challengeCredential(prover.sandbox, id);
        const assertion = { ...prover.passkey(credentialId).assert(body.challenge), signature: magic.passkeySignature };
        const headers = { 'Request-Id': body.requestId };
        return verify(prover.sandbox, id, { body: { type: 'PASSKEY', assertion }, headers });
      },
    ],
    [
      'the token of verify',
      'Invalid OIDC token',
      async (prover) => {
        const { accountId } = await openWallet(prover.sandbox);
        const { id } = await registerBy(prover, 'OAUTH', accountId);
        const body = { type: 'OAUTH', oidcToken: magic.oidcToken, clientPublicKey };
        return verify(prover.sandbox, id, { body, headers: {} });
      },
    ],
    [
      'an unsigned token at registration',
      'Invalid OIDC token',
      async ({ sandbox }) => {
        const { accountId } = await openWallet(sandbox);
        const body = { type: 'OAUTH', accountId, oidcToken: oidcToken() };
        return sandbox.send('POST', '/auth/credentials', { body });
      },
    ],
    [
      'the wallet signature',
      'Invalid Service-Wallet-Signature',
      async (prover) => {
        const { signedIn } = await openSignedIn(prover, 'EMAIL_OTP');
        const path = `/auth/sessions/${signedIn.session.id}`;
        const { body } = await prover.sandbox.send('DELETE', path);
        return prover.sandbox.send('DELETE', path, { headers: signed(body.requestId, magic.walletSignature) });
      },
    ],
  ];
  test.each(rows)('%s: 401', async (_name, reason, send) => {
    expect(await send(await openProver('real'))).toMatchObject(refused(reason));
  });
});

describe('in magic proofs only the magic values pass', () => {
  test('a true assertion: 401; the magic signature, whatever counter and handle the passkey has shown: 200', async () => {
    const { prover, sandbox, ask, send, passkey, answer } = await openPasskey({ counter: 7, userHandle: 'AAAA' });
    expect((await answer()).status).toBe(200);
    await setProofs(prover, 'magic');
    const { challenge, requestId } = await ask();
    expect(await send(passkey.assert(challenge), requestId)).toMatchObject(invalidPasskey);
    const bare = { ...passkey.assert('AAAA', { counter: 0, userHandle: 'BBBB' }), signature: magic.passkeySignature };
    expect((await send(bare, requestId)).status).toBe(200);

    // Back with real proofs, it works as before.
    await setProofs(prover, 'real');
    expect(await answer({ counter: 7 })).toMatchObject(invalidPasskey);
    await sandbox.advance(60);
    expect((await answer()).status).toBe(200);
  });

  test('a true token: 401 on verify', async () => {
    const prover = await openProver('real');
    const { accountId } = await openWallet(prover.sandbox);
    const { id } = await registerBy(prover, 'OAUTH', accountId, { name: 'ada' });
    await setProofs(prover, 'magic');
    const body = { type: 'OAUTH', oidcToken: await mintToken(prover.sandbox, { sub: 'ada' }), clientPublicKey };
    expect(await verify(prover.sandbox, id, { body, headers: {} })).toMatchObject(refused('Invalid OIDC token'));
    const magicBody = { ...body, oidcToken: magic.oidcToken };
    expect((await verify(prover.sandbox, id, { body: magicBody, headers: {} })).status).toBe(200);
  });

  test('a true stamp, of the stub key as of a session from real proofs: 401; the magic one: 204', async () => {
    const prover = await openProver('real');
    const { signedIn } = await openSignedIn(prover, 'EMAIL_OTP');
    await setProofs(prover, 'magic');
    const path = `/auth/sessions/${signedIn.session.id}`;
    const { body } = await prover.sandbox.send('DELETE', path);
    const retry = (signature: string) =>
      prover.sandbox.send('DELETE', path, { headers: signed(body.requestId, signature) });
    for (const key of [stub, signedIn.privateKey]) {
      expect(await retry(stampOf(body.payloadToSign, key))).toMatchObject(refused('Invalid Service-Wallet-Signature'));
    }
    expect((await retry(magic.walletSignature)).status).toBe(204);
  });
});

describe('objects from magic proofs, with real ones', () => {
  test('a passkey was never verified, so it signs nobody in', async () => {
    const prover = await openProver('magic');
    const { accountId } = await openWallet(prover.sandbox);
    const credential = await registerBy(prover, 'PASSKEY', accountId);
    await setProofs(prover, 'real');
    const asked = await challengeCredential(prover.sandbox, credential.id);
    const bytes = Buffer.from('{}').toString('base64url');
    const { credentialId } = credential;
    const assertion = { credentialId, clientDataJson: bytes, authenticatorData: bytes, signature: bytes };
    const headers = { 'Request-Id': asked.body.requestId };
    const answer = await verify(prover.sandbox, credential.id, { body: { type: 'PASSKEY', assertion }, headers });
    expect(answer).toMatchObject(invalidPasskey);
    expect(answer.body.details.hint).toMatch(/without a verified key/);
  });

  test('a session has the stub key, which signs nothing (D46)', async () => {
    const prover = await openProver('magic');
    const { accountId, signedIn } = await openSignedIn(prover, 'EMAIL_OTP');
    expect(Buffer.from(signedIn.privateKey)).toEqual(stub);
    await setProofs(prover, 'real');
    const path = `/auth/sessions/${signedIn.session.id}`;
    const { body } = await prover.sandbox.send('DELETE', path);
    const parts = stampParts(body.payloadToSign, stub);
    for (const signature of [encodeStamp(parts), encodeStamp({ ...parts, publicKey: 'undefined' })]) {
      const answer = await prover.sandbox.send('DELETE', path, { headers: signed(body.requestId, signature) });
      expect(answer).toMatchObject(refused('Invalid Service-Wallet-Signature'));
    }
    expect((await walletState(prover.sandbox, accountId)).sessions).toHaveLength(1);
  });
});
