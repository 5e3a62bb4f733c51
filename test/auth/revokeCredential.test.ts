/**
 * Promise: only a session of another credential of the same wallet can revoke a credential. The sessions that it issued
 * end with it. One credential always remains (D15, D21, D53).
 */
import { describe, expect, test } from 'vitest';
import { testCommonRefusals } from '../support/requests/refusals.ts';
import { must, openSandbox, type TestSandbox } from '../support/sandbox/harness.ts';
import {
  addCredential,
  oauthRequest,
  openSignedInWallet,
  openWallet,
  refreshSession,
  registerEmailOtp,
  signAndSend,
  signed,
  signIn,
  signInWithOauth,
  signInWithPasskey,
  walletState,
} from '../support/scenes/builders.ts';

const path = (id: string) => `/auth/credentials/${id}`;
const revoke = (sandbox: TestSandbox, id: string) => signAndSend(sandbox, 'DELETE', path(id));
const lastCredential = { status: 400, body: { status: 400, code: 'LAST_CREDENTIAL' } };
const refusedSignature = { status: 401, body: { code: 'UNAUTHORIZED', reason: 'Invalid Service-Wallet-Signature' } };

testCommonRefusals('revokeCredential', path('AuthMethod:none'));

test.each(['AuthMethod:none', 'Session:none', 'none'])('%s names no credential: 404', async (id) => {
  const sandbox = await openSandbox();
  const answer = await sandbox.send('DELETE', path(id));
  expect(answer).toMatchObject({ status: 404, body: { code: 'CREDENTIAL_NOT_FOUND' } });
});

test('202 and 204: the credential is gone, and its reply has no content', async () => {
  const sandbox = await openSandbox();
  const { accountId, email, passkey } = await openSignedInWallet(sandbox);
  const { status, body } = await revoke(sandbox, passkey.id);
  expect({ status, body }).toEqual({ status: 204, body: undefined });
  expect((await walletState(sandbox, accountId)).credentials).toEqual([email]);
  const again = await sandbox.send('DELETE', path(passkey.id));
  expect(again).toMatchObject({ status: 404, body: { code: 'CREDENTIAL_NOT_FOUND' } });
});

test.each([
  ['no body, but the type of JSON and a length of 0', { text: '', headers: { 'content-length': '0' } }],
  ["a body that isn't JSON", { text: '{' }],
])('case 22: %s: 202 as without', async (_name, options) => {
  const sandbox = await openSandbox();
  const { passkey } = await openSignedInWallet(sandbox);
  expect((await sandbox.send('DELETE', path(passkey.id), options)).status).toBe(202);
});

describe('who may sign', () => {
  test('not a session that the credential issued itself', async () => {
    const sandbox = await openSandbox();
    const { accountId, email } = await openSignedInWallet(sandbox);
    const before = await walletState(sandbox, accountId);
    expect(await revoke(sandbox, email.id)).toMatchObject(refusedSignature);
    expect(await walletState(sandbox, accountId)).toEqual(before);
  });

  test('not a session that was refreshed from one of its own', async () => {
    const sandbox = await openSandbox();
    const { accountId, email, session } = await openSignedInWallet(sandbox);
    await sandbox.advance(10 * 60);
    const refreshed = await refreshSession(sandbox, session.id);
    await sandbox.advance(5 * 60);
    expect((await walletState(sandbox, accountId)).sessions.map(({ id }) => id)).toEqual([refreshed.id]);
    expect(await revoke(sandbox, email.id)).toMatchObject(refusedSignature);
  });

  test('not a session of another wallet', async () => {
    const sandbox = await openSandbox();
    const { accountId, email, session } = await openSignedInWallet(sandbox);
    const other = await openWallet(sandbox, 'grace@example.com');
    await signIn(sandbox, (await registerEmailOtp(sandbox, other.accountId)).id);
    expect(await revoke(sandbox, email.id)).toMatchObject(refusedSignature);
    expect((await walletState(sandbox, accountId)).sessions.map(({ id }) => id)).toEqual([session.id]);
  });

  test('any of another credential; the same pending request works once there is one', async () => {
    const sandbox = await openSandbox();
    const { accountId, email, passkey } = await openSignedInWallet(sandbox);
    const { body } = await sandbox.send('DELETE', path(email.id));
    const headers = signed(body.requestId);
    expect(await sandbox.send('DELETE', path(email.id), { headers })).toMatchObject(refusedSignature);
    await signInWithPasskey(sandbox, passkey.id);
    expect((await sandbox.send('DELETE', path(email.id), { headers })).status).toBe(204);
    expect((await walletState(sandbox, accountId)).credentials).toEqual([passkey]);
  });
});

test('its sessions end with it, those refreshed from them too; those of other credentials stay (D21)', async () => {
  const sandbox = await openSandbox();
  const { accountId, email, session, passkey } = await openSignedInWallet(sandbox);
  const other = await signInWithPasskey(sandbox, passkey.id);
  must(await sandbox.send('POST', `${path(email.id)}/challenge`));
  const second = await signIn(sandbox, email.id);
  const refreshed = await refreshSession(sandbox, session.id);
  expect((await revoke(sandbox, email.id)).status).toBe(204);
  expect((await walletState(sandbox, accountId)).sessions.map(({ id }) => id)).toEqual([other.id]);
  for (const ended of [session, second, refreshed]) {
    expect((await sandbox.send('DELETE', `/auth/sessions/${ended.id}`)).status).toBe(404);
  }
});

describe('one credential always remains', () => {
  test('case 47: the only one: 400 at once, and nothing changes', async () => {
    const sandbox = await openSandbox();
    const { accountId } = await openWallet(sandbox);
    const email = await registerEmailOtp(sandbox, accountId);
    await signIn(sandbox, email.id);
    expect(await sandbox.send('DELETE', path(email.id))).toMatchObject(lastCredential);
    expect((await walletState(sandbox, accountId)).credentials).toEqual([email]);
  });

  test('case 47: it became the last between the two calls: 400 on the retry, before the signature', async () => {
    const sandbox = await openSandbox();
    const { accountId, email, passkey } = await openSignedInWallet(sandbox);
    await signInWithPasskey(sandbox, passkey.id);
    const { body: challenge } = await sandbox.send('DELETE', path(email.id));
    expect((await revoke(sandbox, passkey.id)).status).toBe(204);
    for (const signature of ['wrong', undefined]) {
      const headers = signed(challenge.requestId, signature);
      expect(await sandbox.send('DELETE', path(email.id), { headers })).toMatchObject(lastCredential);
    }
    expect((await walletState(sandbox, accountId)).credentials).toEqual([email]);
  });

  test.each([2, 3])('case 47: all of %i credentials at once: one remains, and its answer is 400', async (count) => {
    const sandbox = await openSandbox();
    const { accountId, email, passkey } = await openSignedInWallet(sandbox);
    const all = [email, passkey];
    await signInWithPasskey(sandbox, passkey.id);
    if (count === 3) {
      all.push(await addCredential(sandbox, oauthRequest(accountId)));
      await signInWithOauth(sandbox, all[2]?.id ?? '');
    }
    const challenges = await Promise.all(all.map(({ id }) => sandbox.send('DELETE', path(id))));
    const retries = all.map(({ id }, index) =>
      sandbox.send('DELETE', path(id), { headers: signed(challenges[index]?.body.requestId) }),
    );
    const answers = await Promise.all(retries);
    expect(answers.filter(({ status }) => status === 204)).toHaveLength(count - 1);
    const refused = answers.findIndex(({ status }) => status !== 204);
    expect(answers[refused]).toMatchObject(lastCredential);
    expect((await walletState(sandbox, accountId)).credentials).toEqual([all[refused]]);
  });
});
