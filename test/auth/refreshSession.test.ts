/**
 * Promise: an active session opens another one for a new client key, in two calls. The old session keeps its own end. A
 * session that has ended opens none (D09, D13, D15, D21).
 */
import { describe, expect, test } from 'vitest';
import { testCommonRefusals } from '../support/requests/refusals.ts';
import { openSandbox, startOfTime } from '../support/sandbox/harness.ts';
import {
  clientKeys,
  openSignedInWallet,
  refreshSession,
  signAndSend,
  signed,
  signInWithPasskey,
  walletState,
} from '../support/scenes/builders.ts';

const path = (id: string) => `/auth/sessions/${id}/refresh`;
const body = { clientPublicKey: clientKeys(3).publicKeyHex };
const sessionNotFound = { status: 404, body: { status: 404, code: 'SESSION_NOT_FOUND' } };
const at = (seconds: number) => new Date(startOfTime + seconds * 1000).toISOString();

testCommonRefusals('refreshSession', path('Session:none'));

test.each(['Session:none', 'AuthMethod:none', 'none'])('%s names no session: 404', async (id) => {
  const sandbox = await openSandbox();
  expect(await sandbox.send('POST', path(id), { body })).toMatchObject(sessionNotFound);
});

test.each(['EMAIL_OTP', 'PASSKEY'] as const)('201 with a new session of the same %s credential', async (type) => {
  const sandbox = await openSandbox();
  const wallet = await openSignedInWallet(sandbox);
  const old = type === 'PASSKEY' ? await signInWithPasskey(sandbox, wallet.passkey.id) : wallet.session;
  await sandbox.advance(600);
  const { status, body: session } = await signAndSend(sandbox, 'POST', path(old.id), body);
  expect(status).toBe(201);
  expect(session).toEqual({
    ...old,
    id: expect.stringMatching(/^Session:/),
    createdAt: at(600),
    updatedAt: at(600),
    expiresAt: at(1500),
    encryptedSessionSigningKey: expect.stringMatching(/^[1-9A-HJ-NP-Za-km-z]+$/),
  });
  expect(session.id).not.toBe(old.id);
  expect(session.encryptedSessionSigningKey).not.toBe(old.encryptedSessionSigningKey);
});

test('the old session keeps its own end, and the new one outlives it (D21)', async () => {
  const sandbox = await openSandbox();
  const { accountId, session: old } = await openSignedInWallet(sandbox);
  await sandbox.advance(600);
  const session = await refreshSession(sandbox, old.id);
  const { sessions } = await walletState(sandbox, accountId);
  expect(sessions.map(({ id, expiresAt }) => [id, expiresAt])).toEqual([
    [session.id, at(1500)],
    [old.id, at(900)],
  ]);
  await sandbox.advance(299);
  expect((await sandbox.send('POST', path(old.id), { body })).status).toBe(202);
  await sandbox.advance(1);
  expect(await sandbox.send('POST', path(old.id), { body })).toMatchObject(sessionNotFound);
  expect(await refreshSession(sandbox, session.id)).toMatchObject({ expiresAt: at(1800) });
});

describe('a session that has ended', () => {
  test.each([
    [899, 202],
    [900, 404],
    [901, 404],
  ])('first call %i s after it was issued: %i', async (seconds, status) => {
    const sandbox = await openSandbox();
    const { session } = await openSignedInWallet(sandbox);
    await sandbox.advance(seconds);
    expect((await sandbox.send('POST', path(session.id), { body })).status).toBe(status);
  });

  test('expired between the two calls: 404, although the challenge is still good and another session could sign', async () => {
    const sandbox = await openSandbox();
    const { accountId, passkey, session } = await openSignedInWallet(sandbox);
    await sandbox.advance(840);
    const other = await signInWithPasskey(sandbox, passkey.id);
    const { body: challenge } = await sandbox.send('POST', path(session.id), { body });
    expect(challenge.expiresAt).toBe(at(1140));
    await sandbox.advance(60);
    const headers = signed(challenge.requestId);
    expect(await sandbox.send('POST', path(session.id), { body, headers })).toMatchObject(sessionNotFound);
    expect((await walletState(sandbox, accountId)).sessions.map(({ id }) => id)).toEqual([other.id]);
  });

  test('revoked: 404', async () => {
    const sandbox = await openSandbox();
    const { session } = await openSignedInWallet(sandbox);
    expect((await signAndSend(sandbox, 'DELETE', `/auth/sessions/${session.id}`)).status).toBe(204);
    expect(await sandbox.send('POST', path(session.id), { body })).toMatchObject(sessionNotFound);
  });
});

test.each([
  ['no body', undefined, ''],
  ['no key', {}, '/clientPublicKey'],
  ["a key that isn't text", { clientPublicKey: null }, '/clientPublicKey'],
  ['an unknown field', { ...body, accountId: 'InternalAccount:a' }, '/accountId'],
])('%s: 400 on both steps, and the pending request stays', async (_name, wrong, pointer) => {
  const sandbox = await openSandbox();
  const { accountId, session } = await openSignedInWallet(sandbox);
  const { body: challenge } = await sandbox.send('POST', path(session.id), { body });
  const before = await walletState(sandbox, accountId);
  for (const headers of [{}, signed(challenge.requestId)]) {
    const answer = await sandbox.send('POST', path(session.id), { body: wrong, headers });
    const details = { errors: [{ in: 'body', pointer }] };
    expect(answer).toMatchObject({ status: 400, body: { code: 'INVALID_INPUT', details } });
  }
  expect(await walletState(sandbox, accountId)).toEqual(before);
  const headers = signed(challenge.requestId);
  expect((await sandbox.send('POST', path(session.id), { body, headers })).status).toBe(201);
});
