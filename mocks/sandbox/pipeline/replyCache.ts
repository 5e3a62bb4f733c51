import type { Contract } from '../../../contract/contract.ts';
import { type Operation, type OperationId, operations } from '../../../generated/operations.ts';
import { urlOf } from '../../exchange/exchange.ts';
import { type OutgoingReply, serialise } from '../../exchange/reply.ts';
import { knownNextDue, nextDue } from '../domains/effect.ts';
import type { Handlers, Requester } from '../domains/operation.ts';
import type { Unit, Units } from '../store/units/unit.ts';
import { type Clock, type ClockState, readClock } from '../tools/clock.ts';
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

/** The maximum size of all cached replies, in bytes. The least recently used is dropped first. */
const totalBytes = 16 * 1024 * 1024;
// The approximate size of address, headers and objects, in bytes.
const bytesBeside = 1024;

export interface ReplyCacheParts {
  readonly units: Units;
  readonly clock: Clock;
  readonly contract: Contract;
  readonly handlers: Handlers;
}

export function createReplyCache({ units, clock, contract, handlers }: ReplyCacheParts): ReplyCache {
  const cacheable = new Set<OperationId>(
    (operations as readonly Operation[]).filter((one) => isPlainRead(one, contract, handlers)).map(({ id }) => id),
  );
  // When space is short, the map is ordered: the last entry is the most recently used.
  const entries = new Map<string, Entry>();
  let total = 0;
  let hits = 0;

  const drop = (key: string, { bytes }: Entry): void => {
    entries.delete(key);
    total -= bytes;
  };
  const enter = (key: string, entry: Entry): void => {
    const before = entries.get(key);
    if (before !== undefined) drop(key, before);
    entries.set(key, entry);
    total += entry.bytes;
    for (const [oldestKey, oldest] of entries) {
      if (total <= totalBytes) break;
      drop(oldestKey, oldest);
    }
  };

  return {
    hits: () => hits,
    find(raw, requester, isWatcher) {
      if (!cacheable.has(raw.operation.id as OperationId)) return undefined;
      const key = keyOf(raw, requester);
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      const { platformId } = requester;
      if (entry.version !== units.versionOf(platformId, entry.tables)) {
        drop(key, entry);
        return undefined;
      }
      // Checked at each use and not when the reply is stored, because an earlier effect may have been added since. If
      // the time isn't known, the next unit finds it out and carries out what is due.
      const next = knownNextDue(units, platformId);
      if (next === undefined || readClock(entry.clock, clock.now()) >= next) return undefined;
      // While there is enough space, nothing is dropped, so the order doesn't matter.
      if (total > totalBytes / 2) {
        entries.delete(key);
        entries.set(key, entry);
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
      const bytes = bytesBeside + (written.text?.length ?? 0);
      const entry = { reply: written, clock: unit.state.clock, version, tables: [...looked], bytes };
      return { reply: written, accept: () => enter(keyOf(raw, requester), entry) };
    },
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

function keyOf({ operation, request }: RawRequest, { platformId, actorId }: Requester): string {
  return `${operation.id} ${platformId} ${actorId} ${urlOf(request)}`;
}
