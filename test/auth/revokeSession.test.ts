/**
 * Promise: any active session of a wallet can end a session of that wallet, including itself, with its signature. The
 * credential stays usable. A session that has already ended is 404 (D15, D16, D21, D53).
 */
import { describe, expect, test } from 'vitest';
import { testCommonRefusals } from '../support/requests/refusals.ts';
import { must, openSandbox, type TestSandbox } from '../support/sandbox/harness.ts';
import {
  openSignedInWallet,
  openWallet,
  registerEmailOtp,
  signAndSend,
  signed,
  signIn,
  signInWithPasskey,
  walletState,
} from '../support/scenes/builders.ts';

const path = (id: string) => `/auth/sessions/${id}`;
const revoke = (sandbox: TestSandbox, id: string) => signAndSend(sandbox, 'DELETE', path(id));
const sessionNotFound = { status: 404, body: { status: 404, code: 'SESSION_NOT_FOUND' } };

testCommonRefusals('revokeSession', path('Session:none'));

test.each(['Session:none', 'AuthMethod:none', 'none'])('%s names no session: 404', async (id) => {
  const sandbox = await openSandbox();
  expect(await sandbox.send('DELETE', path(id))).toMatchObject(sessionNotFound);
});

test('the id of a credential names no session, although it issued one', async () => {
  const sandbox = await openSandbox();
  const { email } = await openSignedInWallet(sandbox);
  expect(await sandbox.send('DELETE', path(email.id))).toMatchObject(sessionNotFound);
});

test('a session may revoke itself: 202, then 204 without content; afterwards it is 404', async () => {
  const sandbox = await openSandbox();
  const { accountId, email, passkey, session } = await openSignedInWallet(sandbox);
  const { status, body } = await revoke(sandbox, session.id);
  expect({ status, body }).toEqual({ status: 204, body: undefined });
  expect(await walletState(sandbox, accountId)).toEqual({ credentials: [passkey, email], sessions: [] });
  expect(await sandbox.send('DELETE', path(session.id))).toMatchObject(sessionNotFound);
});

test('another session of the wallet may revoke it; that one stays', async () => {
  const sandbox = await openSandbox();
  const { accountId, passkey, session } = await openSignedInWallet(sandbox);
  await sandbox.advance(1);
  const other = await signInWithPasskey(sandbox, passkey.id);
  expect((await revoke(sandbox, session.id)).status).toBe(204);
  expect((await walletState(sandbox, accountId)).sessions.map(({ id }) => id)).toEqual([other.id]);
});

test('the challenge has the type of the credential that issued the session (D16)', async () => {
  const sandbox = await openSandbox();
  const { passkey, session } = await openSignedInWallet(sandbox);
  const other = await signInWithPasskey(sandbox, passkey.id);
  expect((await sandbox.send('DELETE', path(session.id))).body.type).toBe('EMAIL_OTP');
  expect((await sandbox.send('DELETE', path(other.id))).body.type).toBe('PASSKEY');
});

test('the credential stays usable: it signs in again', async () => {
  const sandbox = await openSandbox();
  const { accountId, email, session } = await openSignedInWallet(sandbox);
  await revoke(sandbox, session.id);
  must(await sandbox.send('POST', `/auth/credentials/${email.id}/challenge`));
  const again = await signIn(sandbox, email.id);
  expect((await walletState(sandbox, accountId)).sessions.map(({ id }) => id)).toEqual([again.id]);
});

test('the sessions of another wallet are left alone', async () => {
  const sandbox = await openSandbox();
  const { session } = await openSignedInWallet(sandbox);
  const other = await openWallet(sandbox, 'grace@example.com');
  const theirs = await signIn(sandbox, (await registerEmailOtp(sandbox, other.accountId)).id);
  expect((await revoke(sandbox, session.id)).status).toBe(204);
  expect((await walletState(sandbox, other.accountId)).sessions.map(({ id }) => id)).toEqual([theirs.id]);
});

describe('a session that has expired is 404', () => {
  test.each([
    [899, 202],
    [900, 404],
    [901, 404],
  ])('first call %i s after it was issued: %i', async (seconds, status) => {
    const sandbox = await openSandbox();
    const { session } = await openSignedInWallet(sandbox);
    await sandbox.advance(seconds);
    expect((await sandbox.send('DELETE', path(session.id))).status).toBe(status);
  });

  test('between the two calls, although another session could sign', async () => {
    const sandbox = await openSandbox();
    const { passkey, session } = await openSignedInWallet(sandbox);
    await sandbox.advance(14 * 60);
    await signInWithPasskey(sandbox, passkey.id);
    const { body } = await sandbox.send('DELETE', path(session.id));
    await sandbox.advance(60);
    const answer = await sandbox.send('DELETE', path(session.id), { headers: signed(body.requestId) });
    expect(answer).toMatchObject(sessionNotFound);
  });
});

test.each([
  ['no bytes, but the type of JSON and a length of 0', { text: '', headers: { 'content-length': '0' } }],
  ["a body that isn't JSON", { text: '{' }],
])('case 22: %s: 202 as without', async (_name, options) => {
  const sandbox = await openSandbox();
  const { session } = await openSignedInWallet(sandbox);
  expect((await sandbox.send('DELETE', path(session.id), options)).status).toBe(202);
});
