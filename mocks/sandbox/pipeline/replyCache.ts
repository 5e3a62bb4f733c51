import type { Contract } from '../../../contract/contract.ts';
import { type Operation, type OperationId, operations } from '../../../generated/operations.ts';
import { urlOf } from '../../exchange/exchange.ts';
import { type OutgoingReply, serialise } from '../../exchange/reply.ts';
import { knownNextDue, nextDue } from '../domains/effect.ts';
import type { Handlers, Requester } from '../domains/operation.ts';
import type { Unit, Units } from '../store/units/unit.ts';
import { type Clock, type ClockState, readClock } from '../tools/clock.ts';
import { fairLevel, keptPart } from '../tools/fairLevel.ts';
import type { RawRequest } from '../transport/request.ts';

/** A stored reply that would be the same again. */
export interface CachedReply {
  readonly reply: OutgoingReply;
  /** The state of the platform's clock, unchanged since then. */
  readonly clock: ClockState;
}

/**
 * Caches replies to reads as long as nothing has changed. So an app that polls costs almost nothing.
 *
 * A reply is cached if it depends only on the platform's own records, and not on time or chance. The unit knows this.
 * The reply is valid until one of its tables changes, which the store tells, or an effect is due. If other processes
 * write to the same store, nothing is cached.
 */
export interface ReplyCache {
  /** The number of replies from the cache. */
  hits(): number;
  /** @param isWatcher a watcher's read isn't counted */
  find(raw: RawRequest, requester: Requester, isWatcher: boolean): CachedReply | undefined;
  /** Call this inside the unit that made the reply. After it, await only the end of the unit. */
  offer(raw: RawRequest, requester: Requester, unit: Unit, reply: OutgoingReply): Promise<Offer>;
  /** Drops the replies of a platform that has ended. */
  forget(platformId: string): void;
}

/** The serialised reply, and what to do once its unit is committed. */
export interface Offer {
  readonly reply: OutgoingReply;
  accept(): void;
}

interface Entry extends CachedReply {
  /** The change count of the tables that the reply depends on. */
  readonly version: number;
  readonly tables: readonly string[];
  readonly bytes: number;
}

/** The cached replies of a platform, by their request. */
interface Replies {
  /** When space is short, it is ordered: the last entry is the most recently used. */
  readonly entries: Map<string, Entry>;
  bytes: number;
}

/**
 * The maximum size of all cached replies, in bytes. If there are more, the platforms with the most give way, and none
 * below its share. Of their replies, the least recently used are dropped first.
 */
const defaultBytes = 16 * 1024 * 1024;
// The approximate size of address, headers and objects, in bytes.
const bytesBeside = 1024;

export interface ReplyCacheParts {
  readonly units: Units;
  readonly clock: Clock;
  readonly contract: Contract;
  readonly handlers: Handlers;
  readonly totalBytes?: number | undefined;
}

export function createReplyCache(parts: ReplyCacheParts): ReplyCache {
  const { units, clock, contract, handlers, totalBytes = defaultBytes } = parts;
  const cacheable = new Set<OperationId>(
    (operations as readonly Operation[]).filter((one) => isPlainRead(one, contract, handlers)).map(({ id }) => id),
  );
  const platforms = new Map<string, Replies>();
  let total = 0;
  let hits = 0;

  const drop = (replies: Replies, key: string, { bytes }: Entry): void => {
    replies.entries.delete(key);
    replies.bytes -= bytes;
    total -= bytes;
  };
  const forget = (platformId: string): void => {
    total -= platforms.get(platformId)?.bytes ?? 0;
    platforms.delete(platformId);
  };
  const makeRoom = (): void => {
    const level = fairLevel(
      [...platforms.values()].map(({ bytes }) => bytes),
      totalBytes * keptPart,
    );
    for (const [platformId, replies] of platforms) {
      for (const [oldestKey, oldest] of replies.entries) {
        if (replies.bytes <= level) break;
        drop(replies, oldestKey, oldest);
      }
      if (replies.entries.size === 0) platforms.delete(platformId);
    }
  };
  const enter = (platformId: string, key: string, entry: Entry): void => {
    let replies = platforms.get(platformId);
    if (replies === undefined) {
      replies = { entries: new Map(), bytes: 0 };
      platforms.set(platformId, replies);
    }
    const before = replies.entries.get(key);
    if (before !== undefined) drop(replies, key, before);
    replies.entries.set(key, entry);
    replies.bytes += entry.bytes;
    total += entry.bytes;
    if (total > totalBytes) makeRoom();
  };

  return {
    hits: () => hits,
    find(raw, requester, isWatcher) {
      if (!cacheable.has(raw.operation.id as OperationId)) return undefined;
      const { platformId } = requester;
      const replies = platforms.get(platformId);
      if (replies === undefined) return undefined;
      const key = keyOf(raw, requester);
      const entry = replies.entries.get(key);
      if (entry === undefined) return undefined;
      if (entry.version !== units.versionOf(platformId, entry.tables)) {
        drop(replies, key, entry);
        return undefined;
      }
      // Checked at each use and not when the reply is stored, because an earlier effect may have been added since. If
      // the time isn't known, the next unit finds it out and carries out what is due.
      const next = knownNextDue(units, platformId);
      if (next === undefined || readClock(entry.clock, clock.now()) >= next) return undefined;
      // While there is enough space, nothing is dropped, so the order doesn't matter.
      if (total > totalBytes / 2) {
        replies.entries.delete(key);
        replies.entries.set(key, entry);
      }
      if (!isWatcher) hits += 1;
      return entry;
    },
    async offer(raw, requester, unit, reply) {
      const { looked } = unit;
      const version = units.versionOf(requester.platformId, looked);
      const isAskedFor = cacheable.has(raw.operation.id as OperationId) && reply.status === 200;
      if (!isAskedFor || version === undefined || !unit.isRepeatable()) return { reply, accept: () => {} };
      // Makes the time of the next effect known to later uses of this reply.
      await nextDue(unit);
      const written = { ...serialise(reply), body: undefined };
      // Beyond ASCII, a text takes two bytes for each character.
      const { text = '' } = written;
      const bytes = bytesBeside + (written.bytes === text.length ? text.length : text.length * 2);
      const entry = { reply: written, clock: unit.state.clock, version, tables: [...looked], bytes };
      return { reply: written, accept: () => enter(requester.platformId, keyOf(raw, requester), entry) };
    },
    forget,
  };
}

/**
 * Whether a reply depends only on the caller and the address. A header of the contract would make it a different
 * request.
 */
function isPlainRead(operation: Operation, contract: Contract, handlers: Handlers): boolean {
  const { id, method, body } = operation;
  const hasHeaders = contract.parameters(operation, 'header').length > 0;
  return method === 'GET' && body === 'none' && !hasHeaders && handlers[id].prepare === undefined;
}

function keyOf({ operation, request }: RawRequest, { actorId }: Requester): string {
  return `${operation.id} ${actorId} ${urlOf(request)}`;
}
