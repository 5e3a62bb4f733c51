import type { OperationId } from '../../../generated/operations.ts';
import { type Capture, recordedBodyLimit } from '../../../traffic/capture.ts';
import { type ExchangeRequest, type SentHeaders, urlOf } from '../../exchange/exchange.ts';
import { headersOf, type OutgoingReply } from '../../exchange/reply.ts';
import { utf8Length } from '../node/machine/bytes.ts';
import type { FaultRule } from '../store/units/platformState.ts';
import { type Clock, type ClockState, readClock, runningClock } from '../tools/clock.ts';
import type { Events } from './events.ts';
import type { JournalEntry } from './journalEntry.ts';

/** As much of a request as is written down. */
export interface NotedRequest {
  readonly operation: { readonly id: OperationId };
  readonly request: ExchangeRequest;
}

/** A request on its way: what the pipeline learns of it. Only a request whose platform is known gets into the journal. */
export interface Note {
  readonly raw: NotedRequest;
  /** By the machine's clock. */
  readonly startedAt: number;
  platformId?: string;
  /** The platform's clock while the request was carried out. */
  clock?: ClockState;
  body?: Uint8Array;
  /** What was planted to go wrong with it. */
  fault?: FaultRule;
}

/**
 * The last exchanges of every platform.
 *
 * They are kept in the memory of the process and not in the store. A journal answers "what did my app just send?", and
 * that is not worth a write for every read request, nor secrets in a data file. So it is empty after a restart, and of
 * several processes over one database each has what it answered itself. No operation reads it: what the interface does
 * is the same with and without.
 */
export interface Journal {
  open(raw: NotedRequest): Note;
  /** Enters the request with its reply, and returns the reply. */
  close(note: Note, reply: OutgoingReply): Promise<OutgoingReply>;
  /** A platform's entries from the newest on. */
  read(platformId: string): JournalEntry[];
  /** One of a platform's entries, if it is still there. */
  find(platformId: string, id: number): JournalEntry | undefined;
  empty(platformId: string): void;
  /** The size of all entries of all platforms. */
  bytes(): number;
}

/** The greatest size of one platform's entries; the oldest go first. */
export const journalBounds = { entries: 1000, bytes: 8 * 1024 * 1024 } as const;

/** All platforms together; the entries of the one that was used longest ago go first. */
const totalBytes = 64 * 1024 * 1024;

// The objects of an entry around its texts, in bytes (measured by test/control/journalMemory.test.ts).
const bytesBeside = 600;

/** What is kept of an exchange: as little work as can be done while somebody waits for the reply. */
interface Kept {
  readonly id: number;
  readonly operationId: OperationId;
  readonly method: string;
  readonly url: string;
  readonly headers: SentHeaders;
  readonly body: Uint8Array | undefined;
  /** Without its body: the text is enough. */
  readonly reply: OutgoingReply;
  /** Both by the machine's clock. */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly clock: ClockState;
  readonly bytes: number;
}

/** A platform's entries from the oldest on; those before `first` are gone. */
interface Pages {
  kept: (Kept | undefined)[];
  first: number;
  bytes: number;
}

/** The entries that are there. */
function entriesOf({ kept, first }: Pages): Kept[] {
  return kept.slice(first) as Kept[];
}

export interface JournalParts {
  readonly clock: Clock;
  /** How a platform's clock stands, for a request that was refused before anybody looked. */
  clockOf(platformId: string): Promise<ClockState>;
  /** Told of each new entry. */
  readonly events?: Pick<Events, 'isHeard' | 'tell'>;
  /** For tests. */
  readonly bounds?: { readonly entries: number; readonly bytes: number; readonly totalBytes: number };
}

export function createJournal(parts: JournalParts): Journal {
  const { clock, clockOf, events, bounds = { ...journalBounds, totalBytes } } = parts;
  // The platform that was used last is the last.
  const platforms = new Map<string, Pages>();
  let total = 0;
  let lastId = 0;
  let lastUsed: string | undefined;

  const empty = (platformId: string): void => {
    total -= platforms.get(platformId)?.bytes ?? 0;
    platforms.delete(platformId);
    lastUsed = undefined;
  };
  const dropOldest = (pages: Pages): void => {
    const dropped = pages.kept[pages.first]?.bytes ?? 0;
    pages.kept[pages.first] = undefined;
    pages.first += 1;
    // Once in a while, and not for every entry: a list of a thousand is long to move.
    if (pages.first > bounds.entries) {
      pages.kept = entriesOf(pages);
      pages.first = 0;
    }
    pages.bytes -= dropped;
    total -= dropped;
  };
  const pagesOf = (platformId: string): Pages => {
    const known = platforms.get(platformId);
    if (known !== undefined && platformId === lastUsed) return known;
    const pages = known ?? { kept: [], first: 0, bytes: 0 };
    platforms.delete(platformId);
    platforms.set(platformId, pages);
    lastUsed = platformId;
    return pages;
  };
  const keep = (platformId: string, entry: Kept): void => {
    const pages = pagesOf(platformId);
    pages.kept.push(entry);
    pages.bytes += entry.bytes;
    total += entry.bytes;
    while (pages.kept.length - pages.first > bounds.entries || pages.bytes > bounds.bytes) dropOldest(pages);
    if (total <= bounds.totalBytes) return;
    for (const [olderId, older] of platforms) {
      while (total > bounds.totalBytes && older.first < older.kept.length) dropOldest(older);
      if (older.first === older.kept.length) platforms.delete(olderId);
      if (total <= bounds.totalBytes) break;
    }
  };

  return {
    empty,
    bytes: () => total,
    open: (raw) => ({ raw, startedAt: clock.now() }),
    async close({ raw, startedAt, platformId, clock: seen, body }, reply) {
      if (platformId === undefined) return reply;
      const endedAt = clock.now();
      const state = seen ?? (await clockOf(platformId).catch(() => runningClock));
      const { method, headers } = raw.request;
      const url = urlOf(raw.request);
      // Serialised here, so that its size is known and nothing serialises it again.
      const written = reply.body === undefined ? reply : { ...reply, text: JSON.stringify(reply.body) };
      lastId += 1;
      const entry: Kept = {
        id: lastId,
        operationId: raw.operation.id,
        method,
        url,
        headers,
        body,
        reply: withoutBody(written),
        startedAt,
        endedAt,
        clock: state,
        bytes: bytesBeside + weightOf(url) + headers.weigh() + (body?.byteLength ?? 0) + weightOf(written.text),
      };
      keep(platformId, entry);
      if (events?.isHeard(platformId)) {
        events.tell(platformId, { type: 'EXCHANGE', entry: () => toCapture(entry), bytes: entry.bytes });
      }
      return written;
    },
    read: (platformId) => {
      const pages = platforms.get(platformId);
      return pages === undefined ? [] : entriesOf(pages).map(toCapture).reverse();
    },
    find: (platformId, id) => {
      const pages = platforms.get(platformId);
      const kept = pages === undefined ? undefined : entriesOf(pages).find((entry) => entry.id === id);
      return kept === undefined ? undefined : toCapture(kept);
    },
  };
}

/** What a text takes in memory: two bytes for each of its letters as soon as one of them is beyond ASCII, nearly. */
function weightOf(text = ''): number {
  return utf8Length(text) === text.length ? text.length : text.length * 2;
}

/** The text is enough, and half the memory. */
function withoutBody({ status, headers, text }: OutgoingReply): OutgoingReply {
  if (text === undefined) return headers === undefined ? { status } : { status, headers };
  return headers === undefined ? { status, text } : { status, headers, text };
}

/** No journal: for a run that should not keep anything that passed through it. */
export const noJournal: Journal = {
  open: (raw) => ({ raw, startedAt: 0 }),
  close: async (_note, reply) => reply,
  read: () => [],
  find: () => undefined,
  empty: () => {},
  bytes: () => 0,
};

function toCapture(entry: Kept): JournalEntry {
  const { id, operationId, method, url, body, reply, clock } = entry;
  const startedAt = readClock(clock, entry.startedAt);
  return {
    id,
    operationId,
    startedAt,
    durationMs: readClock(clock, entry.endedAt) - startedAt,
    method,
    url,
    requestHeaders: [...entry.headers],
    requestBody: body,
    status: reply.status,
    responseHeaders: Object.entries(headersOf(reply, reply.text)),
    responseBody: method === 'HEAD' ? undefined : bounded(reply.text),
  };
}

function bounded(text: string | undefined): Capture['responseBody'] {
  if (text === undefined || text.length <= recordedBodyLimit) return text;
  return { leftOut: utf8Length(text) };
}
