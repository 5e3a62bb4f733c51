import type { ErrorCode, Operation } from '../../../generated/operations.ts';
import type { OutgoingReply } from '../../exchange/reply.ts';
import type { Requester } from '../domains/operation.ts';
import { sha256Hex } from '../node/machine/crypto.ts';
import { recordTable } from '../store/records/table.ts';
import type { Unit } from '../store/units/unit.ts';
import { hashJson } from '../tools/bytes.ts';
import { Problem } from '../tools/problem.ts';

/** A reply that was stored under a key, and the body of its request. */
interface KeptReply {
  readonly id: string;
  readonly fingerprint: string;
  readonly status: number;
  readonly body: unknown;
}

export const keptReplies = recordTable<KeptReply, never>({ name: 'idempotency_keys', columns: () => ({}) });

interface IdempotentCall {
  readonly operation: Operation;
  readonly requester: Requester;
  readonly path: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

/**
 * The scope of a key: the platform with all its tokens, or an agent; then method and path (D10, D82). So a retry counts
 * as one although the secret was changed in between.
 * @returns undefined if the call has no key
 */
function scopeOf(call: IdempotentCall): string | undefined {
  return scopeFor(call.operation.security === 'bearer' ? call.requester.actorId : '', call);
}

/** The scope that a key of a platform had in older versions: it belonged to one token. */
function formerScopeOf(call: IdempotentCall): string | undefined {
  return call.operation.security === 'bearer' ? undefined : scopeFor(call.requester.actorId, call);
}

function scopeFor(owner: string, { operation, path, headers }: IdempotentCall): string | undefined {
  const key = operation.idempotent ? headers['Idempotency-Key'] : undefined;
  if (typeof key !== 'string') return undefined;
  return sha256Hex(JSON.stringify([owner, operation.id, path, key.toLowerCase()]));
}

/** An older data file has keys under the token that used them. For this token they still count. */
async function findKept(unit: Unit, call: IdempotentCall): Promise<KeptReply | undefined> {
  const ids = [scopeOf(call), formerScopeOf(call)].filter((id) => id !== undefined);
  // At once, so that PostgreSQL is asked in one round trip.
  const found = await Promise.all(ids.map((id) => keptReplies.find(unit, id)));
  return found.find((kept) => kept !== undefined);
}

/**
 * Returns the stored reply of a key, marked as a replay (D10).
 * @returns undefined without a key, and for a new key.
 * @throws Problem 422 `IDEMPOTENCY_KEY_REUSED` if the key was used with another body.
 */
export async function replayIdempotent(unit: Unit, call: IdempotentCall): Promise<OutgoingReply | undefined> {
  const kept = await findKept(unit, call);
  if (kept === undefined) return undefined;
  if (kept.fingerprint !== hashJson(call.body)) {
    const message = 'This Idempotency-Key was used with another body; use a new key for another request.';
    throw new Problem('IDEMPOTENCY_KEY_REUSED', message);
  }
  return { status: kept.status, body: kept.body, headers: { 'Idempotency-Replayed': 'true' } };
}

/**
 * Runs the operation. If the call has a key and the refusal is one that is stored, it undoes the changes and returns
 * the refusal instead of throwing it. Then the unit continues, and {@link keepReply} can store the refusal.
 * @throws Problem a refusal that isn't stored, and every refusal of a call without a key.
 */
export async function runKeyed<T>(unit: Unit, call: IdempotentCall, work: () => Promise<T>): Promise<T | Problem> {
  if (scopeOf(call) === undefined) return work();
  const outcome = await unit.attempt(async () => ({ returned: await work() }));
  if (!(outcome instanceof Problem)) return outcome.returned;
  if (!isKept(outcome.status, outcome.code)) throw outcome;
  return outcome;
}

/** Stores a reply under the call's key, in the unit that produced it. Does nothing without a key. */
export async function keepReply(unit: Unit, call: IdempotentCall, reply: OutgoingReply): Promise<void> {
  const id = scopeOf(call);
  const { code = '' } = (reply.body ?? {}) as { code?: string };
  if (id === undefined || !isKept(reply.status, code)) return;
  await keptReplies.insert(unit, { id, fingerprint: hashJson(call.body), status: reply.status, body: reply.body });
}

// Steps before the operation return these, so they aren't the operation's outcome. The same request may succeed later
// (D10).
const passingStatuses: readonly number[] = [401, 415, 422, 429];
const passingCodes: readonly string[] = ['FORBIDDEN', 'AGENT_PAUSED'] satisfies ErrorCode[];

/** Whether a reply is the operation's own outcome, including refusals (D10). */
function isKept(status: number, code: string): boolean {
  return status < 400 || (status < 500 && !passingStatuses.includes(status) && !passingCodes.includes(code));
}
