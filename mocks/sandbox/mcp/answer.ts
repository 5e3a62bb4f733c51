/** Answers `/mcp`. It connects MCP's own server with the sandbox's app. */
import { basePath, watchPath } from '../../../contract/match.ts';
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
import { Problem } from '../tools/problem.ts';
import { createShares } from '../tools/shares.ts';
import type { McpRouteParts } from './parts.ts';

/** The streams on which clients hear of changes, and the calls that have no answer yet. A token is an agent. */
export const mcpBounds = {
  streams: { process: 1000, platform: 200, token: 20 },
  calls: { process: 1000, platform: 200, token: 50 },
} as const;

/** Calls the app like any client of this machine. The guard of the port has already admitted the request. */
const base = `http://localhost${basePath}`;
const door = { base: `http://localhost${watchPath}${basePath}`, isSure: true };

export function createMcpAnswer({ answer, authenticate, stopwatch, events, document }: McpRouteParts) {
  const fetch = toFetch(answer);
  const pulseOf = createPulses(events);
  const endpoint = createEndpoint<Caller>({
    open: ({ accessToken }) => ({
      service: createService({ base, door, fetch, accessToken }),
      hasPlatform: false,
      redact: createRedact([accessToken]),
      document,
      memory: newMemory(),
    }),
    pulse: ({ platformId }) => pulseOf(platformId),
    mayStay: ({ accessToken }) => isKnown(authenticate, accessToken),
    streams: createShares(mcpBounds.streams),
    calls: createShares(mcpBounds.calls),
    now: stopwatch,
  });
  return {
    async answer(request: ExchangeRequest, agent: Caller, parsed: unknown): Promise<OutgoingReply> {
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

/**
 * Beats when something may have changed on a platform. A read changes nothing. All agents of a platform share one
 * attendance.
 */
function createPulses(events: Events): (platformId: string) => Pulse {
  const platforms = new Map<string, { readonly beats: Set<() => void>; readonly leave: () => void }>();
  const attend = (platformId: string) => {
    const beats = new Set<() => void>();
    const leave = events.attend(platformId, (happening) => {
      if (happening.type !== 'EXCHANGE' || mayChange(happening.operationId)) for (const beat of [...beats]) beat();
    });
    return { beats, leave };
  };
  return (platformId) => (beat) => {
    const attended = platforms.get(platformId) ?? attend(platformId);
    platforms.set(platformId, attended);
    attended.beats.add(beat);
    return () => {
      attended.beats.delete(beat);
      if (attended.beats.size > 0) return;
      attended.leave();
      platforms.delete(platformId);
    };
  };
}

/** Whether an agent's token is still valid. It is, as long as the storage doesn't say otherwise. */
function isKnown(authenticate: McpRouteParts['authenticate'], accessToken: string): Promise<boolean> {
  return authenticate({ get: () => `Bearer ${accessToken}` }).then(
    () => true,
    (error: unknown) => !(error instanceof Problem && error.status === 401),
  );
}

/** A request that reached no operation changed nothing. */
function mayChange(operationId: string | null): boolean {
  return operationId !== null && !reads.has(operationId);
}
