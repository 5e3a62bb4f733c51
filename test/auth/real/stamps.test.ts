/**
 * Promise: with real proofs a signed retry is accepted only with the key of a session that may sign it, over the exact
 * bytes of the payload. The session must be active and belong to the wallet. To revoke a credential, another credential
 * must have issued the session; a refresh is signed by the session itself. Everything else is 401, changes nothing, and
 * the challenge can still be used (D15, D17, D18, D46).
 */

import { createHash } from 'node:crypto';
import { p256 } from '@noble/curves/nist.js';
import { describe, expect, test } from 'vitest';
import {
  encodeStamp,
  mintToken,
  openProver,
  openSession,
  openSignedIn,
  proverKeys,
  proverOn,
  refreshBy,
  registerBy,
  type SignedIn,
  signBy,
  signInBy,
  stampOf,
  stampParts,
  verify,
} from '../../support/proofs/prover.ts';
import { openPlatform } from '../../support/sandbox/platforms.ts';
import { signed, walletState } from '../../support/scenes/builders.ts';

const wrongSignature = {
  status: 401,
  body: { status: 401, code: 'UNAUTHORIZED', reason: 'Invalid Service-Wallet-Signature' },
};

/** A wallet with an EMAIL_OTP and a passkey credential, and a session of each. */
async function openScene() {
  const prover = await openProver('real');
  const { sandbox } = prover;
  const { accountId, credential: email, signedIn: byEmail } = await openSignedIn(prover, 'EMAIL_OTP');
  const passkey = await registerBy(prover, 'PASSKEY', accountId, { by: byEmail });
  const byPasskey = await signInBy(prover, passkey);
  const state = () => walletState(sandbox, accountId);
  /** Requests a challenge. The returned retry has a stamp over a payload, by default the challenge's own. */
  const challenge = async (method: string, path: string, body?: object) => {
    const { body: asked } = await sandbox.send(method, path, { body });
    const payload: string = asked.payloadToSign;
    const send = (stamp: string) => sandbox.send(method, path, { body, headers: signed(asked.requestId, stamp) });
    const by = ({ privateKey }: SignedIn, over = payload) => send(stampOf(over, privateKey));
    return { payload, send, by };
  };
  return { prover, sandbox, accountId, email, passkey, byEmail, byPasskey, state, challenge };
}

describe('the bytes that are signed', () => {
  test('case 44: the payload written again, by whatever serialiser, is another text', async () => {
    const { sandbox, accountId, byEmail, state, challenge } = await openScene();
    const oidcToken = await mintToken(sandbox, { sub: 'é "quoted"', email: 'é"q\\uoted"\u2028@example.com' });
    const { payload, by } = await challenge('POST', '/auth/credentials', { type: 'OAUTH', accountId, oidcToken });
    const before = await state();
    const value = JSON.parse(payload);
    for (const other of [
      JSON.stringify(value),
      JSON.stringify(value, null, 2),
      JSON.stringify(Object.fromEntries(Object.entries(value).reverse())),
      payload.replaceAll(/\\u([0-9a-f]{4})/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16))),
      payload.replace('1.0', '1'),
      payload.replaceAll('":"', '": "'),
      JSON.stringify(payload),
      `${payload}\n`,
      ` ${payload}`,
      payload.slice(0, -1),
      '',
    ]) {
      expect(other).not.toBe(payload);
      expect(await by(byEmail, other), other).toMatchObject(wrongSignature);
    }
    expect(await state()).toEqual(before);
    expect((await by(byEmail)).status).toBe(201);
  });

  test('case 44: that is so for every operation', async () => {
    const { passkey, byEmail, accountId, state, challenge } = await openScene();
    const before = await state();
    const key = { clientPublicKey: proverKeys.publicKeyHex };
    for (const [method, path, body] of [
      ['DELETE', `/auth/credentials/${passkey.id}`],
      ['DELETE', `/auth/sessions/${byEmail.session.id}`],
      ['POST', `/auth/sessions/${byEmail.session.id}/refresh`, key],
      ['POST', `/internal-accounts/${accountId}/export`, key],
      ['PATCH', `/internal-accounts/${accountId}`, { privateEnabled: true }],
    ] as const) {
      const { payload, by } = await challenge(method, path, body);
      expect(await by(byEmail, JSON.stringify(JSON.parse(payload))), path).toMatchObject(wrongSignature);
    }
    expect(await state()).toEqual(before);
  });

  test('one SHA-256 of them, no more and no other', async () => {
    const { byEmail, challenge } = await openScene();
    const { payload, send } = await challenge('DELETE', `/auth/sessions/${byEmail.session.id}`);
    const hash = (name: string, data: string | Buffer) => createHash(name).update(data).digest();
    const over = (digest: Uint8Array) => {
      const signature = p256.sign(digest, byEmail.privateKey, { prehash: false, format: 'der' });
      return encodeStamp(stampParts(payload, byEmail.privateKey, signature));
    };
    const twice = hash('sha256', hash('sha256', payload));
    const asHex = hash('sha256', hash('sha256', payload).toString('hex'));
    for (const digest of [twice, asHex, hash('sha384', payload).subarray(0, 32)]) {
      expect(await send(over(digest))).toMatchObject(wrongSignature);
    }
    expect((await send(over(hash('sha256', payload)))).status).toBe(204);
  });

  test('a stamp is for its own challenge only', async () => {
    const { byEmail, byPasskey, challenge } = await openScene();
    const path = `/auth/sessions/${byPasskey.session.id}`;
    const [first, second] = [await challenge('DELETE', path), await challenge('DELETE', path)];
    expect(await second.by(byEmail, first.payload)).toMatchObject(wrongSignature);
    expect((await second.by(byEmail)).status).toBe(204);
  });
});

describe('whose key it is', () => {
  const stub = { privateKey: Buffer.from('countersign-sandbox-stub-key-v01') };

  test("the end of a session: any active session of the wallet, and no other wallet's, ended or unknown key", async () => {
    const { prover, sandbox, byEmail, byPasskey, email, state, challenge } = await openScene();
    const ended = await signInBy(prover, email);
    expect((await signBy(prover, ended, 'DELETE', `/auth/sessions/${ended.session.id}`)).status).toBe(204);
    const { signedIn: stranger } = await openSignedIn(prover, 'EMAIL_OTP', 'grace@example.com');
    const elsewhere = proverOn(await openPlatform(sandbox, { proofs: 'real' }), 'real');
    const { signedIn: foreign } = await openSignedIn(elsewhere, 'EMAIL_OTP');
    const before = await state();
    const { payload, send, by } = await challenge('DELETE', `/auth/sessions/${byPasskey.session.id}`);
    const unknown = { privateKey: new Uint8Array(32).fill(42) };
    for (const { privateKey } of [ended, stranger, foreign, stub, unknown]) {
      expect(await send(stampOf(payload, privateKey))).toMatchObject(wrongSignature);
    }
    // Names a key that may sign, with a signature by one that may not.
    const named = {
      ...stampParts(payload, unknown.privateKey),
      publicKey: stampParts('', byEmail.privateKey).publicKey,
    };
    expect(await send(encodeStamp(named))).toMatchObject(wrongSignature);
    expect(await state()).toEqual(before);
    expect((await by(byEmail)).status).toBe(204);
  });

  test('a session may sign its own end', async () => {
    const { byEmail, challenge } = await openScene();
    const { by } = await challenge('DELETE', `/auth/sessions/${byEmail.session.id}`);
    expect((await by(byEmail)).status).toBe(204);
    expect(await by(byEmail)).toMatchObject({ status: 401, body: { code: 'REQUEST_ID_INVALID' } });
  });

  test('an expired session signs nothing, to the second', async () => {
    const { prover, sandbox, passkey, byEmail, challenge } = await openScene();
    await sandbox.advance(840);
    const later = await signInBy(prover, passkey);
    const { by } = await challenge('DELETE', `/auth/sessions/${later.session.id}`);
    await sandbox.advance(60);
    expect(await by(byEmail)).toMatchObject(wrongSignature);
    expect((await by(later)).status).toBe(204);
  });

  test('a session signs until the second before its end', async () => {
    const { sandbox, byEmail, challenge } = await openScene();
    await sandbox.advance(899);
    const { by } = await challenge('DELETE', `/auth/sessions/${byEmail.session.id}`);
    expect((await by(byEmail)).status).toBe(204);
  });

  test('the end of a credential: a session of another one, not of itself, refreshed or not', async () => {
    const { prover, email, byEmail, byPasskey, state, challenge } = await openScene();
    const refreshed = await refreshBy(prover, byEmail);
    const before = await state();
    const { by } = await challenge('DELETE', `/auth/credentials/${email.id}`);
    for (const one of [byEmail, refreshed]) expect(await by(one)).toMatchObject(wrongSignature);
    expect(await state()).toEqual(before);
    expect((await by(byPasskey)).status).toBe(204);
    expect((await state()).sessions.map(({ id }) => id)).toEqual([byPasskey.session.id]);
  });

  test('a refresh: that session alone; its new key signs, and the old one still does', async () => {
    const { prover, byEmail, byPasskey, challenge } = await openScene();
    const body = { clientPublicKey: proverKeys.publicKeyHex };
    const { by } = await challenge('POST', `/auth/sessions/${byEmail.session.id}/refresh`, body);
    expect(await by(byPasskey)).toMatchObject(wrongSignature);
    const refreshed = await openSession(await by(byEmail));
    expect(refreshed.privateKey).not.toEqual(byEmail.privateKey);
    const again = await refreshBy(prover, refreshed);
    for (const signer of [byEmail, refreshed, again]) {
      const end = await signBy(prover, signer, 'DELETE', `/auth/sessions/${signer.session.id}`);
      expect(end.status).toBe(204);
    }
  });

  test('every session has a key of its own, also of many issued at once', async () => {
    const { prover, sandbox, email, passkey } = await openScene();
    const proofs = [];
    for (const credential of [email, passkey]) proofs.push({ credential, proof: await prover.prove(credential) });
    const answers = await Promise.all(proofs.map(({ credential, proof }) => verify(sandbox, credential.id, proof)));
    const signedIn = [...(await Promise.all(answers.map(openSession))), await signInBy(prover, email)];
    const keys = signedIn.map(({ privateKey }) => Buffer.from(privateKey).toString('hex'));
    expect(new Set(keys).size).toBe(3);
  });
});
