/**
 * Replays a recording, entry by entry in its order. It depends only on the entry and on a function that sends requests.
 */
import type { Entry } from 'har-format';
import type { Contract } from '../../contract/contract.ts';
import type { OperationId } from '../../generated/operations.ts';
import type { HeaderList } from '../../traffic/exchange.ts';
import { type Basis, toBasis } from '../basis.ts';
import { toExchange } from '../entry.ts';
import type { Matcher, SkipReason } from '../match.ts';
import { createCallers } from './callers.ts';
import { compareReplies, type Reply } from './compare.ts';
import type { Difference } from './difference.ts';
import { createLearnt } from './learnt.ts';
import { type Platform, reasonOf } from './platform.ts';
import { magicProver } from './prover.ts';
import { realProver } from './realProver.ts';
import { type Made, makeRequest } from './request.ts';
import { type Asked, readAsked, type Scene } from './scene.ts';
import { createTimes, isTime } from './times.ts';
import { parse } from './walk.ts';
import { createWallets } from './wallets.ts';

/** The result for an entry. */
export type Played =
  | { readonly kind: 'skipped'; readonly reason: SkipReason | 'no-reply' }
  | { readonly kind: 'unplayable'; readonly why: string; readonly isConsequence: boolean }
  | {
      readonly kind: 'played';
      /** Null if the request fits no operation. */
      readonly operationId: OperationId | null;
      readonly path: string;
      readonly differences: readonly (Difference & { readonly basis: Basis })[];
      /** Whether the recording has the reply's body, so that it could be compared. */
      readonly hasBody: boolean;
    };

export interface ReplayParts {
  readonly contract: Contract;
  readonly match: Matcher;
  readonly platform: Platform;
  /** All entries of the recording, because one entry may show what another has masked. */
  readonly entries: readonly Entry[];
  /** Whether amounts and times must be the same, as for a recording of the sandbox itself. */
  readonly exact: boolean;
}

/** The replay of one recording. Give it the entries in their order. */
export interface Replay {
  play(index: number, entry: Entry): Promise<Played>;
}

export function createReplay({ contract, match, platform, entries, exact }: ReplayParts): Replay {
  const start = startOf(entries);
  const { steering } = platform;
  const times = createTimes(steering === undefined ? undefined : steering.startedAt - start, start, exact ? 1000 : 0);
  const learnt = createLearnt();
  const callers = createCallers(platform.credentials, learnt);
  const recordedWallets = createWallets();
  for (const entry of entries) recordedWallets.note(parse(toExchange(entry).response.body));
  const wallets = createWallets();
  // Without a control surface, the codes that are sent can't be read.
  const isReal = platform.proofs === 'real' && steering !== undefined;
  const prover = isReal ? realProver(steering, wallets) : magicProver();
  const scene: Scene = { base: platform.base, learnt, callers, prover, times, recordedWallets, wallets };
  const sent = new Set<string>();
  /** Names from recorded replies without a counterpart in ours, each with the index of its entry. */
  const lost = new Map<string, number>();
  let clock = start;

  /** Moves the clock forward by as much as in the recording. */
  const follow = async (entry: Entry): Promise<void> => {
    const at = Date.parse(entry.startedDateTime);
    if (steering === undefined || !(at > clock)) return;
    await steering.advance((at - clock) / 1000);
    clock = at;
  };
  const lose = (asked: Asked, index: number): void => {
    for (const name of asked.beside) {
      if (learnt.find(name) === undefined && !lost.has(name)) lost.set(name, index);
    }
  };

  return {
    async play(index, entry) {
      const exchange = toExchange(entry);
      const found = match(exchange.request.method, exchange.request.url);
      if (found.kind === 'skipped') return found;
      if (exchange.response.status <= 0) return { kind: 'skipped', reason: 'no-reply' };
      const asked = readAsked(exchange, found);
      const made = await makeRequest(asked, scene);
      if (typeof made === 'string') {
        lose(asked, index);
        return { kind: 'unplayable', why: made, isConsequence: false };
      }
      await follow(entry);
      const ours = await send(made.request, platform);
      const missing = findMissing(asked, made, ours, lost);
      if (missing !== undefined) {
        lose(asked, index);
        return missing;
      }
      noteSent(asked, sent);
      const is = parse(ours.body);
      const comparison = { contract, operation: asked.operation, learnt, sent, request: asked.sent, exact, times };
      // If there are no header lines, the recorder left them out and only noted the type of the body.
      const headers = entry.response.headers.length === 0 ? [] : exchange.response.headers;
      const differences = compareReplies({ ...exchange.response, headers }, ours, comparison);
      callers.note(asked.got, is, asked.beside);
      wallets.note(is);
      await prover.note(is);
      if (asked.operation?.id === 'deleteToken' && ours.status === 204 && asked.match.kind === 'operation') {
        callers.noteDeleted(Object.values(asked.match.path)[0] ?? '');
      }
      if (differences.length > 0) lose(asked, index);
      return {
        kind: 'played',
        operationId: asked.operation?.id ?? null,
        path: found.kind === 'operation' ? found.operation.path : found.path,
        differences: differences.map((difference) => withBasis(contract, asked, difference)),
        hasBody: exchange.response.body.kind === 'text',
      };
    },
  };
}

/** When a recording started. If it has no times, now. */
export function startOf(entries: readonly Entry[]): number {
  const moments = entries.map(({ startedDateTime }) => Date.parse(startedDateTime)).filter((at) => !Number.isNaN(at));
  return moments.length === 0 ? Date.now() : moments.reduce((a, b) => Math.min(a, b));
}

/**
 * Finds a name that our replies never gave. If the request was refused or its list is empty because of it, the reply
 * can't be compared.
 */
function findMissing(
  { exchange, got }: Asked,
  { unknown }: Made,
  { status, body }: Reply,
  lost: ReadonlyMap<string, number>,
): Extract<Played, { kind: 'unplayable' }> | undefined {
  const [first] = unknown;
  const isRefused = status >= 400 && status < 500;
  const isEmpty = countItems(got) > 0 && countItems(parse(body)) === 0;
  if (first === undefined || exchange.response.status >= 400 || !(isRefused || isEmpty)) return undefined;
  const [name, place] = first;
  const cause = lost.get(name);
  if (cause === undefined) {
    const why = `names ${name} (${place}), which no earlier reply of the recording has given`;
    return { kind: 'unplayable', why, isConsequence: false };
  }
  const why = `names ${name} (${place}), which entry ${cause} gave in the recording, and not here`;
  return { kind: 'unplayable', why, isConsequence: true };
}

/** How many items a list has; -1 if it isn't a list. */
function countItems(body: unknown): number {
  const { data } = (body ?? {}) as { data?: unknown };
  return Array.isArray(data) ? data.length : -1;
}

/** Notes the texts of a recorded request. If a reply repeats one, our reply must repeat it too. */
function noteSent({ exchange, sent: body }: Asked, sent: Set<string>): void {
  for (const [, value] of new URL(exchange.request.url).searchParams) sent.add(value);
  const walk = (value: unknown): void => {
    if (typeof value === 'string' && !isTime(value)) sent.add(value);
    else if (typeof value === 'object' && value !== null) for (const item of Object.values(value)) walk(item);
  };
  walk(body);
}

async function send(request: Request, { fetch }: Platform): Promise<Reply> {
  const response = await fetch(request).catch((error: unknown) => {
    throw new Unreachable(`${request.url} can't be reached: ${reasonOf(error)}`);
  });
  const headers: HeaderList = [...response.headers];
  return { status: response.status, headers, body: { kind: 'text', text: await response.text() } };
}

/** The address stopped answering during a replay. */
export class Unreachable extends Error {}

/** The basis of a difference. If the interface is silent, it is the decision that the sandbox follows. */
function withBasis(contract: Contract, asked: Asked, difference: Difference): Difference & { readonly basis: Basis } {
  const { operation, exchange, got } = asked;
  const { in: place, pointer, recorded: value } = difference;
  const found = rulesOf(difference).map((rule) =>
    contract.basisOf({ operation, status: exchange.response.status, in: place, pointer, rule, value, body: () => got }),
  );
  return { ...difference, basis: toBasis(found.find((founded) => founded !== 'given') ?? 'given') };
}

/**
 * The rules of the contract that a difference touches. Whether a field is present is one question, its value another.
 */
function rulesOf({ rule }: Difference): string[] {
  if (rule === 'replay/status') return ['undocumented-status'];
  const isPresence = rule === 'replay/missing' || rule === 'replay/extra';
  return isPresence ? ['schema/required', 'schema/type'] : ['schema/type'];
}
