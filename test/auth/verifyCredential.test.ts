/**
 * Promise: a valid proof opens a session of fifteen minutes, and nothing else does. A code answers one challenge, a
 * passkey's assertion the challenge of its Request-Id. Success uses either up, a refusal doesn't. Each refusal names
 * the failed check in the interface's words (D12, D13, D19, D22).
 */
import { describe, expect, test } from 'vitest';
import type { AuthMethod } from '../../generated/types.ts';
import { invalidField, notBase64Url } from '../support/proofs/passkeys.ts';
import { testCommonRefusals } from '../support/requests/refusals.ts';
import { type Answer, openSandbox, startOfTime, type TestSandbox } from '../support/sandbox/harness.ts';
import {
  addCredential,
  assertionRequest,
  clientKeys,
  magic,
  oauthRequest,
  openSignedInWallet,
  passkeyRequest,
  type SignedInWallet,
  signIn,
  walletState,
} from '../support/scenes/builders.ts';

const clientPublicKey = clientKeys(5).publicKeyHex;
const verify = (
  sandbox: TestSandbox,
  id: string,
  body: object,
  headers: Record<string, string> = {},
): Promise<Answer> => sandbox.send('POST', `/auth/credentials/${id}/verify`, { body, headers });
const emailOtp = (otp: unknown = magic.otp) => ({ type: 'EMAIL_OTP', otp, clientPublicKey });
const oauth = (oidcToken: unknown = magic.oidcToken) => ({ type: 'OAUTH', oidcToken, clientPublicKey });
const refused = (reason: string) => ({ status: 401, body: { status: 401, code: 'UNAUTHORIZED', reason } });

testCommonRefusals('verifyCredential', '/auth/credentials/AuthMethod:none/verify');

test.each(['AuthMethod:none', 'Session:none', 'none'])('%s names no credential: 404', async (id) => {
  const sandbox = await openSandbox();
  const notFound = { status: 404, body: { code: 'CREDENTIAL_NOT_FOUND' } };
  expect(await verify(sandbox, id, emailOtp())).toMatchObject(notFound);
});

/** A wallet with a credential of each type, and the Request-Id of a challenge for its passkey. */
async function openAllTypes() {
  const sandbox = await openSandbox();
  const wallet = await openSignedInWallet(sandbox);
  const identity = await addCredential(sandbox, oauthRequest(wallet.accountId));
  const challenge = async (credential: AuthMethod) => {
    const path = `/auth/credentials/${credential.id}/challenge`;
    return (await sandbox.send('POST', path, { body: { clientPublicKey } })).body;
  };
  const { requestId } = await challenge(wallet.passkey);
  await challenge(wallet.email);
  const before = await walletState(sandbox, wallet.accountId);
  const unchanged = async () => expect(await walletState(sandbox, wallet.accountId)).toEqual(before);
  return { sandbox, ...wallet, identity, challenge, requestId, unchanged };
}

type AllTypes = SignedInWallet & { readonly identity: AuthMethod; readonly requestId: string };
const proofs = [
  ['EMAIL_OTP', (all: AllTypes) => all.email, emailOtp()],
  ['OAUTH', (all: AllTypes) => all.identity, oauth()],
  ['PASSKEY', (all: AllTypes) => all.passkey, assertionRequest()],
] as const;

describe.each(proofs)('%s', (type, credentialOf, proof) => {
  test('a valid proof: 200 with a session of its own', async () => {
    const all = await openAllTypes();
    const credential = credentialOf(all);
    const { status, body } = await verify(all.sandbox, credential.id, proof, { 'Request-Id': all.requestId });
    expect(status).toBe(200);
    const now = new Date(startOfTime).toISOString();
    expect(body).toEqual({
      id: expect.stringMatching(/^Session:/),
      accountId: all.accountId,
      type,
      nickname: credential.nickname,
      ...(type === 'PASSKEY' ? { credentialId: all.passkey.credentialId } : {}),
      createdAt: now,
      updatedAt: now,
      expiresAt: new Date(startOfTime + 15 * 60_000).toISOString(),
      encryptedSessionSigningKey: expect.stringMatching(/^[1-9A-HJ-NP-Za-km-z]{100,130}$/),
    });
    const { sessions } = await walletState(all.sandbox, all.accountId);
    expect(sessions.map(({ id }) => id)).toEqual([body.id, all.session.id]);
  });

  test.each(proofs.filter(([other]) => other !== type))(
    'a proof for %s: 400 that names the type (D12)',
    async (_other, _of, body) => {
      const all = await openAllTypes();
      const answer = await verify(all.sandbox, credentialOf(all).id, body, { 'Request-Id': all.requestId });
      expect(answer).toMatchObject(invalidField('/type'));
      await all.unchanged();
    },
  );

  test('case 67: a field that is not of this type: 400 that names it', async () => {
    const all = await openAllTypes();
    const [field, body] =
      type === 'PASSKEY'
        ? ['clientPublicKey', { ...proof, clientPublicKey }]
        : ['assertion', { ...proof, assertion: {} }];
    const answer = await verify(all.sandbox, credentialOf(all).id, body, { 'Request-Id': all.requestId });
    expect(answer).toMatchObject(invalidField(`/${field}`));
    await all.unchanged();
  });
});

describe('OAUTH', () => {
  test.each(['', 'sandbox-valid-oidc-token ', 'Sandbox-Valid-Oidc-Token', oauthRequest('').oidcToken, magic.otp])(
    'case 76: the token %j is not the magic one: refused',
    async (token) => {
      const all = await openAllTypes();
      const answer = await verify(all.sandbox, all.identity.id, oauth(token));
      expect(answer).toMatchObject(refused('Invalid OIDC token'));
      await all.unchanged();
    },
  );

  test('case 76: the magic token may be used again and again, without a challenge', async () => {
    const all = await openAllTypes();
    for (const _ of ['once', 'again']) {
      expect((await verify(all.sandbox, all.identity.id, oauth())).status).toBe(200);
    }
  });

  test('a Request-Id means nothing here, nor for EMAIL_OTP', async () => {
    const all = await openAllTypes();
    const headers = { 'Request-Id': 'nonsense' };
    expect((await verify(all.sandbox, all.identity.id, oauth(), headers)).status).toBe(200);
    expect((await verify(all.sandbox, all.email.id, emailOtp(), headers)).status).toBe(200);
  });
});

describe('PASSKEY', () => {
  const assert = (
    all: Awaited<ReturnType<typeof openAllTypes>>,
    requestId?: string,
    body: object = assertionRequest(),
  ) => verify(all.sandbox, all.passkey.id, body, requestId === undefined ? {} : { 'Request-Id': requestId });
  const invalidRequestId = { status: 401, body: { code: 'REQUEST_ID_INVALID' } };

  test.each(['', 'A', 'MEUCIQD+/w==', 'no base64 at all', 'sandbox-valid-passkey-signature=', magic.walletSignature])(
    'the signature %j is not the magic one: 401 with its reason, and the challenge stays',
    async (signature) => {
      const all = await openAllTypes();
      const answer = await assert(all, all.requestId, assertionRequest(signature));
      expect(answer).toMatchObject(refused('Invalid passkey signature'));
      await all.unchanged();
      expect((await assert(all, all.requestId)).status).toBe(200);
    },
  );

  test('case 67: without Request-Id: 401', async () => {
    const all = await openAllTypes();
    expect(await assert(all)).toMatchObject({ status: 401, body: { code: 'REQUEST_ID_MISSING' } });
    await all.unchanged();
  });

  test('case 67: a Request-Id that is unknown, of another credential, or of a signed retry: 401', async () => {
    const all = await openAllTypes();
    const other = await addCredential(all.sandbox, passkeyRequest(all.accountId, 'passkey-2'));
    const { requestId: foreign } = await all.challenge(other);
    const path = `/auth/sessions/${all.session.id}`;
    const { body: signedRetry } = await all.sandbox.send('DELETE', path);
    const unknown = 'Request:00000000-0000-7000-8000-000000000000';
    for (const requestId of ['', 'nonsense', unknown, foreign, signedRetry.requestId]) {
      expect(await assert(all, requestId)).toMatchObject(invalidRequestId);
    }
    expect((await verify(all.sandbox, other.id, assertionRequest(), { 'Request-Id': foreign })).status).toBe(200);
    expect((await assert(all, all.requestId)).status).toBe(200);
  });

  test('a Request-Id works once, and of ten at once one succeeds', async () => {
    const all = await openAllTypes();
    const answers = await Promise.all(Array.from({ length: 10 }, () => assert(all, all.requestId)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(await assert(all, all.requestId)).toMatchObject(invalidRequestId);
    expect((await walletState(all.sandbox, all.accountId)).sessions).toHaveLength(2);
  });

  test.each([
    [299, 200],
    [300, 401],
    [301, 401],
  ])('case 43: a challenge that is %i s old: %i', async (seconds, status) => {
    const all = await openAllTypes();
    await all.sandbox.advance(seconds);
    const answer = await assert(all, all.requestId);
    expect(answer.status).toBe(status);
    if (status === 401) expect(answer).toMatchObject(invalidRequestId);
  });

  test('the Request-Id is checked before the signature', async () => {
    const all = await openAllTypes();
    expect(await assert(all, 'nonsense', assertionRequest('wrong'))).toMatchObject(invalidRequestId);
  });

  test.each([
    ['absent', undefined, 200],
    ['some bytes', 'dXNlci0x', 200],
    ['null', null, 400],
    ['empty', '', 400],
    ['no base64url', 'a+b/', 200],
    ['more than 64 bytes', 'A'.repeat(400), 200],
  ])('case 61: userHandle %s', async (_name, userHandle, status) => {
    const all = await openAllTypes();
    const { type, assertion } = assertionRequest();
    const answer = await assert(all, all.requestId, { type, assertion: { ...assertion, userHandle } });
    expect(answer.status).toBe(status);
    if (status === 400) expect(answer).toMatchObject(invalidField('/assertion/userHandle'));
  });

  test.each(['credentialId', 'clientDataJson', 'authenticatorData', 'signature'])(
    'without assertion.%s: 400 that names it',
    async (field) => {
      const all = await openAllTypes();
      const { type, assertion } = assertionRequest();
      const answer = await assert(all, all.requestId, { type, assertion: { ...assertion, [field]: undefined } });
      expect(answer).toMatchObject(invalidField(`/assertion/${field}`));
      await all.unchanged();
    },
  );

  test.each(['stub', 'dummy', 'test', ...notBase64Url])('the rest of the assertion may be %j', async (text) => {
    const all = await openAllTypes();
    const { type, assertion } = assertionRequest();
    const rest = { clientDataJson: text, authenticatorData: text };
    expect((await assert(all, all.requestId, { type, assertion: { ...assertion, ...rest } })).status).toBe(200);
  });

  test.each([
    ['EMAIL_OTP', 'Invalid OTP code'],
    ['OAUTH', 'Invalid OIDC token'],
    ['PASSKEY', 'Invalid passkey signature'],
  ] as const)('a proof of 100,000 characters for %s is a wrong one: 401', async (type, reason) => {
    const all = await openAllTypes();
    const long = 'x'.repeat(100_000);
    const attempts = {
      EMAIL_OTP: () => verify(all.sandbox, all.email.id, emailOtp(long)),
      OAUTH: () => verify(all.sandbox, all.identity.id, oauth(long)),
      PASSKEY: () => assert(all, all.requestId, assertionRequest(long)),
    };
    expect(await attempts[type]()).toMatchObject(refused(reason));
  });

  test('case 62: padding is accepted in what the browser sends', async () => {
    const all = await openAllTypes();
    const { type, assertion } = assertionRequest();
    const padded = { ...assertion, authenticatorData: 'ZGF0YQ==', clientDataJson: 'e30=' };
    expect((await assert(all, all.requestId, { type, assertion: padded })).status).toBe(200);
  });
});

test('a session that is open does not stand in the way of another one', async () => {
  const all = await openAllTypes();
  await all.sandbox.advance(1);
  const second = await signIn(all.sandbox, all.email.id);
  expect(second.id).not.toBe(all.session.id);
  expect((await walletState(all.sandbox, all.accountId)).sessions).toHaveLength(2);
});

test('wrong codes in magic proofs are not counted, and after a change to real proofs the count starts at zero', async () => {
  const { sandbox, email, challenge } = await openAllTypes();
  await challenge(email);
  for (let wrong = 0; wrong < 4; wrong += 1) {
    expect((await verify(sandbox, email.id, emailOtp('111111'))).status).toBe(401);
  }
  const { body: world } = await sandbox.control('GET', '/snapshot');
  expect((await sandbox.control('POST', '/platforms', { body: { world } })).status).toBe(201);
  expect((await verify(sandbox, email.id, emailOtp())).status).toBe(200);
});
