import { decodeBase64, decodeHex } from '../../../contract/encodings.ts';
import type { RefusedReason } from '../../../generated/controlTypes.ts';
import type { Operation } from '../../../generated/operations.ts';
import type { SentHeaders } from '../../exchange/exchange.ts';
import { findAgentByToken, findPlatformByCode } from '../domains/agents/records.ts';
import type { AgentRequester, Requester, TokenRequester } from '../domains/operation.ts';
import { findToken } from '../domains/tokens/records.ts';
import { equalInConstantTime, sha256, sha256Hex } from '../node/machine/crypto.ts';
import type { Store } from '../store/store.ts';
import { Problem } from '../tools/problem.ts';

/**
 * Refuses credentials. The request belongs to no platform. Only the operator learns the reason, because a client could
 * find out names with it.
 */
export class CredentialsRefused extends Problem {
  readonly reasonForOperator: RefusedReason;
  readonly clientId: string | undefined;

  constructor(problem: Problem, reason: RefusedReason, clientId?: string) {
    super(problem.code, problem.message, { headers: problem.headers });
    this.reasonForOperator = reason;
    this.clientId = clientId;
  }
}

function unauthorized(message: string, reason: RefusedReason, clientId?: string): CredentialsRefused {
  return new CredentialsRefused(new Problem('UNAUTHORIZED', message), reason, clientId);
}

/**
 * Checks that a request's credentials have the form of the operation's security scheme. Their owner doesn't matter
 * here.
 * @throws Problem 401 `UNAUTHORIZED`.
 */
export function checkCredentialsForm({ security }: Operation, headers: SentHeaders): void {
  if (security === 'basic') readBasic(headers.get('authorization'));
  if (security === 'bearer') readBearer(headers.get('authorization'));
}

// A byte order mark is part of the client id, like any other character.
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Reads HTTP Basic credentials (RFC 7617): the scheme in any letter case, base64 with or without padding, UTF-8, split
 * at the first colon.
 * @throws Problem 401 that says what is wrong with the header, without its content.
 */
export function readBasic(header: string | null): { clientId: string; clientSecret: string } {
  if (header === null)
    throw unauthorized('Credentials are missing: send Authorization: Basic <clientId:clientSecret>.', 'MISSING');
  const bytes = decodeBase64(/^basic +(\S+)$/i.exec(header.trim())?.[1] ?? '');
  if (bytes === null || bytes.length === 0) {
    const reason = /^basic(?: |$)/i.test(header.trim()) ? 'MALFORMED' : 'WRONG_SCHEME';
    throw unauthorized('The Authorization header is not of the form Basic <base64>.', reason);
  }
  let pair: string;
  try {
    pair = utf8.decode(bytes);
  } catch {
    throw unauthorized('The Basic credentials are not UTF-8.', 'MALFORMED');
  }
  const colon = pair.indexOf(':');
  if (colon < 0) throw unauthorized('The Basic credentials lack the colon between client id and secret.', 'MALFORMED');
  return { clientId: pair.slice(0, colon), clientSecret: pair.slice(colon + 1) };
}

/**
 * Reads an agent's access token (RFC 6750). The scheme may be in any letter case.
 * @throws Problem 401 that says what is wrong with the header, without its content.
 */
export function readBearer(header: string | null): string {
  if (header === null)
    throw unauthorized('The access token is missing: send Authorization: Bearer <accessToken>.', 'MISSING');
  const match = /^bearer +([A-Za-z0-9._~+/-]+=*)$/i.exec(header.trim());
  if (match?.[1] === undefined) {
    const reason = /^bearer(?: |$)/i.test(header.trim()) ? 'MALFORMED' : 'WRONG_SCHEME';
    throw unauthorized('The Authorization header is not of the form Bearer <accessToken>.', reason);
  }
  return match[1];
}

/**
 * Finds the caller by the operation's security scheme: a token, an agent, or a client with a device code (D34, D79).
 * @throws CredentialsRefused 401 `UNAUTHORIZED`, 404 `DEVICE_CODE_NOT_FOUND`.
 */
export type Authenticate = (
  operation: Operation,
  headers: SentHeaders,
  path: Readonly<Record<string, string>>,
) => Promise<Requester>;

/**
 * Finds the platform and the permissions of the token in Basic credentials.
 * @throws CredentialsRefused 401 `UNAUTHORIZED`.
 */
export type AuthenticateToken = (headers: SentHeaders) => Promise<TokenRequester>;

/** Looks credentials up in a store. */
export function createAuthenticate(
  store: Store,
  authenticateToken: AuthenticateToken = createAuthenticateToken(store),
): Authenticate {
  return ({ security }, headers, path) => {
    switch (security) {
      case 'basic':
        return authenticateToken(headers);
      case 'bearer':
        return authenticateAgent(headers, store);
      case 'none':
        return authenticateCode(path['code'] as string, store);
    }
  };
}

/** Finds the owner of credentials of either scheme, for a request without an operation. */
export type Identify = (headers: SentHeaders) => Promise<Requester>;

export function createIdentify(store: Store, authenticateToken: AuthenticateToken): Identify {
  return async (headers) => {
    const isBearer = /^\s*bearer(?: |$)/i.test(headers.get('authorization') ?? '');
    return isBearer ? authenticateAgent(headers, store) : authenticateToken(headers);
  };
}

// So an unknown client id takes as long as a wrong secret.
const nobody = sha256('');

interface KnownToken {
  readonly secretHash: Uint8Array;
  readonly requester: TokenRequester;
}

/** The maximum number of remembered tokens, and of client ids that were valid once. */
const knownLimit = 1000;

/** Remembers tokens for as long as the store reports no change of any token. */
export function createAuthenticateToken(store: Store): AuthenticateToken {
  const known = new Map<string, KnownToken>();
  let knownVersion: number | undefined;
  const wereValid = new Set<string>();
  const find = async (clientId: string): Promise<KnownToken | undefined> => {
    const version = store.changes?.ofTable('tokens');
    // What is outdated is dropped at once, so that nothing stays of a deleted platform.
    if (version !== knownVersion) known.clear();
    knownVersion = version;
    const before = known.get(clientId);
    if (before !== undefined) return before;
    const found = await store.read((reader) => findToken(reader, clientId));
    if (found === undefined) return undefined;
    const { platformId, token } = found;
    const requester = { platformId, actorId: token.id, permissions: token.permissions };
    const entry = { secretHash: decodeHex(token.secretHash) ?? new Uint8Array(), requester };
    if (version !== undefined && version === knownVersion) {
      if (known.size >= knownLimit) known.clear();
      known.set(clientId, entry);
      if (wereValid.size >= knownLimit) wereValid.clear();
      wereValid.add(clientId);
    }
    return entry;
  };
  return async (headers) => {
    const { clientId, clientSecret } = readBasic(headers.get('authorization'));
    const found = await find(clientId);
    const matches = equalInConstantTime(sha256(clientSecret), found?.secretHash ?? nobody);
    if (found !== undefined && matches) return found.requester;
    // The client gets the same text in each case.
    const reason =
      found !== undefined ? 'WRONG_SECRET' : wereValid.has(clientId) ? 'DELETED_TOKEN' : 'UNKNOWN_CLIENT_ID';
    throw unauthorized('The client id or secret is wrong.', reason, clientId);
  };
}

/**
 * Finds the agent of a Bearer token.
 * @throws Problem 401 `UNAUTHORIZED`.
 */
export async function authenticateAgent(headers: Pick<SentHeaders, 'get'>, store: Store): Promise<AgentRequester> {
  const hash = sha256Hex(readBearer(headers.get('authorization')));
  const found = await store.read((reader) => findAgentByToken(reader, hash));
  if (found === undefined) {
    const message =
      'This access token is unknown, was replaced by a newer one, or belongs to a deleted agent; redeem a new device code.';
    const headers = { 'WWW-Authenticate': 'Bearer realm="Countersign", error="invalid_token"' };
    throw new CredentialsRefused(new Problem('UNAUTHORIZED', message, { headers }), 'UNKNOWN_ACCESS_TOKEN');
  }
  return found;
}

async function authenticateCode(code: string, store: Store): Promise<Requester> {
  const platformId = await store.read((reader) => findPlatformByCode(reader, code));
  if (platformId === undefined) {
    const problem = new Problem(
      'DEVICE_CODE_NOT_FOUND',
      'This device code is unknown; ask the platform for a new one.',
    );
    throw new CredentialsRefused(problem, 'UNKNOWN_DEVICE_CODE');
  }
  return { platformId, actorId: '' };
}
