import type { OperationId } from '../../../generated/operations.ts';
import { type Capture, recordedBodyLimit } from '../../../traffic/capture.ts';
import { type ExchangeRequest, noAnswer, type SentHeaders, urlOf } from '../../exchange/exchange.ts';
import { headersOf, type OutgoingReply, serialise } from '../../exchange/reply.ts';
import { utf8Length } from '../node/machine/bytes.ts';
import type { FaultRule } from '../store/units/platformState.ts';
import { type Clock, type ClockState, readClock, runningClock } from '../tools/clock.ts';
import { fairLevel, keptPart } from '../tools/fairLevel.ts';
import { given } from '../tools/given.ts';
import type { Events } from './events.ts';
import type { CapturedReply, JournalEntry } from './journalEntry.ts';

/** The parts of a request that are recorded. */
export interface NotedRequest {
  /** Null if the request was refused before it reached an operation. */
  readonly operationId: OperationId | null;
  readonly request: ExchangeRequest;
}

/**
 * A request in progress: what the pipeline learns about it. Only requests with a known platform get into the journal.
 */
export interface Note {
  readonly raw: NotedRequest;
  /** Grows with each request. */
  readonly number: number;
  /** By the machine's clock. */
  readonly startedAt: number;
  platformId?: string;
  /** The platform's clock while the request was carried out. */
  clock?: ClockState;
  body?: Uint8Array;
  /** The fault rule that acted on it. */
  fault?: FaultRule;
  /** The reply that the rule kept from the app. */
  withheld?: OutgoingReply;
}

/**
 * The latest exchanges of every platform.
 *
 * They are in the memory of the process and not in the store. A journal answers "what did my app just send?". That
 * isn't worth a write for every read request, or secrets in a data file. So it is empty after a restart, and if several
 * processes share a database, each has only its own exchanges. No operation reads the journal, so the interface behaves
 * the same without it.
 */
export interface Journal {
  open(raw: NotedRequest): Note;
  /** Records the request with its reply, and returns the reply. */
  close(note: Note, reply: OutgoingReply): Promise<OutgoingReply>;
  /**
   * The newest entries of a platform. Each is made when it is asked for.
   * @param order by their end, the newest first, or by their start, the oldest first
   */
  read(platformId: string, limit?: number, order?: 'newest first' | 'oldest first'): Iterable<JournalEntry>;
  /** An entry of a platform, if it still exists. */
  find(platformId: string, id: number): JournalEntry | undefined;
  empty(platformId: string): void;
  /** Empties it for good, because the platform has ended. Requests that are still in progress aren't recorded. */
  end(platformId: string): void;
  /** The size of all entries of all platforms. */
  bytes(): number;
}

/** The limits on one platform's entries, whose oldest are dropped first, and on the entries of all platforms. */
export interface JournalBounds {
  readonly entries: number;
  readonly bytes: number;
  readonly totalBytes: number;
}

const entryLimit = 1000;
/**
 * The size limit for all platforms, in bytes, if no other is given: 64 MiB, or a sixteenth of the memory that the
 * process may use, if that is less.
 * @param memory in bytes; 0 if it isn't limited.
 */
export function defaultJournalBytes(memory = 0): number {
  const most = 64 * 1024 * 1024;
  return memory === 0 ? most : Math.min(most, Math.floor(memory / 16));
}

/** One platform may take an eighth of the whole. */
export function journalBounds(totalBytes = defaultJournalBytes()): JournalBounds {
  return { entries: entryLimit, bytes: totalBytes / 8, totalBytes };
}

/** The most platforms that are remembered as ended, for requests that were in progress. */
const endedLimit = 1000;

// The size of an entry besides its texts, in bytes (measured by test/control/journalMemory.test.ts).
const bytesBeside = 600;

/**
 * The stored part of an exchange. It is made with as little work as possible, because the client waits for the reply.
 */
interface Kept {
  readonly id: number;
  readonly operationId: OperationId | null;
  readonly method: string;
  readonly url: string;
  readonly headers: SentHeaders;
  readonly body: Uint8Array | undefined;
  /** Without its body, because the text is enough. */
  readonly reply: OutgoingReply;
  readonly withheld: OutgoingReply | undefined;
  readonly fault: FaultRule | undefined;
  /** Both by the machine's clock. */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly clock: ClockState;
  readonly bytes: number;
}

/** A platform's entries, oldest first. Those before `first` are dropped. */
interface Pages {
  kept: (Kept | undefined)[];
  first: number;
  bytes: number;
}

/** The entries that still exist. */
function entriesOf({ kept, first }: Pages): Kept[] {
  return kept.slice(first) as Kept[];
}

export interface JournalParts {
  readonly clock: Clock;
  /** The state of a platform's clock, for a request that was refused before the pipeline read it. */
  clockOf(platformId: string): Promise<ClockState>;
  /** Receives each new entry. */
  readonly events?: Pick<Events, 'isHeard' | 'tell'>;
  readonly bounds?: JournalBounds;
}

export function createJournal(parts: JournalParts): Journal {
  const { clock, clockOf, events, bounds = journalBounds() } = parts;
  const platforms = new Map<string, Pages>();
  /** By the number of the last request before their end. */
  const ended = new Map<string, number>();
  let total = 0;
  let lastId = 0;
  let lastNumber = 0;

  const empty = (platformId: string): void => {
    total -= platforms.get(platformId)?.bytes ?? 0;
    platforms.delete(platformId);
  };
  const end = (platformId: string): void => {
    empty(platformId);
    ended.delete(platformId);
    ended.set(platformId, lastNumber);
    const [oldest] = ended.keys();
    if (ended.size > endedLimit) ended.delete(oldest as string);
  };
  const isOver = (platformId: string, number: number): boolean => number <= (ended.get(platformId) ?? 0);
  const dropOldest = (pages: Pages): void => {
    const dropped = pages.kept[pages.first]?.bytes ?? 0;
    pages.kept[pages.first] = undefined;
    pages.first += 1;
    // Only from time to time and not for every entry, because moving a list of a thousand takes long.
    if (pages.first > bounds.entries) {
      pages.kept = entriesOf(pages);
      pages.first = 0;
    }
    pages.bytes -= dropped;
    total -= dropped;
  };
  /** Makes room for all: the platforms with the largest journals give way, and none below its share. */
  const makeRoom = (): void => {
    const level = fairLevel(
      [...platforms.values()].map(({ bytes }) => bytes),
      bounds.totalBytes * keptPart,
    );
    for (const [platformId, pages] of platforms) {
      while (pages.bytes > level) dropOldest(pages);
      if (pages.bytes === 0) platforms.delete(platformId);
    }
  };
  const keep = (platformId: string, entry: Kept): void => {
    let pages = platforms.get(platformId);
    if (pages === undefined) {
      pages = { kept: [], first: 0, bytes: 0 };
      platforms.set(platformId, pages);
    }
    pages.kept.push(entry);
    pages.bytes += entry.bytes;
    total += entry.bytes;
    while (pages.kept.length - pages.first > bounds.entries || pages.bytes > bounds.bytes) dropOldest(pages);
    if (total > bounds.totalBytes) makeRoom();
  };

  return {
    empty,
    end,
    bytes: () => total,
    open(raw) {
      lastNumber += 1;
      return { raw, number: lastNumber, startedAt: clock.now() };
    },
    async close({ raw, number, startedAt, platformId, clock: seen, body, withheld, fault }, reply) {
      if (platformId === undefined || isOver(platformId, number)) return reply;
      const endedAt = clock.now();
      const state = seen ?? (await clockOf(platformId).catch(() => runningClock));
      if (isOver(platformId, number)) return reply;
      const { method, headers } = raw.request;
      const url = urlOf(raw.request);
      const written = serialise(reply);
      const kept = withheld === undefined ? undefined : serialise(withheld);
      lastId += 1;
      const entry: Kept = {
        id: lastId,
        operationId: raw.operationId,
        method,
        url,
        headers,
        body,
        reply: withoutBody(written),
        withheld: kept && withoutBody(kept),
        fault,
        startedAt,
        endedAt,
        clock: state,
        bytes:
          bytesBeside +
          weightOf(url) +
          headers.weigh() +
          (body?.byteLength ?? 0) +
          weightOf(written.text, written.bytes) +
          weightOf(kept?.text, kept?.bytes),
      };
      keep(platformId, entry);
      if (events?.isHeard(platformId)) {
        events.tell(platformId, {
          type: 'EXCHANGE',
          operationId: entry.operationId,
          entry: () => toCapture(entry),
          bytes: entry.bytes,
        });
      }
      return written;
    },
    *read(platformId, limit = bounds.entries, order = 'newest first') {
      const pages = platforms.get(platformId);
      const kept = pages === undefined ? [] : entriesOf(pages).slice(-limit);
      if (order === 'newest first') kept.reverse();
      else kept.sort((one, other) => startOf(one) - startOf(other));
      for (const entry of kept) yield toCapture(entry);
    },
    find: (platformId, id) => {
      const pages = platforms.get(platformId);
      const kept = pages === undefined ? undefined : entriesOf(pages).find((entry) => entry.id === id);
      return kept === undefined ? undefined : toCapture(kept);
    },
  };
}

/** The size of a text in memory. If any character is beyond ASCII, almost every character takes two bytes. */
function weightOf(text = '', bytes = utf8Length(text)): number {
  return bytes === text.length ? text.length : text.length * 2;
}

/** Drops the body: the text is enough, and this halves the memory. */
function withoutBody(reply: OutgoingReply): OutgoingReply {
  return reply.body === undefined ? reply : { ...reply, body: undefined };
}

/** A journal that stores nothing, for a run that must not keep its exchanges. */
export const noJournal: Journal = {
  open: (raw) => ({ raw, number: 0, startedAt: 0 }),
  close: async (_note, reply) => reply,
  read: () => [],
  find: () => undefined,
  empty: () => {},
  end: () => {},
  bytes: () => 0,
};

/** By the platform's clock. */
function startOf({ clock, startedAt }: Kept): number {
  return readClock(clock, startedAt);
}

function toCapture(entry: Kept): JournalEntry {
  const { id, operationId, method, url, body, reply, withheld, fault, clock } = entry;
  const startedAt = startOf(entry);
  return {
    id,
    operationId,
    startedAt,
    durationMs: readClock(clock, entry.endedAt) - startedAt,
    method,
    url,
    requestHeaders: [...entry.headers],
    requestBody: body,
    ...toSeen(reply, method),
    ...given({ fault, withheld: withheld && toSeen(withheld, method) }),
  };
}

/** A reply as the app would see it: for HEAD without a body, and without headers if there is no reply. */
function toSeen(reply: OutgoingReply, method: string): CapturedReply {
  const { status } = reply;
  if (status === noAnswer.status) return { status, responseHeaders: [], responseBody: undefined };
  const responseBody = method === 'HEAD' ? undefined : bounded(reply.text);
  return { status, responseHeaders: Object.entries(headersOf(reply)), responseBody };
}

function bounded(text: string | undefined): Capture['responseBody'] {
  if (text === undefined || text.length <= recordedBodyLimit) return text;
  return { leftOut: utf8Length(text) };
}
