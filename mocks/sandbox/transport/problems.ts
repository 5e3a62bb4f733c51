import type { OutgoingReply } from '../../exchange/reply.ts';
import type { Log } from '../telemetry/log.ts';
import { Problem, SandboxBug, StorageDamaged, StorageUnavailable } from '../tools/problem.ts';

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

/** What the client gets for any thrown error. For a fault of ours, only that it is ours; the log gets the rest. */
export function asProblem(error: unknown, log: Log, requestId: string): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof StorageUnavailable) {
    log.error(error.message, { requestId, cause: String(error.cause) });
    return new Problem('STORAGE_UNAVAILABLE', error instanceof StorageDamaged ? damaged : unavailable);
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
