/** Judges whether a request fits the contract. */
import { readRequestBody } from '../../contract/body.ts';
import type { Contract } from '../../contract/contract.ts';
import type { FoundFault } from '../../contract/faults.ts';
import type { Match } from '../../contract/match.ts';
import { findBodyFaults, readHeaders, readPath, readQuery } from '../../contract/request.ts';
import { headerValue, type RecordedExchange } from '../../traffic/exchange.ts';
import { sentBody, toBreach } from './breach.ts';
import type { Breach } from './rule.ts';

type Request = RecordedExchange['request'];
type Matched = Extract<Match, { kind: 'operation' }>;

/** Judges path, query, headers and body. */
export function judgeRequest(
  contract: Contract,
  { operation, path, query }: Matched,
  { headers, body }: Request,
): { breaches: Breach[]; isBodyMissing: boolean } {
  const before = [
    ...readPath(contract, operation, path).faults,
    ...readQuery(contract, operation, query).faults,
    ...readHeaders(contract, operation, (name) => headerValue(headers, name)).faults,
  ];
  const done = (faults: readonly FoundFault[], isBodyMissing = false) => ({
    breaches: [...before, ...faults].map((fault) => toBreach('request', fault)),
    isBodyMissing,
  });
  // A body that the operation doesn't declare isn't read (D53).
  if (operation.body === 'none') return done([]);
  const sent = sentBody(headers, body);
  if (sent === undefined) return done([], true);
  const reading = readRequestBody(sent);
  if (reading.kind === 'broken') return done(reading.faults);
  return done(findBodyFaults(contract, operation, reading.kind === 'json' ? reading.value : undefined));
}
