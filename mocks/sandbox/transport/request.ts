import Negotiator from 'negotiator';
import type { Operation } from '../../../generated/operations.ts';
import type { ExchangeRequest, SentHeaders } from '../../exchange/exchange.ts';
import type { OutgoingReply } from '../../exchange/reply.ts';
import type { RequestFacts } from '../telemetry/observe.ts';
import { Problem } from '../tools/problem.ts';

/** A request after routing, before validation. */
export interface RawRequest {
  readonly operation: Operation;
  /** Path parameters, each decoded once. */
  readonly path: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly request: ExchangeRequest;
  readonly facts: RequestFacts;
  /** Receives the bytes of the body once they are read. */
  readonly noteBody?: (bytes: Uint8Array) => void;
}

/** Answers the operations of the contract: the sandbox's pipeline, or Prism. `noAnswer` is possible too. */
export type Serve = (raw: RawRequest) => Promise<OutgoingReply>;

/** Notes a request of an app that was refused before an operation got it, and returns its reply. */
export type NoteStray = (request: ExchangeRequest, facts: RequestFacts, reply: OutgoingReply) => Promise<OutgoingReply>;

/** Notes the code of a refusal. */
export function note(reply: OutgoingReply, facts: RequestFacts): OutgoingReply {
  if (reply.status >= 400) facts.code = (reply.body as { code?: string } | undefined)?.code ?? null;
  return reply;
}

// What nearly every client sends.
const acceptsAll = new Set([undefined, '*/*', 'application/json', 'application/json, text/plain, */*']);

/** @throws Problem 406 if the request doesn't accept JSON */
export function requireAcceptable(headers: SentHeaders): void {
  const sent = headers.get('accept') ?? undefined;
  if (acceptsAll.has(sent)) return;
  // JSON is always UTF-8, so a media range with this charset means the same.
  const accept = sent?.replaceAll(/;\s*charset="?utf-8"?/gi, '') ?? '';
  if (new Negotiator({ headers: { accept } }).mediaType(['application/json']) === undefined) {
    throw new Problem('NOT_ACCEPTABLE', "Every reply is application/json, but the Accept header doesn't allow that.");
  }
}
