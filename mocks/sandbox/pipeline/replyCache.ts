import type { Contract } from '../../../contract/contract.ts';
import { type Operation, type OperationId, operations } from '../../../generated/operations.ts';
import { urlOf } from '../../exchange/exchange.ts';
import type { OutgoingReply } from '../../exchange/reply.ts';
import { knownNextDue, nextDue } from '../domains/effect.ts';
import type { Handlers, Requester } from '../domains/operation.ts';
import type { Unit, Units } from '../store/units/unit.ts';
import { type Clock, type ClockState, readClock } from '../tools/clock.ts';
import type { RawRequest } from '../transport/request.ts';

/** A reply that was given before and would be given again. */
export interface CachedReply {
  readonly reply: OutgoingReply;
  /** The platform's clock, as it has stood since. */
  readonly clock: ClockState;
}

/**
 * Replies to reads, to be given again as long as nothing has changed: an app that polls costs next to nothing.
 *
 * A reply is kept when what it was made of is known to stay: the platform's own records, and neither time nor chance,
 * which a unit notices. It holds until one of the tables changes that it was made of, as the store tells, or something
 * falls due. Where other processes write to the same store nothing is kept.
 */
export interface ReplyCache {
  /** How often a reply was given again. */
  hits(): number;
  find(raw: RawRequest, requester: Requester): CachedReply | undefined;
  /** Called inside the unit that made the reply, with nothing awaited after it but the end of the unit. */
  offer(raw: RawRequest, requester: Requester, unit: Unit, reply: OutgoingReply): Promise<Offer>;
}

/** The reply, written, and what to do once its unit was kept. */
export interface Offer {
  readonly reply: OutgoingReply;
  accept(): void;
}

interface Entry extends CachedReply {
  /** The count of what it was made of. */
  readonly version: number;
  readonly tables: readonly string[];
  readonly bytes: number;
}

/** The greatest size of all kept replies, in bytes. The least recently used go first. */
const totalBytes = 16 * 1024 * 1024;
// Address, headers and the objects around them, roughly.
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
  // Where room grows short, the entry that was used last is the last.
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
    find(raw, requester) {
      if (!cacheable.has(raw.operation.id as OperationId)) return undefined;
      const key = keyOf(raw, requester);
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      const { platformId } = requester;
      if (entry.version !== units.versionOf(platformId, entry.tables)) {
        drop(key, entry);
        return undefined;
      }
      // Asked now and not when it was kept: something that falls due sooner may have been added since. The next unit
      // carries out what is due, and finds out when it isn't known.
      const next = knownNextDue(units, platformId);
      if (next === undefined || readClock(entry.clock, clock.now()) >= next) return undefined;
      // Nobody needs to go soon while there is room, so the order can wait.
      if (total > totalBytes / 2) {
        entries.delete(key);
        entries.set(key, entry);
      }
      hits += 1;
      return entry;
    },
    async offer(raw, requester, unit, reply) {
      const { looked } = unit;
      const version = units.versionOf(requester.platformId, looked);
      const isAskedFor = cacheable.has(raw.operation.id as OperationId) && reply.status === 200;
      if (!isAskedFor || version === undefined || !unit.isRepeatable()) return { reply, accept: () => {} };
      // Notes it for later readers of the reply.
      await nextDue(unit);
      const text = JSON.stringify(reply.body);
      const written = { ...reply, body: undefined, text };
      const tables = [...looked];
      const entry = { reply: written, clock: unit.state.clock, version, tables, bytes: bytesBeside + text.length };
      return { reply: written, accept: () => enter(keyOf(raw, requester), entry) };
    },
  };
}

/** Depends on who asks and on the address alone; with a header that means something, a request is another one. */
function isPlainRead(operation: Operation, contract: Contract, handlers: Handlers): boolean {
  const { id, method, body } = operation;
  const hasHeaders = contract.parameters(operation, 'header').length > 0;
  return method === 'GET' && body === 'none' && !hasHeaders && handlers[id].prepare === undefined;
}

function keyOf({ operation, request }: RawRequest, { platformId, actorId }: Requester): string {
  return `${operation.id} ${platformId} ${actorId} ${urlOf(request)}`;
}
