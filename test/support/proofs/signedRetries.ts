/** Lists the operations with a signed retry, each with what its tests need. */
import { expect } from 'vitest';
import type { AuthMethod, Customer } from '../../../generated/types.ts';
import { type Answer, data, type TestSandbox } from '../sandbox/harness.ts';
import { clientKeys, magic, openWallet, signed, walletState } from '../scenes/builders.ts';
import { type Kind, openProver, type Prover, registerBy, type SignedIn, signBy, signInBy, stampOf } from './prover.ts';

/** A wallet with two credentials and a session of each, and another customer's wallet with a credential. */
export interface Scene {
  readonly prover: Prover;
  readonly sandbox: TestSandbox;
  readonly accountId: string;
  readonly customer: Customer;
  readonly email: AuthMethod;
  readonly passkey: AuthMethod;
  /** The session of the EMAIL_OTP credential, which signs. */
  readonly signedIn: SignedIn;
  readonly passkeySession: SignedIn;
  readonly other: { readonly accountId: string; readonly customer: Customer };
}

export interface SignedCall {
  readonly path: string;
  readonly body?: object;
}

/** What these operations can change. */
export interface Effects {
  readonly credentials: number;
  readonly sessions: number;
  readonly email: string | undefined;
  readonly privateEnabled: boolean | undefined;
}

export interface SignedOperation {
  readonly id: string;
  readonly method: string;
  readonly request: (scene: Scene) => Promise<SignedCall>;
  /** The same operation on another object. */
  readonly other: (scene: Scene) => Promise<SignedCall>;
  readonly success: number;
  /** The `type` of the challenge (D16). */
  readonly type: string;
  /** What differs from {@link openScene} after the operation. */
  readonly effect: Partial<Effects>;
  /** Makes one of the resource's rules refuse the retry, if that is possible, and the expected error. */
  readonly spoil?: {
    readonly make: (scene: Scene) => Promise<unknown>;
    readonly status: number;
    readonly code: string;
  };
  /** The error of a retry if every session of the wallet has ended between the two calls. */
  readonly unsigned: { readonly status: number; readonly code: string; readonly reason?: string };
}

export const wrongSignature = { status: 401, code: 'UNAUTHORIZED', reason: 'Invalid Service-Wallet-Signature' };
const sessionNotFound = { status: 404, code: 'SESSION_NOT_FOUND' };

export async function openScene(kind: Kind): Promise<Scene> {
  const prover = await openProver(kind);
  const { sandbox } = prover;
  const { accountId, customer } = await openWallet(sandbox);
  const email = await registerBy(prover, 'EMAIL_OTP', accountId);
  const signedIn = await signInBy(prover, email);
  const passkey = await registerBy(prover, 'PASSKEY', accountId, { name: 'passkey-1', by: signedIn });
  const passkeySession = await signInBy(prover, passkey);
  const other = await openWallet(sandbox, 'grace@example.com');
  await registerBy(prover, 'EMAIL_OTP', other.accountId);
  return { prover, sandbox, accountId, customer, email, passkey, signedIn, passkeySession, other };
}

export const effectsAtFirst: Effects = { credentials: 2, sessions: 2, email: 'ada@example.com', privateEnabled: false };

/** The current state of everything that these operations can change. */
export async function readEffects({ sandbox, accountId, customer }: Scene): Promise<Effects> {
  const { credentials, sessions } = await walletState(sandbox, accountId);
  const path = { customerId: customer.id };
  const { email } = data(await sandbox.client.GET('/customers/{customerId}', { params: { path } }));
  const accounts = data(await sandbox.client.GET('/customers/internal-accounts')).data;
  const { privateEnabled } = accounts.find(({ id }) => id === accountId) ?? {};
  return { credentials: credentials.length, sessions: sessions.length, email, privateEnabled };
}

/** Sends the call, as a first one or with the headers of a retry. */
export function send({ sandbox }: Scene, method: string, call: SignedCall, headers = {}): Promise<Answer> {
  return sandbox.send(method, call.path, { body: call.body, headers });
}

/**
 * Expects that nobody can sign on a wallet without a credential: the first call returns a challenge as usual, but each
 * retry is refused (D15, D16). @param call makes the request with these headers.
 */
export async function expectNobodySigns(call: (headers: Record<string, string>) => Promise<Answer>): Promise<void> {
  const { status, body } = await call({});
  expect([status, body.type]).toEqual([202, 'EMAIL_OTP']);
  const message =
    'The wallet has no credential, so nobody can sign for it. Register one, verify it and sign with its session.';
  for (const signature of [magic.walletSignature, stampOf(body.payloadToSign, clientKeys(1).privateKey), 'nonsense']) {
    const refused = await call(signed(body.requestId, signature));
    expect(refused).toMatchObject({ status: 401, body: { ...wrongSignature, message } });
  }
}

const newPasskey = async ({ prover }: Scene, accountId: string): Promise<SignedCall> => ({
  path: '/auth/credentials',
  body: await prover.registration('PASSKEY', accountId, 'passkey-2'),
});
const refresh = ({ session }: SignedIn): SignedCall => ({
  path: `/auth/sessions/${session.id}/refresh`,
  body: { clientPublicKey: clientKeys(3).publicKeyHex },
});
const endSession = {
  make: ({ prover, signedIn }: Scene) => signBy(prover, signedIn, 'DELETE', `/auth/sessions/${signedIn.session.id}`),
  ...sessionNotFound,
};
const updateOf = ({ id }: Customer): SignedCall => ({
  path: `/customers/${id}`,
  body: { customerType: 'INDIVIDUAL', email: 'new@example.com', umaAddress: '$new@pay.example' },
});
const exportOf = (accountId: string): SignedCall => ({
  path: `/internal-accounts/${accountId}/export`,
  body: { clientPublicKey: clientKeys(3).publicKeyHex },
});
const privacyOf = (accountId: string): SignedCall => ({
  path: `/internal-accounts/${accountId}`,
  body: { privateEnabled: true },
});

export const signedOperations: readonly SignedOperation[] = [
  {
    id: 'createCredential',
    method: 'POST',
    request: (scene) => newPasskey(scene, scene.accountId),
    other: (scene) => newPasskey(scene, scene.other.accountId),
    success: 201,
    type: 'PASSKEY',
    effect: { credentials: 3 },
    spoil: {
      make: ({ prover, accountId, signedIn }) =>
        registerBy(prover, 'PASSKEY', accountId, { name: 'passkey-2', by: signedIn }),
      status: 400,
      code: 'PASSKEY_CREDENTIAL_ALREADY_EXISTS',
    },
    unsigned: wrongSignature,
  },
  {
    id: 'revokeCredential',
    method: 'DELETE',
    request: async ({ passkey }) => ({ path: `/auth/credentials/${passkey.id}` }),
    other: async ({ email }) => ({ path: `/auth/credentials/${email.id}` }),
    success: 204,
    type: 'PASSKEY',
    effect: { credentials: 1, sessions: 1 },
    spoil: {
      make: ({ prover, signedIn, passkey }) => signBy(prover, signedIn, 'DELETE', `/auth/credentials/${passkey.id}`),
      status: 404,
      code: 'CREDENTIAL_NOT_FOUND',
    },
    unsigned: wrongSignature,
  },
  {
    id: 'revokeSession',
    method: 'DELETE',
    request: async ({ signedIn }) => ({ path: `/auth/sessions/${signedIn.session.id}` }),
    other: async ({ passkeySession }) => ({ path: `/auth/sessions/${passkeySession.session.id}` }),
    success: 204,
    type: 'EMAIL_OTP',
    effect: { sessions: 1 },
    spoil: endSession,
    unsigned: sessionNotFound,
  },
  {
    id: 'refreshSession',
    method: 'POST',
    request: async ({ signedIn }) => refresh(signedIn),
    other: async ({ passkeySession }) => refresh(passkeySession),
    success: 201,
    type: 'EMAIL_OTP',
    effect: { sessions: 3 },
    spoil: endSession,
    unsigned: sessionNotFound,
  },
  {
    id: 'exportInternalAccount',
    method: 'POST',
    request: async ({ accountId }) => exportOf(accountId),
    other: async ({ other }) => exportOf(other.accountId),
    success: 200,
    type: 'EMAIL_OTP',
    effect: {},
    unsigned: wrongSignature,
  },
  {
    id: 'updateInternalAccount',
    method: 'PATCH',
    request: async ({ accountId }) => privacyOf(accountId),
    other: async ({ other }) => privacyOf(other.accountId),
    success: 200,
    type: 'EMAIL_OTP',
    effect: { privateEnabled: true },
    unsigned: wrongSignature,
  },
  {
    id: 'updateCustomer',
    method: 'PATCH',
    request: async ({ customer }) => updateOf(customer),
    other: async ({ other }) => updateOf(other.customer),
    success: 200,
    type: 'EMAIL_OTP',
    effect: { email: 'new@example.com' },
    spoil: {
      make: ({ sandbox }) =>
        sandbox.client.POST('/customers', { body: { customerType: 'BUSINESS', umaAddress: '$new@pay.example' } }),
      status: 409,
      code: 'UMA_ADDRESS_EXISTS',
    },
    unsigned: wrongSignature,
  },
];
