import { transportCodes } from '../../../generated/operations.ts';
import type { Problem } from '../kernel/problem.ts';

/** A reply on its way out: what the shell turns into bytes. */
export interface OutgoingReply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Undefined for no content. */
  readonly body?: unknown;
}

// Goes with every 401, whatever was refused (RFC 9110, 15.5.2); the charset as RFC 7617 announces it.
const challenge = { 'WWW-Authenticate': 'Basic realm="Countersign", charset="UTF-8"' };

/** A refusal as a reply in the one error shape. */
export function sendProblem(problem: Problem): OutgoingReply {
  const headers = problem.status === 401 ? { ...challenge, ...problem.headers } : problem.headers;
  return { status: problem.status, headers, body: problem.body() };
}

/** Whether the code belongs to the transport and so to no operation (D05, D44). */
export function isTransportCode(code: string): boolean {
  return Object.values(transportCodes).some((codes) => (codes as readonly string[]).includes(code));
}
