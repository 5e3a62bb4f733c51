/**
 * Promise: credentials, sessions, codes and pending requests move as INTERFACE's table "Credential and session
 * lifecycle" says, row by row, and in no other way: a trigger in a state that the table does not give it is refused and
 * changes nothing (D12, D13, D15, D21, D22).
 */
import { describe, expect, test } from 'vitest';
import type { AuthMethod } from '../../generated/types.ts';
import {
  addCredential,
  assertionRequest,
  clientKeys,
  magic,
  oauthRequest,
  openWallet,
  passkeyRequest,
  refreshSession,
  signAndSend,
  signed,
  signIn,
  signInWithOauth,
  signInWithPasskey,
  walletState,
} from '../support/builders.ts';
import { type Answer, openSandbox, type TestSandbox } from '../support/harness.ts';

const { publicKeyHex: clientPublicKey } = clientKeys();

interface CredentialType {
  readonly type: 'EMAIL_OTP' | 'OAUTH' | 'PASSKEY';
  readonly registration: (accountId: string) => object;
  /** A proof for it, and one of a type that it is not. */
  readonly proof: object;
  readonly signInAgain: (sandbox: TestSandbox, id: string) => Promise<{ readonly id: string }>;
}

const types: readonly CredentialType[] = [
  {
    type: 'EMAIL_OTP',
    registration: (accountId) => ({ type: 'EMAIL_OTP', accountId }),
    proof: { type: 'EMAIL_OTP', otp: magic.otp, clientPublicKey },
    signInAgain: async (sandbox, id) => {
      expect((await sandbox.send('POST', `/auth/credentials/${id}/challenge`)).status).toBe(200);
      return signIn(sandbox, id);
    },
  },
  {
    type: 'OAUTH',
    registration: oauthRequest,
    proof: { type: 'OAUTH', oidcToken: magic.oidcToken, clientPublicKey },
    signInAgain: signInWithOauth,
  },
  { type: 'PASSKEY', registration: passkeyRequest, proof: assertionRequest(), signInAgain: signInWithPasskey },
];

/** A wallet, what registers on it, and what it holds. */
async function openEmpty() {
  const sandbox = await openSandbox();
  const { accountId } = await openWallet(sandbox);
  const register = (body: object, headers: Record<string, string> = {}): Promise<Answer> =>
    sandbox.send('POST', '/auth/credentials', { body, headers });
  const count = async () => {
    const { credentials, sessions } = await walletState(sandbox, accountId);
    return { credentials: credentials.length, sessions: sessions.length };
  };
  return { sandbox, accountId, register, count };
}

/** The same with one credential of each type; the first, of `type`, has a session. */
async function openSignedIn({ type, registration, signInAgain }: CredentialType) {
  const wallet = await openEmpty();
  const credential: AuthMethod = (await wallet.register(registration(wallet.accountId))).body;
  const session = await signInAgain(wallet.sandbox, credential.id);
  const others: AuthMethod[] = [];
  for (const other of types.filter((one) => one.type !== type)) {
    others.push(await addCredential(wallet.sandbox, other.registration(wallet.accountId)));
  }
  return { ...wallet, credential, session, others };
}

describe.each(types)('$type: the rows of the table', (kind) => {
  const { registration, signInAgain } = kind;

  test('no credential → registered (201), with no session', async () => {
    const { accountId, register, count } = await openEmpty();
    expect((await register(registration(accountId))).status).toBe(201);
    expect(await count()).toEqual({ credentials: 1, sessions: 0 });
  });

  test('another credential is there → pending request (202), nothing created → registered (201)', async () => {
    const { sandbox, accountId, register, count } = await openEmpty();
    const { body: first } = await register(passkeyRequest(accountId, 'the first'));
    await signInWithPasskey(sandbox, first.id);
    const { status, body: challenge } = await register(registration(accountId));
    expect(status).toBe(202);
    expect(await count()).toEqual({ credentials: 1, sessions: 1 });
    expect((await register(registration(accountId), signed(challenge.requestId))).status).toBe(201);
    expect(await count()).toEqual({ credentials: 2, sessions: 1 });
  });

  test('registered → session issued, by its own way to sign in', async () => {
    const { sandbox, accountId, register, count } = await openEmpty();
    const { body: credential } = await register(registration(accountId));
    const { id } = await signInAgain(sandbox, credential.id);
    expect(id).toMatch(/^Session:/);
    expect(await count()).toEqual({ credentials: 1, sessions: 1 });
  });

  test('session active → a new session by refresh, the old one beside it', async () => {
    const { sandbox, session, count } = await openSignedIn(kind);
    await refreshSession(sandbox, session.id);
    expect(await count()).toEqual({ credentials: 3, sessions: 2 });
  });

  test('session expired → a new session by signing in again', async () => {
    const { sandbox, accountId, credential, session } = await openSignedIn(kind);
    await sandbox.advance(900);
    const again = await signInAgain(sandbox, credential.id);
    expect(again.id).not.toBe(session.id);
    expect((await walletState(sandbox, accountId)).sessions.map(({ id }) => id)).toEqual([again.id]);
  });

  test('credential → revoked (204) by a session of another one, with the session it issued', async () => {
    const { sandbox, credential, others, count } = await openSignedIn(kind);
    const other = types.find(({ type }) => type === others[0]?.type);
    await other?.signInAgain(sandbox, others[0]?.id ?? '');
    expect(await count()).toEqual({ credentials: 3, sessions: 2 });
    expect((await signAndSend(sandbox, 'DELETE', `/auth/credentials/${credential.id}`)).status).toBe(204);
    expect(await count()).toEqual({ credentials: 2, sessions: 1 });
  });

  test('session → revoked (204), the credential stays', async () => {
    const { sandbox, session, count } = await openSignedIn(kind);
    expect((await signAndSend(sandbox, 'DELETE', `/auth/sessions/${session.id}`)).status).toBe(204);
    expect(await count()).toEqual({ credentials: 3, sessions: 0 });
  });

  test('revoked → registered anew, as another credential', async () => {
    const { sandbox, accountId, credential, others, register } = await openSignedIn(kind);
    const other = types.find(({ type }) => type === others[0]?.type);
    await other?.signInAgain(sandbox, others[0]?.id ?? '');
    await signAndSend(sandbox, 'DELETE', `/auth/credentials/${credential.id}`);
    const { status, body: challenge } = await register(registration(accountId));
    expect(status).toBe(202);
    const { body: anew } = await register(registration(accountId), signed(challenge.requestId));
    expect(anew).toMatchObject({ type: credential.type, nickname: credential.nickname });
    expect(anew.id).not.toBe(credential.id);
  });
});

describe.each(types)('$type: what the table does not give', (kind) => {
  const { registration, proof } = kind;
  type SignedIn = Awaited<ReturnType<typeof openSignedIn>>;
  type Step = (wallet: SignedIn) => Promise<unknown>;
  interface Refusal {
    readonly status: number;
    readonly code: string;
    readonly reason?: string;
  }

  const stay: Step = async () => undefined;
  const revokeCredential: Step = async ({ sandbox, credential, others }) => {
    const other = types.find(({ type }) => type === others[0]?.type);
    await other?.signInAgain(sandbox, others[0]?.id ?? '');
    const { status } = await signAndSend(sandbox, 'DELETE', `/auth/credentials/${credential.id}`);
    expect(status).toBe(204);
  };
  const revokeSession: Step = async ({ sandbox, session }) => {
    expect((await signAndSend(sandbox, 'DELETE', `/auth/sessions/${session.id}`)).status).toBe(204);
  };
  const expire: Step = ({ sandbox }) => sandbox.advance(900);

  const onCredential =
    (method: string, suffix: string, body?: object) =>
    ({ sandbox, credential }: SignedIn) =>
      sandbox.send(method, `/auth/credentials/${credential.id}${suffix}`, { body });
  const onSession =
    (method: string, suffix: string, body?: object) =>
    ({ sandbox, session }: SignedIn) =>
      sandbox.send(method, `/auth/sessions/${session.id}${suffix}`, { body });
  const challenge = onCredential('POST', '/challenge', { clientPublicKey });
  const verify = onCredential('POST', '/verify', proof);
  const revoke = onCredential('DELETE', '');
  const refresh = onSession('POST', '/refresh', { clientPublicKey });
  const revokeTheSession = onSession('DELETE', '');

  const credentialNotFound = { status: 404, code: 'CREDENTIAL_NOT_FOUND' };
  const sessionNotFound = { status: 404, code: 'SESSION_NOT_FOUND' };
  const refusals: readonly (readonly [string, Step, string, (wallet: SignedIn) => Promise<Answer>, Refusal])[] = [
    ['credential revoked', revokeCredential, 'challenge', challenge, credentialNotFound],
    ['credential revoked', revokeCredential, 'verify', verify, credentialNotFound],
    ['credential revoked', revokeCredential, 'revoke', revoke, credentialNotFound],
    ['session ended with its credential', revokeCredential, 'refresh', refresh, sessionNotFound],
    ['session ended with its credential', revokeCredential, 'revoke', revokeTheSession, sessionNotFound],
    ['session revoked', revokeSession, 'refresh', refresh, sessionNotFound],
    ['session revoked', revokeSession, 'revoke', revokeTheSession, sessionNotFound],
    ['session expired', expire, 'refresh', refresh, sessionNotFound],
    ['session expired', expire, 'revoke', revokeTheSession, sessionNotFound],
    [
      'registered, its only session its own',
      stay,
      'revoke, signed',
      ({ sandbox, credential }) => signAndSend(sandbox, 'DELETE', `/auth/credentials/${credential.id}`),
      { status: 401, code: 'UNAUTHORIZED', reason: 'Invalid Service-Wallet-Signature' },
    ],
    [
      'no session active',
      revokeSession,
      'register a further one, signed',
      ({ sandbox, accountId }) => signAndSend(sandbox, 'POST', '/auth/credentials', passkeyRequest(accountId, 'more')),
      { status: 401, code: 'UNAUTHORIZED', reason: 'Invalid Service-Wallet-Signature' },
    ],
    [
      'registered',
      stay,
      'register the same again',
      ({ sandbox, accountId }) => sandbox.send('POST', '/auth/credentials', { body: registration(accountId) }),
      {
        EMAIL_OTP: { status: 400, code: 'EMAIL_OTP_CREDENTIAL_ALREADY_EXISTS' },
        OAUTH: { status: 409, code: 'CREDENTIAL_ALREADY_EXISTS' },
        PASSKEY: { status: 400, code: 'PASSKEY_CREDENTIAL_ALREADY_EXISTS' },
      }[kind.type],
    ],
    ...(kind.type === 'EMAIL_OTP'
      ? [
          [
            'code used',
            stay,
            'verify',
            verify,
            { status: 401, code: 'UNAUTHORIZED', reason: 'Invalid OTP code' },
          ] as const,
        ]
      : []),
    ...(kind.type === 'PASSKEY'
      ? [['not challenged', stay, 'verify', verify, { status: 401, code: 'REQUEST_ID_MISSING' }] as const]
      : []),
    ...(kind.type === 'OAUTH'
      ? [['registered', stay, 'challenge', challenge, { status: 400, code: 'INVALID_INPUT' }] as const]
      : []),
  ];

  const rows = refusals.map(([state, reach, trigger, send, refusal]) => ({ state, reach, trigger, send, refusal }));
  test.each(rows)('$state: $trigger is refused', async ({ reach, send, refusal }) => {
    const wallet = await openSignedIn(kind);
    await reach(wallet);
    const before = await walletState(wallet.sandbox, wallet.accountId);
    const { status, body } = await send(wallet);
    expect({ status, body }).toMatchObject({ status: refusal.status, body: refusal });
    expect(await walletState(wallet.sandbox, wallet.accountId)).toEqual(before);
  });
});
