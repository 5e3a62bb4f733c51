import type { ExchangeHandler, SentHeaders } from '../../exchange/exchange.ts';
import type { AgentRequester } from '../domains/operation.ts';
import type { Events } from '../telemetry/events.ts';
import type { Stopwatch } from '../tools/clock.ts';

/** The parts of the sandbox that `/mcp` needs. */
export interface McpRouteParts {
  /** @throws Problem 401. */
  readonly authenticate: (headers: Pick<SentHeaders, 'get'>) => Promise<AgentRequester>;
  /** The app itself. A tool calls the interface like any client, so journal, faults and limits apply. */
  readonly answer: ExchangeHandler;
  readonly events: Events;
  /** Measures how long nothing has happened. */
  readonly stopwatch: Stopwatch;
  readonly onStop: (end: () => void) => void;
  /** The document of the contract. */
  readonly document: () => Promise<Readonly<Record<string, unknown>>>;
}
