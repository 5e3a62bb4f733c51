import { type Operation, operations } from '../../../generated/operations.ts';
import type { OutgoingReply } from '../../exchange/reply.ts';
import type { Log } from '../telemetry/log.ts';
import { OutcomeUnknown, Problem, SandboxBug, StorageDamaged, StorageUnavailable } from '../tools/problem.ts';

/** Sent with every 401, whatever was refused (RFC 9110, 15.5.2). The charset is announced as in RFC 7617. */
const challenges = {
  basic: 'Basic realm="Countersign", charset="UTF-8"',
  bearer: 'Bearer realm="Countersign"',
} as const;

/** Writes a refusal as a reply in the common error shape. `security` is the operation's scheme. */
export function sendProblem(
  problem: Problem,
  { security }: { readonly security: 'basic' | 'bearer' | 'none' } = { security: 'basic' },
): OutgoingReply {
  const challenge = { 'WWW-Authenticate': challenges[security === 'bearer' ? 'bearer' : 'basic'] };
  const headers = problem.status === 401 ? { ...challenge, ...problem.headers } : problem.headers;
  return { status: problem.status, headers, body: problem.body() };
}

const unavailable = 'The request was not carried out because its data could not be stored; try again.';
const damaged =
  "The stored data for this request is damaged and can't be read. Restore a copy of the data, or reset the platform.";

/** How long to wait before a request is sent again, in seconds. Most failovers and restarts take longer than a moment. */
const retryAfter = { 'Retry-After': '5' };

/** What a failed request was to do. */
export interface Asked {
  readonly method: string;
  /** Absent if the request was of no operation of the interface. */
  readonly operation?: Operation;
  /** Whether it came with an `Idempotency-Key`. */
  readonly hasKey?: boolean;
}

/** What the client gets for any thrown error. For a fault of ours, only that it is ours; the log gets the rest. */
export function asProblem(error: unknown, log: Log, requestId: string, asked: Asked): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof StorageUnavailable) {
    log.error(error.message, { requestId, cause: String(error.cause) });
    if (error instanceof StorageDamaged) return new Problem('STORAGE_UNAVAILABLE', damaged);
    // A read can be repeated, whatever happened to it.
    const isUnknown = error instanceof OutcomeUnknown && !['GET', 'HEAD'].includes(asked.method);
    if (isUnknown) return outcomeUnknown(asked);
    return new Problem('STORAGE_UNAVAILABLE', unavailable, { headers: retryAfter });
  }
  if (error instanceof SandboxBug) log.error(error.message, { requestId, ...error.facts });
  else
    log.error('A request failed by a fault of the sandbox', {
      requestId,
      error: error instanceof Error ? error.stack : String(error),
    });
  return new Problem(
    'INTERNAL_ERROR',
    'The sandbox failed because of its own fault, and nothing was changed. Its log has the details.',
  );
}

/** 503 for a request whose work may be stored, or not (D44). Its message says how to find out without doing it twice. */
function outcomeUnknown({ operation, hasKey = false }: Asked): Problem {
  const place = operation === undefined ? undefined : placeToRead(operation);
  const read = place === undefined ? 'read what it changes' : `read GET ${place}`;
  const advice =
    operation?.idempotent === true && hasKey
      ? `Send it again with the same Idempotency-Key, or ${read} first.`
      : `Before you send it again, ${read}.`;
  return new Problem('STORAGE_UNAVAILABLE', `It isn't known whether this was carried out. ${advice}`, {
    reason: 'outcomeUnknown',
    headers: retryAfter,
  });
}

/** The path where the contract shows what an operation changes: its own, or that of the record or the list above it. */
function placeToRead({ path, security }: Operation): string | undefined {
  const above = path.slice(0, path.lastIndexOf('/'));
  const isParameter = (place: string): boolean => place.endsWith('}');
  // A list above a record, or a record above one of its actions. `/agents/me` isn't above `/agents/me/quotes` in this sense.
  const places: readonly string[] = isParameter(path) === isParameter(above) ? [path] : [path, above];
  return places.find((place) =>
    operations.some((one) => one.method === 'GET' && one.path === place && one.security === security),
  );
}
