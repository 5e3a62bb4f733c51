/** One exchange against the contract: pure, so a recording, a proxy and a test all judge alike. */

import type { Contract } from '../contract/contract.ts';
import { maskUrl } from '../contract/mask.ts';
import type { Operation, OperationId } from '../generated/operations.ts';
import type { RecordedBody, RecordedExchange } from '../traffic/exchange.ts';
import { toBasis } from './basis.ts';
import { createMatcher, type Match, type Matcher, type SkipReason } from './match.ts';
import { judgeRequest } from './rules/request.ts';
import { judgeResponse } from './rules/response.ts';
import type { Breach, FoundedBreach, Place } from './rules/rule.ts';

export type Verdict =
  | { readonly kind: 'skipped'; readonly reason: SkipReason | 'no-reply' }
  | {
      readonly kind: 'judged';
      /** Null where the request means no operation. */
      readonly operationId: OperationId | null;
      /** The operation's path, with its parameters' names; else the path as it was, secrets masked. */
      readonly path: string;
      readonly breaches: readonly FoundedBreach[];
      /** Whether the request broke the contract and was refused as the contract says, which isn't a breach. */
      readonly isRefusal: boolean;
      /** The bodies that the recording does not have and that were therefore not judged; no breaches by themselves. */
      readonly unrecorded: readonly FoundedBreach[];
    };

/**
 * Judges an exchange.
 *
 * The reply is always judged. The request is, unless the reply refuses it with a documented 4xx: a test that sends
 * nonsense and is told so keeps the contract.
 * @param match says which operation is meant; by the version in the address when it is left out.
 */
export function judge(contract: Contract, exchange: RecordedExchange, match: Matcher = anywhere): Verdict {
  const { request, response } = exchange;
  const found = match(request.method, request.url);
  if (found.kind === 'skipped') return found;
  // Some recorders write -1 or -999.
  if (response.status <= 0) return { kind: 'skipped', reason: 'no-reply' };

  const operation = found.kind === 'operation' ? found.operation : undefined;
  const reply = judgeResponse(contract, operation, response, { isHead: request.method === 'HEAD' });
  const asked =
    found.kind === 'operation'
      ? judgeRequest(contract, found, request)
      : { breaches: [misdirected(found, request.method)], isBodyMissing: false };
  const isRefused = response.status >= 400 && response.status < 500 && reply.isDocumented;
  // What no operation has is one breach: which statuses an operation may answer with is then no question.
  const replyBreaches = operation === undefined && !isRefused ? [] : reply.breaches;
  const founded = withBasis(contract, operation, exchange);
  return {
    kind: 'judged',
    operationId: operation?.id ?? null,
    path: found.kind === 'operation' ? found.operation.path : maskUrl(found.path),
    breaches: [...(isRefused ? [] : asked.breaches), ...replyBreaches].map(founded),
    isRefusal: isRefused && asked.breaches.length > 0,
    unrecorded: [
      // Nobody asks for these but by a flag, and then they count.
      ...(asked.isBodyMissing && !isRefused ? [unrecorded('request.body')] : []),
      ...(reply.isBodyMissing ? [unrecorded('response.body')] : []),
    ].map((breach) => ({ ...breach, basis: toBasis('given') })),
  };
}

/** Says what breaches rest on. Only what is reported is asked for it: working it out takes longer than finding nothing. */
function withBasis(contract: Contract, operation: Operation | undefined, { request, response }: RecordedExchange) {
  const bodies = { request: once(() => parse(request.body)), response: once(() => parse(response.body)) };
  return (breach: Breach): FoundedBreach => {
    const body = breach.in.startsWith('request.') ? bodies.request : bodies.response;
    const basis = toBasis(contract.basisOf({ ...breach, operation, status: response.status, body }));
    return { ...breach, basis };
  };
}

/** The body as JSON; undefined for one that is none. */
function parse(body: RecordedBody): unknown {
  try {
    return body.kind === 'text' ? JSON.parse(body.text) : undefined;
  } catch {
    return undefined;
  }
}

function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

const anywhere = createMatcher();

function unrecorded(place: Place): Breach {
  return { in: place, pointer: '', rule: 'unrecorded-body', message: 'is not in the recording' };
}

function misdirected(found: Exclude<Match, { kind: 'skipped' | 'operation' }>, method: string): Breach {
  if (found.kind === 'unknown-path') {
    const message = 'is the path of no operation';
    return { in: 'request.path', pointer: '', rule: 'undocumented-path', message, value: maskUrl(found.path) };
  }
  if (found.kind === 'malformed') {
    const message = 'has a percent sign that does not begin an escape of UTF-8';
    return { in: `request.${found.in}`, pointer: '', rule: 'malformed-address', message };
  }
  const message = `is not a method of ${found.path}, only ${found.methods.join(', ')}`;
  return { in: 'request.method', pointer: '', rule: 'undocumented-method', message, value: method };
}
