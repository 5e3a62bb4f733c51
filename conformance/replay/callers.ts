/** Finds who sends a request: the platform itself, an API token that the recording created, or an agent. */
import { decodeBase64 } from '../../contract/encodings.ts';
import { pointTo } from '../../contract/pointer.ts';
import type { Operation } from '../../generated/operations.ts';
import type { Learnt } from './learnt.ts';
import { basic, type Credentials } from './platform.ts';

/** The parts of a request that identify the caller. */
export interface Question {
  readonly operation: Operation | undefined;
  /** The recorded header; undefined if the recorder left it out. */
  readonly recorded: string | undefined;
  readonly status: number;
  /** The recorded reply's body. */
  readonly body: unknown;
  /** The ids in the recorded reply. */
  readonly beside: ReadonlySet<string>;
  /** Whether the reply refuses a code or a signature. The caller was then accepted. */
  readonly isProofRefused: boolean;
}

export interface Callers {
  /** Returns the header to send; null for none, undefined if no reply of the recording gave the token. */
  choose(question: Question): string | null | undefined;
  /** Learns API tokens and agents' tokens from the recorded reply and ours. */
  note(was: unknown, is: unknown, beside: ReadonlySet<string>): void;
  /** Notes that an API token was deleted. */
  noteDeleted(tokenId: string): void;
}

interface Token {
  readonly recordedId: unknown;
  readonly recordedClient: unknown;
  readonly own: Credentials;
  readonly permissions: readonly string[];
  isDeleted: boolean;
}

const unknownCaller = 'Basic bWFza2VkOm1hc2tlZA==';
const unknownAgent = `Bearer agent_${'0'.repeat(64)}`;

/** @param platform the credentials to use if no others are known. */
export function createCallers(platform: Credentials, learnt: Learnt): Callers {
  const tokens: Token[] = [];
  const agents = { isKnown: false };
  return {
    note(was, is, beside) {
      const own = is as Partial<Credentials> & { permissions?: readonly string[] };
      if (typeof own?.clientId === 'string' && typeof own.clientSecret === 'string') {
        const [recordedId, recordedClient] = ['/id', '/clientId'].map((pointer) => pointTo(was, pointer));
        const { permissions = [], ...rest } = own;
        tokens.push({ recordedId, recordedClient, own: rest as Credentials, permissions, isDeleted: false });
      }
      const [before, now] = [was, is].map((body) => pointTo(body, '/accessToken'));
      if (typeof now !== 'string') return;
      agents.isKnown = true;
      if (typeof before === 'string') learnt.note(before, now, beside);
      // A masked header doesn't name its token. It means the newest, or the token of the agent that the reply names.
      learnt.note('masked', now, beside);
    },
    noteDeleted(tokenId) {
      for (const token of tokens) if (token.recordedId === tokenId) token.isDeleted = true;
    },
    choose(question) {
      const { operation, recorded } = question;
      if (operation?.security === 'none') return null;
      const isAgent = operation === undefined ? /^Bearer /i.test(recorded ?? '') : operation.security === 'bearer';
      if (isAgent) return chooseAgent(question, learnt, agents.isKnown);
      return chooseToken(question, tokens, platform);
    },
  };
}

function chooseAgent({ recorded, status, beside, isProofRefused }: Question, learnt: Learnt, isKnown: boolean) {
  const isRefused = status === 401 && !isProofRefused;
  const [, token = 'masked'] = /^Bearer\s+(.+)$/i.exec(recorded ?? '') ?? [];
  const found = learnt.find(token, beside) ?? (isKnown ? learnt.find('masked', beside) : undefined);
  if (isRefused && recorded === undefined) return null;
  if (isRefused && (token === 'masked' || learnt.find(token) === undefined)) return unknownAgent;
  return found === undefined ? undefined : `Bearer ${found}`;
}

function chooseToken(question: Question, tokens: readonly Token[], platform: Credentials): string | null {
  const { operation, recorded, status, body, isProofRefused } = question;
  const { code, reason } = (body ?? {}) as { code?: unknown; reason?: unknown };
  const isUnknown =
    status === 401 && !isProofRefused && (code === 'UNAUTHORIZED' || code === undefined) && reason === undefined;
  const clientId = readClientId(recorded);
  const named = tokens.findLast((token) => token.recordedClient === clientId);
  if (named !== undefined) return basic(named.own);
  if (isUnknown) {
    if (recorded === undefined) return null;
    const deleted = tokens.findLast((token) => token.isDeleted);
    return deleted === undefined || clientId !== undefined ? unknownCaller : basic(deleted.own);
  }
  // Masked credentials: the reply shows which permission they lacked.
  if (status === 403 && code === 'FORBIDDEN' && clientId === undefined) {
    const lesser = tokens.findLast(
      ({ isDeleted, permissions }) => !isDeleted && !permissions.includes(operation?.permission ?? ''),
    );
    if (lesser !== undefined) return basic(lesser.own);
  }
  return basic(platform);
}

/** The user name of Basic credentials. @returns undefined if they are masked or missing */
function readClientId(header: string | undefined): string | undefined {
  const [, coded] = /^Basic\s+(\S+)$/i.exec(header ?? '') ?? [];
  const bytes = coded === undefined || header === unknownCaller ? null : decodeBase64(coded);
  return bytes === null ? undefined : new TextDecoder().decode(bytes).split(':')[0];
}
