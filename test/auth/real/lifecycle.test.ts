/**
 * Promise: credentials, sessions, codes and pending requests change their states as the rows here say, with both kinds
 * of proofs (D12, D13, D15, D21, D22).
 */
import { describe, expect, test } from 'vitest';
import { cases, openEmpty, openFull } from '../../support/proofs/lifecycle.ts';
import { proverKeys, refreshBy, registerBy, signInBy, verify } from '../../support/proofs/prover.ts';
import { signed } from '../../support/scenes/builders.ts';

describe.each(cases)('$kind, $type: the rows of the table', (facts) => {
  const { kind, type } = facts;

  test('no credential → registered (201), with no session', async () => {
    const { prover, accountId, send, count } = await openEmpty(kind);
    expect((await send(await prover.registration(type, accountId))).status).toBe(201);
    expect(await count()).toEqual({ credentials: 1, sessions: 0 });
  });

  test('another credential is there → pending request (202), nothing created → registered (201)', async () => {
    const { prover, accountId, send, count } = await openEmpty(kind);
    const first = await registerBy(prover, 'PASSKEY', accountId, { name: 'the very first' });
    const by = await signInBy(prover, first);
    const body = await prover.registration(type, accountId);
    const { status, body: challenge } = await send(body);
    expect(status).toBe(202);
    expect(await count()).toEqual({ credentials: 1, sessions: 1 });
    const headers = signed(challenge.requestId, prover.sign(challenge.payloadToSign, by));
    expect((await send(body, headers)).status).toBe(201);
    expect(await count()).toEqual({ credentials: 2, sessions: 1 });
  });

  test('registered → session issued, by its own way to sign in', async () => {
    const { prover, accountId, count } = await openEmpty(kind);
    const { session } = await signInBy(prover, await registerBy(prover, type, accountId));
    expect(session).toMatchObject({ id: expect.stringMatching(/^Session:/), type, accountId });
    expect(await count()).toEqual({ credentials: 1, sessions: 1 });
  });

  test('session active → a new session by refresh, the old one beside it', async () => {
    const { prover, signedIn, count } = await openFull(facts);
    const refreshed = await refreshBy(prover, signedIn);
    expect(refreshed.session.id).not.toBe(signedIn.session.id);
    expect(await count()).toEqual({ credentials: 3, sessions: 2 });
  });

  test('session expired → a new session by signing in again', async () => {
    const { prover, sandbox, credential, signedIn, state } = await openFull(facts);
    await sandbox.advance(900);
    const again = await signInBy(prover, credential);
    expect(again.session.id).not.toBe(signedIn.session.id);
    expect((await state()).sessions.map(({ id }) => id)).toEqual([again.session.id]);
  });

  test('credential → revoked (204) by a session of another one, with the sessions it issued', async () => {
    const { prover, signedIn, endCredential, state } = await openFull(facts);
    await refreshBy(prover, signedIn);
    const { by, answer } = await endCredential();
    expect(answer.status).toBe(204);
    const { credentials, sessions } = await state();
    expect(credentials).toHaveLength(2);
    expect(sessions.map(({ id }) => id)).toEqual([by.session.id]);
  });

  test('session → revoked (204), the credential stays', async () => {
    const { endSession, count } = await openFull(facts);
    expect((await endSession()).status).toBe(204);
    expect(await count()).toEqual({ credentials: 3, sessions: 0 });
  });

  test('revoked → registered again, as another credential', async () => {
    const { prover, accountId, credential, endCredential } = await openFull(facts);
    const { by } = await endCredential();
    const registered = await registerBy(prover, type, accountId, { by });
    expect(registered).toMatchObject({ type: credential.type, nickname: credential.nickname });
    expect(registered.id).not.toBe(credential.id);
    expect((await signInBy(prover, registered)).session.id).toMatch(/^Session:/);
  });

  test('a pending request works before its expiresAt, once, and not from then on', async () => {
    const { prover, sandbox, other, count } = await openFull(facts);
    await sandbox.advance(600);
    const by = await signInBy(prover, other);
    const path = `/auth/sessions/${by.session.id}`;
    const ask = async () => {
      const { body } = await sandbox.send('DELETE', path);
      const headers = signed(body.requestId, prover.sign(body.payloadToSign, by));
      return () => sandbox.send('DELETE', path, { headers });
    };
    const used = { status: 401, body: { code: 'REQUEST_ID_INVALID' } };
    const late = await ask();
    await sandbox.advance(1);
    const inTime = await ask();
    await sandbox.advance(299);
    expect(await late()).toMatchObject(used);
    expect((await inTime()).status).toBe(204);
    expect(await inTime()).toMatchObject(used);
    expect(await count()).toEqual({ credentials: 3, sessions: 0 });
  });
});

test.each(cases)('$kind, $type: a refresh whose session expires between the steps is refused', async (facts) => {
  const { prover, sandbox, signedIn, state } = await openFull(facts);
  const path = `/auth/sessions/${signedIn.session.id}/refresh`;
  const body = { clientPublicKey: proverKeys.publicKeyHex };
  await sandbox.advance(899);
  const { status, body: challenge } = await sandbox.send('POST', path, { body });
  expect(status).toBe(202);
  await sandbox.advance(1);
  const headers = signed(challenge.requestId, prover.sign(challenge.payloadToSign, signedIn));
  const answer = await sandbox.send('POST', path, { body, headers });
  expect(answer).toMatchObject({ status: 404, body: { code: 'SESSION_NOT_FOUND' } });
  expect((await state()).sessions).toEqual([]);
});

describe.each(['magic', 'real'] as const)('%s: the code of an EMAIL_OTP credential', (kind) => {
  test('is sent by its registration, on the signed retry and not before', async () => {
    const { prover, sandbox, accountId, send } = await openEmpty(kind);
    const sent = async () => (await sandbox.control('GET', '/outbox')).body.data;
    const by = await signInBy(prover, await registerBy(prover, 'PASSKEY', accountId));
    const { body: challenge } = await send({ type: 'EMAIL_OTP', accountId });
    expect(await sent()).toEqual([]);
    const headers = signed(challenge.requestId, prover.sign(challenge.payloadToSign, by));
    const { body: credential } = await send({ type: 'EMAIL_OTP', accountId }, headers);
    const messages = await sent();
    expect(messages).toHaveLength(kind === 'real' ? 1 : 0);
    // So verification needs no challenge first.
    const { publicKeyHex: clientPublicKey } = proverKeys;
    const body = { type: 'EMAIL_OTP', otp: kind === 'real' ? messages[0].code : '000000', clientPublicKey };
    expect((await verify(sandbox, credential.id, { body, headers: {} })).status).toBe(200);
  });
});
