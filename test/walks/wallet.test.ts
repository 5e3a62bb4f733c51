/**
 * Promise: a developer who integrates a wallet can follow this interface's public walkthroughs, with both proofs and
 * the public packages that they use. The steps are: register, verify, open the session's key, stamp a challenge, add a
 * passkey, refresh, revoke a session and a credential.
 */
import { createHash } from 'node:crypto';
import { ApiKeyStamper } from '@turnkey/api-key-stamper';
import { decryptCredentialBundle, generateP256KeyPair, getPublicKey } from '@turnkey/crypto';
import { expect, test } from 'vitest';
import { createPasskey } from '../support/proofs/authenticator.ts';
import { type Kind, newestCode } from '../support/proofs/prover.ts';
import { type Answer, openSandbox, type TestSandbox } from '../support/sandbox/harness.ts';
import {
  assertionRequest,
  magic,
  openWallet,
  passkeyRequest,
  signed,
  walletState,
} from '../support/scenes/builders.ts';

/** The opened private key, in hexadecimal. */
type SessionKey = string;

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

/** The app on the device, and its backend. */
function client(sandbox: TestSandbox, kind: Kind) {
  const pairs: { privateKey: string; publicKeyUncompressed: string }[] = [];
  return {
    newKey(): string {
      const pair = generateP256KeyPair();
      pairs.push(pair);
      return pair.publicKeyUncompressed;
    },
    open({ status, body }: Answer): SessionKey {
      expect([200, 201]).toContain(status);
      return decryptCredentialBundle(body.encryptedSessionSigningKey, pairs.at(-1)?.privateKey ?? '');
    },
    async stamp(payload: string, key: SessionKey): Promise<string> {
      if (kind === 'magic') return magic.walletSignature;
      const apiPublicKey = hex(getPublicKey(Buffer.from(key, 'hex'), true));
      const stamper = new ApiKeyStamper({ apiPublicKey, apiPrivateKey: key });
      return (await stamper.stamp(payload)).stampHeaderValue;
    },
    code: (accountId: string) => (kind === 'magic' ? magic.otp : newestCode(sandbox, accountId)),
    /** Sends the request, answers its challenge, and sends the same request signed. */
    async signed(method: string, path: string, key: SessionKey, body?: object): Promise<Answer> {
      const asked = await sandbox.send(method, path, { body });
      expect(asked.status).toBe(202);
      const headers = signed(asked.body.requestId, await this.stamp(asked.body.payloadToSign, key));
      return sandbox.send(method, path, { body, headers });
    },
  };
}

test.each<Kind>(['magic', 'real'])('register, open the key, stamp, revoke: in %s proofs', async (kind) => {
  const sandbox = await openSandbox({ proofs: kind });
  const app = client(sandbox, kind);
  const { accountId } = await openWallet(sandbox);

  // Register the first credential, by one-time code, and verify it.
  const email = await sandbox.send('POST', '/auth/credentials', { body: { type: 'EMAIL_OTP', accountId } });
  expect(email).toMatchObject({ status: 201, body: { type: 'EMAIL_OTP', nickname: 'ada@example.com' } });
  const otp = await app.code(accountId);
  const first = await sandbox.send('POST', `/auth/credentials/${email.body.id}/verify`, {
    body: { type: 'EMAIL_OTP', otp, clientPublicKey: app.newKey() },
  });

  // Open the session's signing key on the device.
  const emailKey = app.open(first);
  expect(emailKey).toMatch(/^[0-9a-f]{64}$/);

  // Stamp the challenge of a passkey, and register it.
  const challenge = createHash('sha256').update('registration').digest('base64url');
  const device = createPasskey();
  const registration =
    kind === 'magic'
      ? passkeyRequest(accountId)
      : { ...passkeyRequest(accountId), challenge, attestation: device.attest(challenge) };
  const passkey = await app.signed('POST', '/auth/credentials', emailKey, registration);
  expect(passkey).toMatchObject({ status: 201, body: { type: 'PASSKEY' } });

  // Sign in by passkey: challenge, assertion, verify.
  const asked = await sandbox.send('POST', `/auth/credentials/${passkey.body.id}/challenge`, {
    body: { clientPublicKey: app.newKey() },
  });
  const assertion = kind === 'magic' ? assertionRequest().assertion : device.assert(asked.body.challenge);
  const second = await sandbox.send('POST', `/auth/credentials/${passkey.body.id}/verify`, {
    body: { type: 'PASSKEY', assertion },
    headers: { 'Request-Id': asked.body.requestId },
  });
  const passkeyKey = app.open(second);
  expect((await walletState(sandbox, accountId)).sessions).toHaveLength(2);

  // Refresh the session before it ends.
  const refresh = { clientPublicKey: app.newKey() };
  const third = await app.signed('POST', `/auth/sessions/${second.body.id}/refresh`, passkeyKey, refresh);
  const freshKey = app.open(third);

  // Revoke a session, then a credential. A session of the other credential signs both, and its own sessions stay.
  expect((await app.signed('DELETE', `/auth/sessions/${second.body.id}`, freshKey)).status).toBe(204);
  expect((await app.signed('DELETE', `/auth/credentials/${email.body.id}`, freshKey)).status).toBe(204);
  const { credentials, sessions } = await walletState(sandbox, accountId);
  expect(credentials.map(({ id }) => id)).toEqual([passkey.body.id]);
  expect(sessions.map(({ id }) => id)).toEqual([third.body.id]);

  // The revoked credential opens nothing, and the last one stays.
  const gone = await sandbox.send('POST', `/auth/credentials/${email.body.id}/challenge`);
  expect(gone).toMatchObject({ status: 404, body: { code: 'CREDENTIAL_NOT_FOUND' } });
  const last = await sandbox.send('DELETE', `/auth/credentials/${passkey.body.id}`);
  expect(last).toMatchObject({ status: 400, body: { code: 'LAST_CREDENTIAL' } });
});
