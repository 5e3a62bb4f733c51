import type { ExchangeHandler, SentHeaders } from '../../exchange/exchange.ts';
import type { AgentRequester } from '../domains/operation.ts';
import type { Events } from '../telemetry/events.ts';

/** What `/mcp` needs of the sandbox. */
export interface McpRouteParts {
  /** @throws Problem 401. */
  readonly authenticate: (headers: SentHeaders) => Promise<AgentRequester>;
  /** The app itself: a tool calls the interface as any client does, so journal, faults and limits count. */
  readonly answer: ExchangeHandler;
  readonly events: Events;
  readonly onStop: (end: () => void) => void;
  /** The document of the contract. */
  readonly document: () => Promise<Readonly<Record<string, unknown>>>;
}
