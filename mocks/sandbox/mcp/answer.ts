/** Answers `/mcp`. It connects MCP's own server with the sandbox's app. */
import { basePath } from '../../../contract/match.ts';
import { operations } from '../../../generated/operations.ts';
import { type Caller, createEndpoint } from '../../../mcp/http.ts';
import { createRedact } from '../../../mcp/redact.ts';
import { createService } from '../../../mcp/service.ts';
import { newMemory } from '../../../mcp/session.ts';
import type { Pulse } from '../../../mcp/watch.ts';
import { type ExchangeRequest, urlOf } from '../../exchange/exchange.ts';
import type { OutgoingReply } from '../../exchange/reply.ts';
import { toFetch } from '../../exchange/web.ts';
import type { Events } from '../telemetry/events.ts';
import type { McpRouteParts } from './parts.ts';

/** An agent with a valid token. */
interface Agent extends Caller {
  readonly platformId: string;
}

/** Calls the app like any client of this machine. The guard of the port has already admitted the request. */
const base = `http://localhost${basePath}`;

export function createMcpAnswer({ answer, events, document }: McpRouteParts) {
  const fetch = toFetch(answer);
  const endpoint = createEndpoint<Agent>({
    open: ({ accessToken, askAbove }) => ({
      service: createService({ base, fetch, accessToken }),
      askAbove,
      hasPlatform: false,
      redact: createRedact([accessToken]),
      document,
      memory: newMemory(),
    }),
    pulse: ({ platformId }) => pulseOf(events, platformId),
  });
  return {
    async answer(request: ExchangeRequest, agent: Agent, parsed: unknown): Promise<OutgoingReply> {
      return toReply(await endpoint.answer(toRequest(request), agent, parsed));
    },
    close: () => endpoint.close(),
  };
}

/** The body was already read. */
function toRequest(request: ExchangeRequest): Request {
  const headers = new Headers([...request.headers]);
  return new Request(urlOf(request), { method: request.method, headers });
}

async function toReply({ status, headers, body }: Response): Promise<OutgoingReply> {
  const sent = Object.fromEntries([...headers].map(([name, value]) => [capitalized(name), value]));
  // A web page reads the id of its session from this header.
  const exposed = headers.has('mcp-session-id') ? { 'Access-Control-Expose-Headers': 'Mcp-Session-Id' } : {};
  const isStream = headers.get('content-type')?.startsWith('text/event-stream') ?? false;
  if (body === null) return { status, headers: { ...sent, ...exposed } };
  if (isStream) return { status, headers: { ...sent, ...exposed }, stream: piecesOf(body) };
  return { status, headers: { ...sent, ...exposed }, text: await new Response(body).text() };
}

/** Spells a header's name like other replies do, so that no header appears twice. */
function capitalized(name: string): string {
  return name.replaceAll(/(^|-)[a-z]/g, (letter) => letter.toUpperCase());
}

async function* piecesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  try {
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) yield piece.value;
  } finally {
    // A client that stops reading ends the stream. The server may already have ended it.
    await reader.cancel().catch(() => {});
  }
}

const reads: ReadonlySet<string> = new Set(operations.flatMap(({ id, method }) => (method === 'GET' ? [id] : [])));

/** Beats when something may have changed on a platform. A read changes nothing. */
function pulseOf(events: Events, platformId: string): Pulse {
  return (beat) =>
    events.attend(platformId, (happening) => {
      if (happening.type !== 'EXCHANGE' || !reads.has(happening.operationId)) beat();
    });
}
