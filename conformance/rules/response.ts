/** Judges whether the contract allows a reply of the operation. */

import { readReplyBody } from '../../contract/body.ts';
import type { Contract, SchemaErrors } from '../../contract/contract.ts';
import { explain } from '../../contract/faults.ts';
import { decodeHeaders } from '../../contract/request.ts';
import { narrowUnions } from '../../contract/unions.ts';
import { type Operation, transportCodes } from '../../generated/operations.ts';
import { headerValue, type RecordedExchange } from '../../traffic/exchange.ts';
import { sentBody, toBreach } from './breach.ts';
import type { Breach } from './rule.ts';

type Response = RecordedExchange['response'];

export interface ResponseVerdict {
  readonly breaches: readonly Breach[];
  /** Whether the contract has this status here. */
  readonly isDocumented: boolean;
  /** Whether a body is required that the recording lacks. */
  readonly isBodyMissing: boolean;
}

/**
 * Judges status, headers and body.
 * @param operation undefined if the request fits none. Then only replies of the transport are documented.
 */
export function judgeResponse(
  contract: Contract,
  operation: Operation | undefined,
  response: Response,
  { isHead }: { readonly isHead: boolean },
): ResponseVerdict {
  const { status } = response;
  const hasContent = operation === undefined ? null : contract.hasContent(operation, status);
  const isTransport = status in transportCodes;
  if (hasContent === null && !isTransport) {
    // Some statuses belong to both the operation and the transport.
    const declared = new Set([...(operation?.statuses ?? []), ...Object.keys(transportCodes).map(Number)]);
    const message = `is not declared, only ${[...declared].sort((a, b) => a - b).join(', ')}`;
    const breach = { in: 'response.status', pointer: '', rule: 'undocumented-status', message, value: status } as const;
    return { breaches: [breach], isDocumented: false, isBodyMissing: false };
  }
  const headers = operation === undefined ? [] : judgeHeaders(contract, operation, response);
  const done = (breaches: Breach[], isBodyMissing = false): ResponseVerdict => ({
    breaches: [...headers, ...breaches],
    isDocumented: true,
    isBodyMissing,
  });
  if (isHead) return done([]);
  if (hasContent === false) {
    const isEmpty = response.body.kind === 'unrecorded' || (response.body.kind === 'text' && response.body.text === '');
    const message = `must be empty with ${status}`;
    return done(isEmpty ? [] : [{ in: 'response.body', pointer: '', rule: 'unexpected-body', message }]);
  }
  const sent = sentBody(response.headers, response.body);
  if (sent === undefined) return done([], true);
  const reading = readReplyBody(sent);
  switch (reading.kind) {
    case 'none':
      return done([{ in: 'response.body', pointer: '', rule: 'missing-body', message: `is required with ${status}` }]);
    case 'broken':
      return done(reading.faults.map((fault) => toBreach('response', fault)));
    case 'json':
      return done([
        ...reading.unkept.map((fault) => toBreach('response', fault)),
        ...sentOnly(
          breachesOf(contract, 'body', checkBody(contract, operation, status, reading.value)),
          reading.unkept,
        ),
      ]);
  }
}

/** Removes what a schema says about a number that wasn't sent, because reading has rounded it. */
function sentOnly(breaches: readonly Breach[], unkept: readonly { readonly pointer: string }[]): readonly Breach[] {
  if (unkept.length === 0) return breaches;
  const places = new Set(unkept.map(({ pointer }) => pointer));
  // If the place isn't known, the fault names the whole body.
  if (places.has('')) return breaches.filter(({ value }) => typeof value !== 'number');
  return breaches.filter(({ pointer }) => !places.has(pointer));
}

/**
 * Checks against the operation's schema. The transport's schema applies if the body says so, or if the operation
 * doesn't have the status.
 */
function checkBody(contract: Contract, operation: Operation | undefined, status: number, body: unknown): SchemaErrors {
  const codes = (transportCodes as Readonly<Record<number, readonly string[]>>)[status] ?? [];
  const code = (body as { code?: unknown } | null)?.code;
  const own = operation === undefined ? null : contract.checkResponse(operation, status, body);
  const isOfTransport = own === null || (typeof code === 'string' && codes.includes(code));
  return (isOfTransport ? contract.checkTransportResponse(status, body) : own) ?? [];
}

function judgeHeaders(contract: Contract, operation: Operation, { status, headers }: Response): Breach[] {
  const declared = contract.responseHeaders(operation, status);
  const values = decodeHeaders(declared, (name) => headerValue(headers, name));
  return breachesOf(contract, 'header', contract.checkResponseHeaders(operation, status, values));
}

function breachesOf(contract: Contract, place: 'header' | 'body', errors: SchemaErrors): Breach[] {
  return explain(place, narrowUnions(contract, errors), 'response').map((fault) => toBreach('response', fault));
}
