/** Whether a request is one that the contract describes. */

import type { Contract } from '../../contract/contract.ts';
import { pointerSegment } from '../../contract/pointer.ts';
import { decodeParameter } from '../../mocks/sandbox/steps/validateRequest.ts';
import { type Exchange, headerValue } from '../exchange.ts';
import { maskNamed } from '../mask.ts';
import type { Match } from '../match.ts';
import { readJson } from './body.ts';
import type { Breach } from './rule.ts';
import { schemaBreaches } from './schema.ts';

type Request = Exchange['request'];
type Matched = Extract<Match, { kind: 'operation' }>;

/** Judges path, query, headers and body. */
export function judgeRequest(
  contract: Contract,
  matched: Matched,
  request: Request,
): { breaches: Breach[]; isBodyMissing: boolean } {
  const { operation } = matched;
  const path = contract.checkParameters(operation, 'path', { ...matched.path });
  const before = [
    ...schemaBreaches(contract, 'request.path', path),
    ...judgeQuery(contract, matched),
    ...judgeHeaders(contract, matched, request),
  ];
  // A body sent where none is declared is left unread (D53).
  if (operation.body === 'none') return { breaches: before, isBodyMissing: false };
  const coding = headerValue(request.headers, 'content-encoding');
  if (coding !== undefined && coding.toLowerCase() !== 'identity') {
    const message = 'must be left out: a request body is sent as it is';
    const breach = { in: 'request.headers', pointer: '/Content-Encoding', rule: 'media-type', message } as const;
    return { breaches: [...before, { ...breach, value: coding }], isBodyMissing: false };
  }
  const body = readJson('request', request.headers, request.body);
  switch (body.kind) {
    case 'unrecorded':
      return { breaches: before, isBodyMissing: true };
    case 'broken':
      return { breaches: [...before, body.breach], isBodyMissing: false };
    case 'json': {
      const errors = contract.checkRequest(operation, body.value);
      return { breaches: [...before, ...schemaBreaches(contract, 'request.body', errors)], isBodyMissing: false };
    }
    case 'none': {
      const missing = { in: 'request.body', pointer: '', rule: 'missing-body', message: 'is required' } as const;
      return { breaches: operation.body === 'required' ? [...before, missing] : before, isBodyMissing: false };
    }
  }
}

function judgeQuery(contract: Contract, { operation, query }: Matched): Breach[] {
  const breaches: Breach[] = [];
  const values: Record<string, unknown> = {};
  const declared = new Map(contract.parameters(operation, 'query').map((parameter) => [parameter.name, parameter]));
  for (const name of new Set(query.keys())) {
    const parameter = declared.get(name);
    const given = query.getAll(name);
    const at = { in: 'request.query', pointer: `/${pointerSegment(name)}` } as const;
    const value = maskNamed([name], given.length === 1 ? given[0] : given);
    if (parameter === undefined) {
      const message = 'is not a parameter of this operation';
      breaches.push({ ...at, rule: 'undocumented-parameter', message, value });
    } else if (given.length > 1 && !parameter.isList) {
      breaches.push({ ...at, rule: 'repeated-parameter', message: 'may be given once only', value });
      // Judged no further, and not missed.
      values[name] = decodeParameter(parameter, given[0] ?? '');
    } else {
      const decoded = given.map((text) => decodeParameter(parameter, text));
      values[name] = parameter.isList ? decoded : decoded[0];
    }
  }
  const errors = contract.checkParameters(operation, 'query', values);
  return [...breaches, ...schemaBreaches(contract, 'request.query', errors)];
}

function judgeHeaders(contract: Contract, { operation }: Matched, { headers }: Request): Breach[] {
  const values: Record<string, unknown> = {};
  for (const parameter of contract.parameters(operation, 'header')) {
    const given = headerValue(headers, parameter.name);
    if (given !== undefined) values[parameter.name] = decodeParameter(parameter, given);
  }
  return schemaBreaches(contract, 'request.headers', contract.checkParameters(operation, 'header', values));
}
