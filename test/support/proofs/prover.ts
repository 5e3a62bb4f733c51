/**
 * Makes a client's proofs of either kind behind one interface: magic values; or codes from the outbox, a software
 * passkey, tokens of the local issuer and stamps by the opened session key. It opens and signs with public libraries,
 * not with the sandbox's code.
 */
import { p256 } from '@noble/curves/nist.js';
import type { AuthMethod, AuthMethodType, AuthSession } from '../../../generated/types.ts';
import { type Answer, openSandbox, type TestSandbox } from '../sandbox/harness.ts';
import {
  assertionRequest,
  clientKeys,
  magic,
  oauthRequest,
  openWallet,
  passkeyRequest,
  signed,
} from '../scenes/builders.ts';
import { createPasskey, type PasskeyFacts, type SoftPasskey } from './authenticator.ts';
import { openSealed } from './sealed.ts';

export type Kind = 'magic' | 'real';

/** A session, and the private key that was sealed in it. */
export interface SignedIn {
  readonly session: AuthSession;
  readonly privateKey: Uint8Array;
}

/** The body and headers of a verification. */
export interface Proof {
  readonly body: object;
  readonly headers: Readonly<Record<string, string>>;
}

export interface Prover {
  readonly kind: Kind;
  readonly sandbox: TestSandbox;
  /** A body that registers a credential. Another name gives another passkey or identity. */
  registration(type: AuthMethodType, accountId: string, name?: string): Promise<object>;
  /** Requests a challenge if the type has one, and answers it. */
  prove(credential: AuthMethod): Promise<Proof>;
  /** The `Service-Wallet-Signature` of a session. */
  sign(payload: string, by: SignedIn): string;
  /** With real proofs: the passkey that a registration made. */
  passkey(credentialId: string): SoftPasskey;
}

/** The key pair that sessions are sealed to in these tests. */
export const proverKeys = clientKeys(9);

/** A prover on a new sandbox with `real` or `magic` proofs. */
export async function openProver(kind: Kind, passkeyFacts: PasskeyFacts = {}): Promise<Prover> {
  return proverOn(await openSandbox({ proofs: kind }), kind, passkeyFacts);
}

/** A prover on a sandbox, or on one of its other platforms, that already has these proofs. */
export function proverOn(sandbox: TestSandbox, kind: Kind, passkeyFacts: PasskeyFacts = {}): Prover {
  return kind === 'magic' ? magicProver(sandbox) : realProver(sandbox, passkeyFacts);
}

function magicProver(sandbox: TestSandbox): Prover {
  return {
    kind: 'magic',
    sandbox,
    async registration(type, accountId, name = 'first') {
      if (type === 'PASSKEY') return passkeyRequest(accountId, name);
      return type === 'OAUTH' ? oauthRequest(accountId, { sub: name }) : { type, accountId };
    },
    async prove({ id, type, credentialId = '' }) {
      if (type === 'OAUTH') return withKey({ type, oidcToken: magic.oidcToken });
      const challenge = await challengeCredential(sandbox, id);
      if (type === 'EMAIL_OTP') return withKey({ type, otp: magic.otp });
      const assertion = { ...assertionRequest().assertion, credentialId };
      return { body: { type, assertion }, headers: { 'Request-Id': challenge.body.requestId } };
    },
    sign: () => magic.walletSignature,
    passkey: () => {
      throw new Error('In magic proofs there is no passkey');
    },
  };
}

function realProver(sandbox: TestSandbox, passkeyFacts: PasskeyFacts): Prover {
  const passkeys = new Map<string, SoftPasskey>();
  const passkey = (credentialId: string): SoftPasskey => {
    const found = passkeys.get(credentialId);
    if (found === undefined) throw new Error(`No passkey ${credentialId}`);
    return found;
  };
  return {
    kind: 'real',
    sandbox,
    passkey,
    async registration(type, accountId, name = 'first') {
      if (type === 'EMAIL_OTP') return { type, accountId };
      // Without an e-mail address the subject becomes the nickname. The sign-in finds it by that.
      if (type === 'OAUTH') return { type, accountId, oidcToken: await mintToken(sandbox, { sub: name }) };
      const made = createPasskey({ seed: name, ...passkeyFacts });
      passkeys.set(made.credentialId, made);
      const challenge = Buffer.from(`registration of ${name}`).toString('base64url');
      return { type, accountId, nickname: name, challenge, attestation: made.attest(challenge) };
    },
    async prove({ id, type, nickname, accountId, credentialId = '' }) {
      if (type === 'OAUTH') return withKey({ type, oidcToken: await mintToken(sandbox, { sub: nickname }) });
      const challenge = await challengeCredential(sandbox, id);
      if (type === 'EMAIL_OTP') return withKey({ type, otp: await newestCode(sandbox, accountId) });
      const assertion = passkey(credentialId).assert(challenge.body.challenge);
      return { body: { type, assertion }, headers: { 'Request-Id': challenge.body.requestId } };
    },
    sign: (payload, { privateKey }) => stampOf(payload, privateKey),
  };
}

function withKey(body: object): Proof {
  return { body: { ...body, clientPublicKey: proverKeys.publicKeyHex }, headers: {} };
}

/** Requests a challenge, with the key that {@link openSession} opens. */
export function challengeCredential(sandbox: TestSandbox, id: string): Promise<Answer> {
  const body = { clientPublicKey: proverKeys.publicKeyHex };
  return sandbox.send('POST', `/auth/credentials/${id}/challenge`, { body });
}

/** The code that was sent last, to one account or to any. */
export async function newestCode(sandbox: TestSandbox, accountId?: string): Promise<string> {
  const { body } = await sandbox.control('GET', '/outbox');
  const messages: readonly { code: string; accountId: string }[] = body.data;
  const message = messages.find((one) => accountId === undefined || one.accountId === accountId);
  if (message === undefined) throw new Error('No code was sent');
  return message.code;
}

/** A token of the platform's own issuer. */
export async function mintToken(sandbox: TestSandbox, claims: Readonly<Record<string, unknown>>): Promise<string> {
  const { status, body } = await sandbox.control('POST', '/oidc/token', { body: claims });
  if (status !== 201) throw new Error(`Expected 201, got ${status} ${JSON.stringify(body)}`);
  return body.idToken;
}

/** Sends a proof for verification. */
export function verify(sandbox: TestSandbox, id: string, proof: Proof): Promise<Answer> {
  return sandbox.send('POST', `/auth/credentials/${id}/verify`, proof);
}

/** The session in a successful answer, opened with the client's key. */
export async function openSession(answer: Answer): Promise<SignedIn> {
  if (answer.status !== 200 && answer.status !== 201) {
    throw new Error(`Expected a session, got ${answer.status} ${JSON.stringify(answer.body)}`);
  }
  const session: AuthSession = answer.body;
  return { session, privateKey: await openSealed(session.encryptedSessionSigningKey, proverKeys) };
}

/** Signs in: requests a challenge if the type has one, sends the proof and opens the key. */
export async function signInBy(prover: Prover, credential: AuthMethod): Promise<SignedIn> {
  return openSession(await verify(prover.sandbox, credential.id, await prover.prove(credential)));
}

/** Opens another session, signed by an active one. */
export async function refreshBy(prover: Prover, by: SignedIn): Promise<SignedIn> {
  const body = { clientPublicKey: proverKeys.publicKeyHex };
  return openSession(await signBy(prover, by, 'POST', `/auth/sessions/${by.session.id}/refresh`, body));
}

/** Sends both calls of a signed retry, signed by a session. */
export async function signBy(
  prover: Prover,
  by: SignedIn,
  method: string,
  path: string,
  body?: object,
): Promise<Answer> {
  const challenge = await prover.sandbox.send(method, path, { body });
  if (challenge.status !== 202) return challenge;
  const { requestId, payloadToSign } = challenge.body;
  return prover.sandbox.send(method, path, { body, headers: signed(requestId, prover.sign(payloadToSign, by)) });
}

/** Registers a credential: directly if it is the wallet's first, otherwise signed by a session. */
export async function registerBy(
  prover: Prover,
  type: AuthMethodType,
  accountId: string,
  options: { readonly name?: string; readonly by?: SignedIn } = {},
): Promise<AuthMethod> {
  const body = await prover.registration(type, accountId, options.name);
  const answer =
    options.by === undefined
      ? await prover.sandbox.send('POST', '/auth/credentials', { body })
      : await signBy(prover, options.by, 'POST', '/auth/credentials', body);
  if (answer.status !== 201) throw new Error(`Expected 201, got ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
}

/** A wallet whose first credential has that type, with a session. */
export async function openSignedIn(prover: Prover, type: AuthMethodType, email?: string) {
  const { accountId } = await openWallet(prover.sandbox, email);
  const credential = await registerBy(prover, type, accountId, { name: accountId.slice(-12) });
  return { accountId, credential, signedIn: await signInBy(prover, credential) };
}

/** The content of a stamp. Each part can be replaced. */
export interface StampFacts {
  readonly publicKey: string;
  readonly scheme: string;
  readonly signature: string;
}

/** The parts of a stamp over a payload (D17): compressed key and DER signature in hexadecimal. */
export function stampParts(payload: string, privateKey: Uint8Array, signature?: Uint8Array): StampFacts {
  const publicKey = Buffer.from(p256.getPublicKey(privateKey, true)).toString('hex');
  const made = signature ?? p256.sign(Buffer.from(payload), privateKey, { format: 'der' });
  return { publicKey, scheme: 'SIGNATURE_SCHEME_TK_API_P256', signature: Buffer.from(made).toString('hex') };
}

export function stampOf(payload: string, privateKey: Uint8Array): string {
  return encodeStamp(stampParts(payload, privateKey));
}

export function encodeStamp(value: unknown, encoding: 'base64' | 'base64url' = 'base64url'): string {
  return Buffer.from(JSON.stringify(value)).toString(encoding);
}

/**
 * A signature by the key over the data that meets a rare condition. It is the same each time: ECDSA gets other entropy
 * until the condition is met, which may take a few hundred signatures.
 */
export function findSignature(
  data: Uint8Array,
  privateKey: Uint8Array,
  accept: (forms: { readonly r: Uint8Array; readonly s: Uint8Array; readonly der: Uint8Array }) => boolean,
): { readonly der: Uint8Array; readonly raw: Uint8Array } {
  for (let attempt = 0; attempt < 10_000; attempt += 1) {
    const extraEntropy = new Uint8Array(32);
    new DataView(extraEntropy.buffer).setUint32(0, attempt);
    const raw = p256.sign(data, privateKey, { extraEntropy, lowS: false });
    const der = p256.Signature.fromBytes(raw).toBytes('der');
    if (accept({ r: raw.slice(0, 32), s: raw.slice(32), der })) return { der, raw };
  }
  throw new Error('No such signature');
}
