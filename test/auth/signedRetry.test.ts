/**
 * Promise: the signed-retry pattern is the same wherever it is used (INTERFACE, Signed-retry pattern; D13, D15, D16).
 * A first call changes nothing. A retry works once, in time, for the request that was challenged and nothing else; the
 * checks come in one order, and no refusal uses the pending request up.
 */
import { describe, expect, test } from 'vitest';
import type { AuthSession } from '../../generated/types.ts';
import {
  addCredential,
  assertionRequest,
  clientKeys,
  oauthRequest,
  openSignedInWallet,
  openWallet,
  registerEmailOtp,
  type SignedInWallet,
  signAndSend,
  signed,
  signInWithPasskey,
  walletState,
} from '../support/builders.ts';
import { type Answer, openSandbox, startOfTime, type TestSandbox } from '../support/harness.ts';

/** A wallet with two credentials and a session of each, and a second wallet with a credential. */
interface Scene extends SignedInWallet {
  readonly sandbox: TestSandbox;
  readonly passkeySession: AuthSession;
  readonly otherAccountId: string;
}

interface Request {
  readonly path: string;
  readonly body?: object;
}

interface SignedOperation {
  readonly id: string;
  readonly method: string;
  readonly request: (scene: Scene) => Request;
  /** The same operation about something else. */
  readonly other: (scene: Scene) => Request;
  readonly success: number;
  /** The `type` of the challenge (D16). */
  readonly type: string;
  /** How the numbers of credentials and sessions change. */
  readonly change: readonly [credentials: number, sessions: number];
  /** Makes the resource's own rule refuse the retry, and with what. */
  readonly spoil: (scene: Scene) => Promise<unknown>;
  readonly spoilt: { readonly status: number; readonly code: string };
  /** What a retry gets when every session of the wallet has ended between the two calls. */
  readonly unsigned: { readonly status: number; readonly code: string; readonly reason?: string };
}

const unauthorized = (code: string) => ({ status: 401, code });
const wrongSignature = { status: 401, code: 'UNAUTHORIZED', reason: 'Invalid Service-Wallet-Signature' };
const sessionNotFound = { status: 404, code: 'SESSION_NOT_FOUND' };

const refresh = (session: AuthSession, keys = clientKeys(3)): Request => ({
  path: `/auth/sessions/${session.id}/refresh`,
  body: { clientPublicKey: keys.publicKeyHex },
});

const signedOperations: readonly SignedOperation[] = [
  {
    id: 'createCredential',
    method: 'POST',
    request: ({ accountId }) => ({ path: '/auth/credentials', body: oauthRequest(accountId) }),
    other: ({ otherAccountId }) => ({ path: '/auth/credentials', body: oauthRequest(otherAccountId) }),
    success: 201,
    type: 'OAUTH',
    change: [1, 0],
    spoil: ({ sandbox, accountId }) => addCredential(sandbox, oauthRequest(accountId)),
    spoilt: { status: 409, code: 'CREDENTIAL_ALREADY_EXISTS' },
    unsigned: wrongSignature,
  },
  {
    id: 'revokeCredential',
    method: 'DELETE',
    request: ({ passkey }) => ({ path: `/auth/credentials/${passkey.id}` }),
    other: ({ email }) => ({ path: `/auth/credentials/${email.id}` }),
    success: 204,
    type: 'PASSKEY',
    change: [-1, -1],
    spoil: ({ sandbox, passkey }) => signAndSend(sandbox, 'DELETE', `/auth/credentials/${passkey.id}`),
    spoilt: { status: 404, code: 'CREDENTIAL_NOT_FOUND' },
    unsigned: wrongSignature,
  },
  {
    id: 'revokeSession',
    method: 'DELETE',
    request: ({ session }) => ({ path: `/auth/sessions/${session.id}` }),
    other: ({ passkeySession }) => ({ path: `/auth/sessions/${passkeySession.id}` }),
    success: 204,
    type: 'EMAIL_OTP',
    change: [0, -1],
    spoil: ({ sandbox, session }) => signAndSend(sandbox, 'DELETE', `/auth/sessions/${session.id}`),
    spoilt: sessionNotFound,
    unsigned: sessionNotFound,
  },
  {
    id: 'refreshSession',
    method: 'POST',
    request: ({ session }) => refresh(session),
    other: ({ passkeySession }) => refresh(passkeySession),
    success: 201,
    type: 'EMAIL_OTP',
    change: [0, 1],
    spoil: ({ sandbox, session }) => signAndSend(sandbox, 'DELETE', `/auth/sessions/${session.id}`),
    spoilt: sessionNotFound,
    unsigned: sessionNotFound,
  },
];

async function openScene(): Promise<Scene> {
  const sandbox = await openSandbox();
  const wallet = await openSignedInWallet(sandbox);
  const passkeySession = await signInWithPasskey(sandbox, wallet.passkey.id);
  const { accountId: otherAccountId } = await openWallet(sandbox, 'grace@example.com');
  await registerEmailOtp(sandbox, otherAccountId);
  return { ...wallet, sandbox, passkeySession, otherAccountId };
}

describe.each(signedOperations)('$id', (operation) => {
  const { method } = operation;
  const call = (scene: Scene, request: Request, headers: Record<string, string> = {}): Promise<Answer> =>
    scene.sandbox.send(method, request.path, { body: request.body, headers });
  const open = async () => {
    const scene = await openScene();
    const request = operation.request(scene);
    const { status, body: challenge } = await call(scene, request);
    expect(status).toBe(202);
    const retry = (requestId: string = challenge.requestId, signature?: string) =>
      call(scene, request, signed(requestId, signature));
    return { scene, request, challenge, retry, state: () => walletState(scene.sandbox, scene.accountId) };
  };

  test('the first call answers a challenge of five minutes and changes nothing', async () => {
    const scene = await openScene();
    const before = await walletState(scene.sandbox, scene.accountId);
    const { status, body } = await call(scene, operation.request(scene));
    expect(status).toBe(202);
    expect(body).toEqual({
      payloadToSign: expect.stringMatching(/./),
      requestId: expect.stringMatching(/^Request:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
      expiresAt: new Date(startOfTime + 300_000).toISOString(),
      type: operation.type,
    });
    expect(await walletState(scene.sandbox, scene.accountId)).toEqual(before);
  });

  test('each first call is a challenge of its own, with its own payload', async () => {
    const { scene, request, challenge } = await open();
    const { body: second } = await call(scene, request);
    expect(second.requestId).not.toBe(challenge.requestId);
    expect(second.payloadToSign).not.toBe(challenge.payloadToSign);
  });

  test('case 40: a signed retry works once; the same again is 401 and changes nothing', async () => {
    const { retry, state } = await open();
    const before = await state();
    const answer = await retry();
    expect(answer.status).toBe(operation.success);
    const after = await state();
    const [credentials, sessions] = operation.change;
    expect(after.credentials).toHaveLength(before.credentials.length + credentials);
    expect(after.sessions).toHaveLength(before.sessions.length + sessions);
    expect(await retry()).toMatchObject({ status: 401, body: unauthorized('REQUEST_ID_INVALID') });
    expect(await state()).toEqual(after);
  });

  test('case 37: one of the two headers alone is 401, and the pending request stays usable', async () => {
    const { scene, request, challenge, retry, state } = await open();
    const before = await state();
    const { 'Request-Id': requestId, 'Service-Wallet-Signature': signature } = signed(challenge.requestId);
    const noId = await call(scene, request, { 'Service-Wallet-Signature': signature });
    expect(noId).toMatchObject({ status: 401, body: unauthorized('REQUEST_ID_MISSING') });
    const noSignature = await call(scene, request, { 'Request-Id': requestId });
    expect(noSignature).toMatchObject({ status: 401, body: unauthorized('WALLET_SIGNATURE_MISSING') });
    expect(await state()).toEqual(before);
    expect((await retry()).status).toBe(operation.success);
  });

  test('a wrong signature is 401 with its reason, and the pending request stays usable', async () => {
    const { challenge, retry, state } = await open();
    const before = await state();
    for (const signature of ['', 'SANDBOX-VALID-SIGNATURE', 'sandbox-valid-signature=', 'sandbox-valid-oidc-token']) {
      expect(await retry(challenge.requestId, signature)).toMatchObject({ status: 401, body: wrongSignature });
    }
    expect(await state()).toEqual(before);
    expect((await retry()).status).toBe(operation.success);
  });

  test('a Request-Id that is not exactly one that waits is 401', async () => {
    const { scene, challenge, retry, state } = await open();
    const before = await state();
    const path = `/auth/credentials/${scene.passkey.id}`;
    const { body: passkey } = await scene.sandbox.send('POST', `${path}/challenge`, {
      body: { clientPublicKey: clientKeys().publicKeyHex },
    });
    const uuid = challenge.requestId.slice('Request:'.length);
    const unknown = 'Request:00000000-0000-7000-8000-000000000000';
    for (const requestId of ['', 'nonsense', uuid, `Request:${uuid.toUpperCase()}x`, unknown, passkey.requestId]) {
      expect(await retry(requestId)).toMatchObject({ status: 401, body: unauthorized('REQUEST_ID_INVALID') });
    }
    expect(await state()).toEqual(before);
    const headers = { 'Request-Id': passkey.requestId };
    const answer = await scene.sandbox.send('POST', `${path}/verify`, { body: assertionRequest(), headers });
    expect(answer.status).toBe(200);
    expect((await retry()).status).toBe(operation.success);
  });

  test('case 38: a challenge is good for its own target only: not another resource, not another operation', async () => {
    const { scene, challenge, retry, state } = await open();
    const before = await state();
    const headers = signed(challenge.requestId);
    const mismatch = { status: 401, body: unauthorized('WALLET_SIGNATURE_BODY_MISMATCH') };
    expect(await call(scene, operation.other(scene), headers)).toMatchObject(mismatch);
    for (const another of signedOperations.filter(({ id }) => id !== operation.id)) {
      const { path, body } = another.request(scene);
      expect(await scene.sandbox.send(another.method, path, { body, headers })).toMatchObject(mismatch);
    }
    expect(await state()).toEqual(before);
    expect((await retry()).status).toBe(operation.success);
  });

  test.each([
    ['one second before expiresAt', 299, operation.success],
    ['at expiresAt', 300, 401],
    ['one second after expiresAt', 301, 401],
  ])('case 43: %s (%i s): %i', async (_name, seconds, status) => {
    const { scene, retry, state } = await open();
    const before = await state();
    await scene.sandbox.advance(seconds);
    const answer = await retry();
    expect(answer.status).toBe(status);
    if (status === 401) {
      expect(answer.body).toMatchObject(unauthorized('REQUEST_ID_INVALID'));
      expect(await state()).toEqual(before);
    } else if (answer.body !== undefined) {
      expect(answer.body.createdAt).toBe(new Date(startOfTime + seconds * 1000).toISOString());
    }
  });

  test('case 41: of twenty identical signed retries at once one succeeds', async () => {
    const { retry, state } = await open();
    const before = await state();
    const answers = await Promise.all(Array.from({ length: 20 }, () => retry()));
    expect(answers.filter(({ status }) => status === operation.success)).toHaveLength(1);
    const refused = answers.filter(({ status }) => status === 401);
    expect(refused.map(({ body }) => body.code)).toEqual(Array.from({ length: 19 }, () => 'REQUEST_ID_INVALID'));
    const after = await state();
    expect(after.credentials.length - before.credentials.length).toBe(operation.change[0]);
    expect(after.sessions.length - before.sessions.length).toBe(operation.change[1]);
  });

  test('without an active session that may sign, the magic signature is refused', async () => {
    const scene = await openScene();
    await scene.sandbox.advance(14 * 60);
    const request = operation.request(scene);
    const { body: challenge } = await call(scene, request);
    await scene.sandbox.advance(60);
    const { status, ...body } = operation.unsigned;
    expect(await call(scene, request, signed(challenge.requestId))).toMatchObject({ status, body });
  });

  describe('with several faults at once, the order of checks decides (D15)', () => {
    const { status, code } = operation.spoilt;
    const faults = { used: false, elsewhere: false, spoilt: false, badSignature: true };
    test.each([
      [{ ...faults, used: true, elsewhere: true, spoilt: true }, 401, 'REQUEST_ID_INVALID'],
      [{ ...faults, used: true, spoilt: true }, 401, 'REQUEST_ID_INVALID'],
      [{ ...faults, elsewhere: true, spoilt: true }, 401, 'WALLET_SIGNATURE_BODY_MISMATCH'],
      [{ ...faults, elsewhere: true }, 401, 'WALLET_SIGNATURE_BODY_MISMATCH'],
      [{ ...faults, spoilt: true }, status, code],
      [{ ...faults, spoilt: true, badSignature: false }, status, code],
      [faults, 401, 'UNAUTHORIZED'],
    ])('%j: %i %s', async (has, expectedStatus, expectedCode) => {
      const { scene, request, challenge, retry, state } = await open();
      if (has.used) expect((await retry()).status).toBe(operation.success);
      else if (has.spoilt) await operation.spoil(scene);
      const before = await state();
      const headers = signed(challenge.requestId, has.badSignature ? 'wrong' : undefined);
      const answer = await call(scene, has.elsewhere ? operation.other(scene) : request, headers);
      expect(answer).toMatchObject({ status: expectedStatus, body: { code: expectedCode } });
      expect(await state()).toEqual(before);
    });

    test('a header that is missing comes before all of them', async () => {
      const { scene, challenge } = await open();
      await operation.spoil(scene);
      const alone = await call(scene, operation.other(scene), { 'Request-Id': challenge.requestId });
      expect(alone).toMatchObject({ status: 401, body: unauthorized('WALLET_SIGNATURE_MISSING') });
      const unsigned = await call(scene, operation.other(scene), { 'Service-Wallet-Signature': 'wrong' });
      expect(unsigned).toMatchObject({ status: 401, body: unauthorized('REQUEST_ID_MISSING') });
    });
  });
});
