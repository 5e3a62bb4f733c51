import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { getRequestListener, RequestError } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { bareRequest } from './bareRequest.ts';
import { ConnectionDropped, Problem } from './kernel/problem.ts';
import { clearInterval, clearTimeout, setInterval, setTimeout } from './kernel/timers.ts';
import { correlationHeader } from './shell/observe.ts';
import { headersOf, type OutgoingReply, send, sendProblem } from './shell/reply.ts';
import type { WebApp } from './shell/shell.ts';

export interface RunningServer {
  readonly address: string;
  /** Takes no new requests, lets those in flight finish (at most `deadlineMs`), and frees the port. */
  stop(deadlineMs?: number): Promise<void>;
}

/** How long a slow client is waited for, in milliseconds. */
export interface Patience {
  /** For the whole of a request's head. */
  readonly headersTimeout: number;
  /** For the whole of a request. */
  readonly requestTimeout: number;
  /** For the next request on a connection. */
  readonly keepAliveTimeout: number;
  /** How often the first two are looked at. */
  readonly connectionsCheckingInterval: number;
  /** Nothing passes either way, be it that the client does not read: longer than any answer of ours takes. */
  readonly idleTimeout: number;
}

/** Stated, so that another Node does not wait longer; its own are a minute for the head and five for a request. */
const serverPatience: Patience = {
  headersTimeout: 15_000,
  requestTimeout: 60_000,
  keepAliveTimeout: 5_000,
  connectionsCheckingInterval: 5_000,
  idleTimeout: 120_000,
};

type FetchCallback = Parameters<typeof getRequestListener>[0];

/**
 * Puts an app on a port.
 * @param port 0 for any free one.
 * @param patience other than usual in tests.
 * @throws NodeJS.ErrnoException `EADDRINUSE`, `EACCES`… when the port can't be had.
 */
export async function listen(
  app: WebApp,
  host: string,
  port: number,
  { patience = serverPatience }: { readonly patience?: Patience } = {},
): Promise<RunningServer> {
  const answer: FetchCallback = async (request, { outgoing }) => {
    try {
      return await app.fetch(request);
    } catch (error) {
      if (!(error instanceof ConnectionDropped)) throw error;
      outgoing.destroy();
      return RESPONSE_ALREADY_SENT;
    }
  };
  const general = getRequestListener(answer, { errorHandler: (error) => refuseUnusable(app, error) });
  const listener: RequestListener = (incoming, outgoing) => {
    const bare = bareRequest(incoming);
    const answered = bare === undefined ? undefined : app.answer?.(bare);
    return answered === undefined ? general(incoming, outgoing) : write(answered, outgoing);
  };
  // Node answers a missing Host and an unknown Expect by itself, with no body: left to us, they get ours.
  const server = createServer({ requireHostHeader: false, ...patience }, listener);
  server.timeout = patience.idleTimeout;
  server.on('checkExpectation', listener);
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => refuseUnreadable(app, error, socket));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const bound = server.address();
  const boundPort = typeof bound === 'object' && bound !== null ? bound.port : port;
  return { address: `http://${nameOf(host)}:${boundPort}`, stop: (deadlineMs = 5000) => stop(server, deadlineMs) };
}

async function write(answered: Promise<OutgoingReply>, outgoing: ServerResponse): Promise<void> {
  try {
    const reply = await answered;
    const text = reply.text ?? (reply.body === undefined ? undefined : JSON.stringify(reply.body));
    outgoing.writeHead(reply.status, headersOf(reply, text)).end(text);
  } catch {
    // A fault rule has it that there is no answer; nothing else ends here.
    outgoing.destroy();
  }
}

/** Whether only this machine reaches a server on that address. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d+){3}$/.test(host);
}

function nameOf(host: string): string {
  if (host === '127.0.0.1' || host === '::1') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}

function stop(server: Server, deadlineMs: number): Promise<void> {
  return new Promise((resolve) => {
    // close() ends the connections that are idle at that moment only; one that becomes idle later is swept.
    const sweep = setInterval(() => server.closeIdleConnections(), 50);
    const deadline = setTimeout(() => server.closeAllConnections(), deadlineMs);
    server.close(() => {
      clearInterval(sweep);
      clearTimeout(deadline);
      resolve();
    });
  });
}

/** No address can be made of the request: it has no Host, or a target or Host that is none (RFC 9112, 3.2). */
function refuseUnusable(app: WebApp, error: unknown): Response {
  if (!(error instanceof RequestError)) throw error;
  const id = app.refused?.(400, 'INVALID_INPUT');
  const headers = id === undefined ? {} : { [correlationHeader]: id };
  const problem = new Problem('INVALID_INPUT', 'The Host header or the request target is not usable.', { headers });
  return send(sendProblem(problem));
}

const unreadable: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: 'The header is too large.',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request took too long to arrive.',
};

/** What Node can't read as HTTP never reaches the app; it gets the same error shape. */
function refuseUnreadable(app: WebApp, error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const message = unreadable[error.code ?? ''] ?? 'The request is not readable as HTTP/1.1.';
  const body = JSON.stringify(new Problem('INVALID_INPUT', message).body());
  const id = app.refused?.(400, 'INVALID_INPUT');
  const correlation = id === undefined ? '' : `\r\n${correlationHeader}: ${id}`;
  const head = `HTTP/1.1 400 Bad Request${correlation}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}`;
  socket.end(`${head}\r\nConnection: close\r\n\r\n${body}`);
}
