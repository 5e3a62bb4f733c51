/** The context of a recorded request: the exchange, its meaning, and everything learnt before it. */
import type { Operation } from '../../generated/operations.ts';
import type { RecordedExchange } from '../../traffic/exchange.ts';
import type { Match } from '../match.ts';
import type { Callers } from './callers.ts';
import { type Learnt, namesIn } from './learnt.ts';
import type { Prover } from './prover.ts';
import type { Times } from './times.ts';
import { parse } from './walk.ts';
import type { Wallets } from './wallets.ts';

/** What a request is made from, besides its recording. */
export interface Scene {
  readonly base: string;
  readonly learnt: Learnt;
  readonly callers: Callers;
  readonly prover: Prover;
  readonly times: Times;
  /** What the whole recording says about wallets. */
  readonly recordedWallets: Wallets;
  /** What our replies have said so far. */
  readonly wallets: Wallets;
}

/** A recorded exchange, and its meaning. */
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

/** Reads an exchange: its parsed bodies and its meaning. */
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
