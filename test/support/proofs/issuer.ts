/** An OIDC provider that a test controls: keys of any algorithm, tokens with any header, a key set at an address. */
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type JWTHeaderParameters, SignJWT } from 'jose';
import { expect, onTestFinished } from 'vitest';
import { type Answer, openSandbox, startOfTime } from '../sandbox/harness.ts';
import { clientKeys, openWallet, walletState } from '../scenes/builders.ts';

export type TokenAlgorithm = 'RS256' | 'PS256' | 'ES256' | 'EdDSA' | 'RS384' | 'ES384';

export interface IssuerKey {
  readonly alg: TokenAlgorithm;
  readonly privateKey: KeyObject;
  /** The public key for a key set. */
  readonly publicJwk: { readonly kty: string; readonly kid?: string };
}

/** Makes a key pair for the algorithm. Without `kid`, its entry in the key set has none. */
export function makeIssuerKey(alg: TokenAlgorithm, kid?: string): IssuerKey {
  const { privateKey, publicKey } = generate(alg);
  const { kty = '', ...parts } = publicKey.export({ format: 'jwk' });
  return { alg, privateKey, publicJwk: { kty, ...parts, ...(kid === undefined ? {} : { kid }) } };
}

function generate(alg: TokenAlgorithm): { privateKey: KeyObject; publicKey: KeyObject } {
  if (alg === 'EdDSA') return generateKeyPairSync('ed25519');
  if (alg.startsWith('ES')) return generateKeyPairSync('ec', { namedCurve: alg === 'ES256' ? 'P-256' : 'P-384' });
  return generateKeyPairSync('rsa', { modulusLength: 2048 });
}

/** The start of a test's time in seconds, the unit of tokens. */
export const startSeconds = startOfTime / 1000;

/** Claims that are valid for the issuer at the start of a test's time. `undefined` removes a claim. */
export function claimsOf(issuer: string, changed: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return {
    iss: issuer,
    aud: 'countersign-app',
    sub: 'user-1',
    iat: startSeconds,
    exp: startSeconds + 3600,
    ...changed,
  };
}

/** A token signed by the key. The header names its algorithm and `kid`, unless `header` replaces them. */
export function signToken(
  key: IssuerKey,
  claims: Record<string, unknown>,
  header: Partial<JWTHeaderParameters> = {},
): Promise<string> {
  const { kid } = key.publicJwk;
  const named = { alg: key.alg, ...(kid === undefined ? {} : { kid }), ...header };
  return new SignJWT(claims).setProtectedHeader(named).sign(key.privateKey);
}

/** A token with a header that no library would write: with the given signature, or signed by the key with SHA-256. */
export function forgeToken(
  header: unknown,
  claims: Record<string, unknown>,
  signer: KeyObject | ((input: string) => Uint8Array | string),
): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const input = `${part(header)}.${part(claims)}`;
  const signature =
    typeof signer === 'function'
      ? signer(input)
      : sign('sha256', Buffer.from(input), { key: signer, dsaEncoding: 'ieee-p1363' });
  return `${input}.${Buffer.from(signature).toString('base64url')}`;
}

/** A key set at an address, until the test ends. */
export interface KeyServer {
  readonly uri: string;
  /** Serves these keys from now on. */
  serve(keys: readonly IssuerKey[]): void;
  /** How often it was requested. */
  fetches(): number;
  /** From now on, answers with this instead of a key set. */
  fail(status: number, text: string, headers?: Readonly<Record<string, string>>): void;
}

export async function openKeyServer(keys: readonly IssuerKey[] = []): Promise<KeyServer> {
  const textOf = (some: readonly IssuerKey[]) => JSON.stringify({ keys: some.map(({ publicJwk }) => publicJwk) });
  let fetches = 0;
  let answer: { status: number; text: string; headers?: Readonly<Record<string, string>> } = {
    status: 200,
    text: textOf(keys),
  };
  const server = createServer((_request, response) => {
    fetches += 1;
    // A key set is public, for web pages too.
    const headers = { 'content-type': 'application/json', 'access-control-allow-origin': '*', ...answer.headers };
    response.writeHead(answer.status, headers).end(answer.text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    uri: `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks`,
    serve: (some) => {
      answer = { status: 200, text: textOf(some) };
    },
    fetches: () => fetches,
    fail: (status, text, headers) => {
      answer = { status, text, ...(headers === undefined ? {} : { headers }) };
    },
  };
}

export const testIssuer = 'https://issuer.example';
export const invalidToken = { status: 401, body: { status: 401, code: 'UNAUTHORIZED', reason: 'Invalid OIDC token' } };

/** A sandbox with real proofs that trusts {@link testIssuer} with these keys, or with those at an address. */
export async function openTrusting(keys: readonly IssuerKey[] | KeyServer) {
  const sandbox = await openSandbox({ proofs: 'real' });
  const source = 'uri' in keys ? { jwksUri: keys.uri } : { jwks: { keys: keys.map(({ publicJwk }) => publicJwk) } };
  const set = async (settings: object) => {
    expect((await sandbox.control('PUT', '/settings', { body: settings })).status).toBe(200);
  };
  await set({ issuers: [{ issuer: testIssuer, ...source }] });
  const open = async (email?: string) => {
    const { accountId } = await openWallet(sandbox, email);
    const register = (oidcToken: string): Promise<Answer> =>
      sandbox.send('POST', '/auth/credentials', { body: { type: 'OAUTH', accountId, oidcToken } });
    const signIn = (id: string, oidcToken: string, clientPublicKey = clientKeys().publicKeyHex): Promise<Answer> =>
      sandbox.send('POST', `/auth/credentials/${id}/verify`, { body: { type: 'OAUTH', oidcToken, clientPublicKey } });
    const count = async () => {
      const { credentials, sessions } = await walletState(sandbox, accountId);
      return { credentials: credentials.length, sessions: sessions.length };
    };
    return { accountId, register, signIn, count };
  };
  return { sandbox, set, open, ...(await open()) };
}
