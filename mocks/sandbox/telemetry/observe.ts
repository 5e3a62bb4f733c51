import { basePath } from '../../../contract/match.ts';
import type { SentHeaders } from '../../exchange/exchange.ts';
import { toHex } from '../node/machine/bytes.ts';
import type { Chance } from '../tools/chance.ts';
import type { Stopwatch } from '../tools/clock.ts';
import type { Log } from './log.ts';

/** What becomes known about a request while it is handled. */
export interface RequestFacts {
  readonly id: string;
  readonly trace: string | undefined;
  readonly method: string;
  readonly startedAt: number;
  operation: string | null;
  platformId: string | null;
  code: string | null;
  /** Why its credentials open no platform. */
  refused?: string;
  /** Whether it is a request of an app that hasn't reached an operation, so that its refusal must be noted. */
  isStray: boolean;
}

/** Counts the answered requests. */
export interface RequestCounts {
  begin(): void;
  /** @param seconds from the request's arrival to its reply. */
  end(operation: string | null, status: number, code: string | null, seconds: number): void;
}

/** Gives every request its id, and reports its end to the log and the counts. */
export interface Observer {
  /** @param address as it was sent; empty if it couldn't be read */
  open(method: string, headers: Pick<SentHeaders, 'get'>, address: string): RequestFacts;
  close(facts: RequestFacts, status: number): void;
}

/** An id of the caller is used if it is safe in a header and a log line. */
const sane = /^[\w.:-]{1,128}$/;
const traceparent = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}(?:$|-)/;

/** The header in every reply. It isn't the contract's `Request-Id`, which names a request that must be signed. */
export const correlationHeader = 'X-Request-Id';

export interface ObserverParts {
  readonly log: Log;
  readonly chance: Chance;
  readonly stopwatch: Stopwatch;
  readonly counts?: RequestCounts;
}

export function createObserver({ log, chance, stopwatch, counts }: ObserverParts): Observer {
  // Distinguishes requests of this process from those of others. The number distinguishes requests within the process.
  // What isn't a request of the interface is counted on its own, so that watching changes no id of an app's request.
  const prefix = toHex(chance.bytes(8));
  let last = 0;
  let lastBeside = 0;
  const nextId = (address: string): string => {
    if (!address.startsWith(`${basePath}/`)) return `${prefix}-s${++lastBeside}`;
    return `${prefix}-${++last}`;
  };
  return {
    open(method, headers, address) {
      counts?.begin();
      const given = headers.get(correlationHeader);
      return {
        id: given !== null && sane.test(given) ? given : nextId(address),
        trace: traceparent.exec(headers.get('traceparent') ?? '')?.[1],
        method,
        startedAt: stopwatch(),
        operation: null,
        platformId: null,
        code: null,
        isStray: false,
      };
    },
    close({ id, trace, method, startedAt, operation, platformId, code, refused }, status) {
      const ms = stopwatch() - startedAt;
      counts?.end(operation, status, code, ms / 1000);
      if (log.request === undefined) return;
      const traced = trace === undefined ? {} : { trace };
      const rounded = Math.round(ms * 1000) / 1000;
      const why = refused === undefined ? {} : { refused };
      log.request({ id, ...traced, method, operation, platform: platformId, status, ms: rounded, code, ...why });
    },
  };
}
