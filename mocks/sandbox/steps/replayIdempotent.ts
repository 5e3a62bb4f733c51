import type { Operation } from '../../../generated/operations.ts';
import type { Requester } from '../domains/operation.ts';
import { hashJson, sha256 } from '../kernel/bytes.ts';
import { Problem } from '../kernel/problem.ts';
import type { OutgoingReply } from '../shell/reply.ts';
import { recordTable } from '../store/table.ts';
import type { Unit } from '../store/unit.ts';

/** A reply that was given under a key, and the body it was given for. */
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

/** Scope of a key: token or agent, method and path (D10, D82); undefined where the call carries none. */
function scopeOf({ operation, requester, path, headers }: IdempotentCall): string | undefined {
  const key = operation.idempotent ? headers['Idempotency-Key'] : undefined;
  if (typeof key !== 'string') return undefined;
  return sha256(JSON.stringify([requester.actorId, operation.id, path, key.toLowerCase()])).toString('hex');
}

/**
 * The reply that a key was given before, marked as such (D10).
 * @returns undefined without a key, and for a key that is new.
 * @throws Problem 422 `IDEMPOTENCY_KEY_REUSED` when the key was used with another body.
 */
export async function replayIdempotent(unit: Unit, call: IdempotentCall): Promise<OutgoingReply | undefined> {
  const id = scopeOf(call);
  const kept = id === undefined ? undefined : await keptReplies.find(unit, id);
  if (kept === undefined) return undefined;
  if (kept.fingerprint !== hashJson(call.body)) {
    const message = 'This Idempotency-Key was used with another body; use a new key for another request.';
    throw new Problem('IDEMPOTENCY_KEY_REUSED', message);
  }
  return { status: kept.status, body: kept.body, headers: { 'Idempotency-Replayed': 'true' } };
}

/** Keeps a reply under the call's key, in the unit that brought it about: a refusal that changed nothing is not kept. */
export async function keepReply(unit: Unit, call: IdempotentCall, reply: OutgoingReply): Promise<void> {
  const id = scopeOf(call);
  if (id === undefined) return;
  await keptReplies.insert(unit, { id, fingerprint: hashJson(call.body), status: reply.status, body: reply.body });
}
