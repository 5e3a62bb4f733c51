/** Judges one exchange against the contract. It is pure, so a recording, a proxy and a test judge alike. */

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
      /** Null if the request fits no operation. */
      readonly operationId: OperationId | null;
      /**
       * The operation's path with the names of its parameters. If there is no operation, the path as it was sent,
       * secrets masked.
       */
      readonly path: string;
      readonly breaches: readonly FoundedBreach[];
      /**
       * Whether the request broke the contract and the service refused it as the contract says. That isn't a breach.
       */
      readonly isRefusal: boolean;
      /** Bodies that the recording lacks, so that they couldn't be judged. They aren't breaches in themselves. */
      readonly unrecorded: readonly FoundedBreach[];
    };

/**
 * Judges an exchange.
 *
 * It always judges the reply. It judges the request unless the reply refuses it with a documented 4xx: a test that
 * sends nonsense and is refused keeps the contract.
 * @param match finds the operation; by the version in the address if absent.
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
  // An address that can't be decoded names no operation, but each would refuse it with 400 (D04).
  const isUndecodable = found.kind === 'malformed' && response.status === 400;
  const isRefused = response.status >= 400 && response.status < 500 && (reply.isDocumented || isUndecodable);
  // An address without an operation is one breach. Then the statuses of an operation don't matter.
  const replyBreaches = operation === undefined && !(isRefused && reply.isDocumented) ? [] : reply.breaches;
  const founded = withBasis(contract, operation, exchange);
  return {
    kind: 'judged',
    operationId: operation?.id ?? null,
    path: found.kind === 'operation' ? found.operation.path : maskUrl(found.path),
    breaches: [...(isRefused ? [] : asked.breaches), ...replyBreaches].map(founded),
    isRefusal: isRefused && asked.breaches.length > 0,
    unrecorded: [
      // Only a flag asks for these, and then they count.
      ...(asked.isBodyMissing && !isRefused ? [unrecorded('request.body')] : []),
      ...(reply.isBodyMissing ? [unrecorded('response.body')] : []),
    ].map((breach) => ({ ...breach, basis: toBasis('given') })),
  };
}

/** Adds the basis of each breach. It is computed only for reported breaches, because that takes longer than judging. */
function withBasis(contract: Contract, operation: Operation | undefined, { request, response }: RecordedExchange) {
  const bodies = { request: once(() => parse(request.body)), response: once(() => parse(response.body)) };
  return (breach: Breach): FoundedBreach => {
    const body = breach.in.startsWith('request.') ? bodies.request : bodies.response;
    const basis = toBasis(contract.basisOf({ ...breach, operation, status: response.status, body }));
    return { ...breach, basis };
  };
}

/** The body as JSON. @returns undefined if it isn't JSON */
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
    const message = "isn't the path of an operation";
    return { in: 'request.path', pointer: '', rule: 'undocumented-path', message, value: maskUrl(found.path) };
  }
  if (found.kind === 'malformed') {
    const message = "has a percent sign that doesn't start a UTF-8 escape";
    return { in: `request.${found.in}`, pointer: '', rule: 'malformed-address', message };
  }
  const message = `is not a method of ${found.path}, only ${found.methods.join(', ')}`;
  return { in: 'request.method', pointer: '', rule: 'undocumented-method', message, value: method };
}
