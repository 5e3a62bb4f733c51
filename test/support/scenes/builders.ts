/** Makes common objects for tests through the interface, like any client. */
import { createECDH } from 'node:crypto';
import type { AuthMethod, AuthSession, AuthSessionSummary, IndividualCustomer } from '../../../generated/types.ts';
import { type Answer, data, type TestSandbox } from '../sandbox/harness.ts';

/** The magic values of the sandbox (D15, D19, D20, D22), repeated here so that a mistake in ours is noticed. */
export const magic = {
  otp: '000000',
  passkeySignature: 'sandbox-valid-passkey-signature',
  oidcToken: 'sandbox-valid-oidc-token',
  walletSignature: 'sandbox-valid-signature',
} as const;

export interface ClientKeys {
  readonly privateKey: Uint8Array;
  /** Uncompressed, in the format of `clientPublicKey`. */
  readonly publicKeyHex: string;
}

/** A client's key pair. The same number gives the same pair. */
export function clientKeys(number = 1): ClientKeys {
  const privateKey = new Uint8Array(32).fill(number);
  const pair = createECDH('prime256v1');
  pair.setPrivateKey(privateKey);
  return { privateKey, publicKeyHex: pair.getPublicKey('hex', 'uncompressed') };
}

export interface Wallet {
  readonly customer: IndividualCustomer;
  readonly accountId: string;
}

/** A customer with an e-mail address, and the customer's first wallet account. */
export async function openWallet(sandbox: TestSandbox, email = 'ada@example.com'): Promise<Wallet> {
  const customer = data(await sandbox.client.POST('/customers', { body: { customerType: 'INDIVIDUAL', email } }));
  const query = { customerId: customer.id, type: 'EMBEDDED_WALLET' as const };
  const accounts = data(await sandbox.client.GET('/customers/internal-accounts', { params: { query } }));
  const [wallet] = accounts.data;
  if (wallet === undefined) throw new Error('The customer has no wallet');
  return { customer: customer as IndividualCustomer, accountId: wallet.id };
}

/** An OIDC token in the form that registration accepts with `magic` proofs. */
export function oidcToken(claims: Readonly<Record<string, unknown>> = {}): string {
  const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const payload = {
    iss: 'https://accounts.google.com',
    aud: 'app',
    sub: '1234567890',
    email: 'ada@example.com',
    ...claims,
  };
  return `${part({ alg: 'RS256', kid: 'k1' })}.${part(payload)}.${part('signature')}`;
}

/** The body that registers an OIDC identity. Another subject gives another identity. */
export function oauthRequest(accountId: string, claims: Readonly<Record<string, unknown>> = {}) {
  return { type: 'OAUTH' as const, accountId, oidcToken: oidcToken(claims) };
}

/** The body that registers a passkey. Another name gives another WebAuthn credential. */
export function passkeyRequest(accountId: string, name = 'passkey-1') {
  const bytes = (text: string): string => Buffer.from(text).toString('base64url');
  return {
    type: 'PASSKEY' as const,
    accountId,
    nickname: 'Work laptop',
    challenge: bytes('registration challenge'),
    attestation: {
      credentialId: bytes(name),
      clientDataJson: bytes('{"type":"webauthn.create"}'),
      attestationObject: bytes('attestation'),
      transports: ['internal' as const],
    },
  };
}

/** The body that answers a passkey's challenge. */
export function assertionRequest(signature: string = magic.passkeySignature) {
  const bytes = (text: string): string => Buffer.from(text).toString('base64url');
  const clientDataJson = bytes('{"type":"webauthn.get"}');
  return {
    type: 'PASSKEY' as const,
    assertion: { credentialId: bytes('passkey-1'), clientDataJson, authenticatorData: bytes('data'), signature },
  };
}

/** Registers the account's first credential, an EMAIL_OTP with a pending code. */
export async function registerEmailOtp(sandbox: TestSandbox, accountId: string): Promise<AuthMethod> {
  return data(await sandbox.client.POST('/auth/credentials', { body: { type: 'EMAIL_OTP', accountId } })) as AuthMethod;
}

/** Verifies an EMAIL_OTP credential whose code is pending. */
export async function signIn(sandbox: TestSandbox, credentialId: string, keys = clientKeys()): Promise<AuthSession> {
  const body = { type: 'EMAIL_OTP' as const, otp: magic.otp, clientPublicKey: keys.publicKeyHex };
  const params = { path: { id: credentialId } };
  return data(await sandbox.client.POST('/auth/credentials/{id}/verify', { params, body }));
}

/** The two headers of a signed retry. */
export function signed(requestId: string, signature: string = magic.walletSignature) {
  return { 'Service-Wallet-Signature': signature, 'Request-Id': requestId };
}

/** Adds another credential with a signed retry. The account needs an active session. */
export async function addCredential(
  sandbox: TestSandbox,
  body: ReturnType<typeof passkeyRequest> | object,
): Promise<AuthMethod> {
  const challenge = await sandbox.send('POST', '/auth/credentials', { body });
  const retry = await sandbox.send('POST', '/auth/credentials', { body, headers: signed(challenge.body.requestId) });
  if (retry.status !== 201) throw new Error(`Expected 201, got ${retry.status} ${JSON.stringify(retry.body)}`);
  return retry.body as AuthMethod;
}

/** Signs in with a passkey: challenge, then verification. */
export async function signInWithPasskey(
  sandbox: TestSandbox,
  credentialId: string,
  keys = clientKeys(2),
): Promise<AuthSession> {
  const path = `/auth/credentials/${credentialId}`;
  const challenge = await sandbox.send('POST', `${path}/challenge`, { body: { clientPublicKey: keys.publicKeyHex } });
  const headers = { 'Request-Id': challenge.body.requestId };
  const answer = await sandbox.send('POST', `${path}/verify`, { body: assertionRequest(), headers });
  if (answer.status !== 200) throw new Error(`Expected 200, got ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body as AuthSession;
}

/** Signs in with an OIDC identity, which needs no challenge. */
export async function signInWithOauth(
  sandbox: TestSandbox,
  credentialId: string,
  keys = clientKeys(4),
): Promise<AuthSession> {
  const body = { type: 'OAUTH' as const, oidcToken: magic.oidcToken, clientPublicKey: keys.publicKeyHex };
  const params = { path: { id: credentialId } };
  return data(await sandbox.client.POST('/auth/credentials/{id}/verify', { params, body }));
}

/** Opens another session from an active one. */
export async function refreshSession(
  sandbox: TestSandbox,
  sessionId: string,
  keys = clientKeys(6),
): Promise<AuthSession> {
  const body = { clientPublicKey: keys.publicKeyHex };
  const answer = await signAndSend(sandbox, 'POST', `/auth/sessions/${sessionId}/refresh`, body);
  if (answer.status !== 201) throw new Error(`Expected 201, got ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body as AuthSession;
}

export interface SignedInWallet extends Wallet {
  readonly email: AuthMethod;
  readonly passkey: AuthMethod;
  /** Issued by the EMAIL_OTP credential. */
  readonly session: AuthSession;
}

/** A wallet with an EMAIL_OTP credential, a session of that, and a passkey. */
export async function openSignedInWallet(sandbox: TestSandbox): Promise<SignedInWallet> {
  const wallet = await openWallet(sandbox);
  const email = await registerEmailOtp(sandbox, wallet.accountId);
  const session = await signIn(sandbox, email.id);
  const passkey = await addCredential(sandbox, passkeyRequest(wallet.accountId));
  return { ...wallet, email, session, passkey };
}

/** A wallet's credentials and sessions as the lists show them. They must be the same after a refused request. */
export async function walletState(
  sandbox: TestSandbox,
  accountId: string,
): Promise<{ credentials: AuthMethod[]; sessions: AuthSessionSummary[] }> {
  const params = { query: { accountId } };
  const credentials = data(await sandbox.client.GET('/auth/credentials', { params }));
  const sessions = data(await sandbox.client.GET('/auth/sessions', { params }));
  return { credentials: credentials.data, sessions: sessions.data };
}

/** Sends a request with a signed retry: first the challenge, then the retry, whose answer is returned. */
export async function signAndSend(sandbox: TestSandbox, method: string, path: string, body?: object): Promise<Answer> {
  const challenge = await sandbox.send(method, path, { body });
  if (challenge.status !== 202) return challenge;
  return sandbox.send(method, path, { body, headers: signed(challenge.body.requestId) });
}
