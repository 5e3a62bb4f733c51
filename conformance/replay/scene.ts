/** What a recorded request is played with: the exchange and its meaning, and all that has been learnt before it. */
import type { Operation } from '../../generated/operations.ts';
import type { RecordedExchange } from '../../traffic/exchange.ts';
import type { Match } from '../match.ts';
import type { Callers } from './callers.ts';
import { type Learnt, namesIn } from './learnt.ts';
import type { Prover } from './prover.ts';
import type { Times } from './times.ts';
import { parse } from './walk.ts';
import type { Wallets } from './wallets.ts';

/** What a request is made from, beside its recording. */
export interface Scene {
  readonly base: string;
  readonly learnt: Learnt;
  readonly callers: Callers;
  readonly prover: Prover;
  readonly times: Times;
  /** What the recording tells of wallets, all of it. */
  readonly recordedWallets: Wallets;
  /** What our replies have told so far. */
  readonly wallets: Wallets;
}

/** A recorded exchange, and what it means. */
export interface Asked {
  readonly exchange: RecordedExchange;
  readonly match: Exclude<Match, { kind: 'skipped' }>;
  readonly operation: Operation | undefined;
  /** The recorded bodies, parsed. */
  readonly sent: unknown;
  readonly got: unknown;
  /** The ids in the recorded reply. */
  readonly beside: ReadonlySet<string>;
}

/** The recorded bodies of an exchange, parsed, and what it means. */
export function readAsked(exchange: RecordedExchange, match: Asked['match']): Asked {
  const got = parse(exchange.response.body);
  return {
    exchange,
    match,
    operation: match.kind === 'operation' ? match.operation : undefined,
    sent: parse(exchange.request.body),
    got,
    beside: namesIn(got),
  };
}
