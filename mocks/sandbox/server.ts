import { createServer, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { getRequestListener, RequestError } from '@hono/node-server';
import type { Hono } from 'hono';
import { Problem } from './kernel/problem.ts';
import { send, sendProblem } from './shell/reply.ts';

export interface RunningServer {
  readonly address: string;
  /** Takes no new requests, lets those in flight finish (at most `deadlineMs`), and frees the port. */
  stop(deadlineMs?: number): Promise<void>;
}

/**
 * Puts an app on a port.
 * @param port 0 for any free one.
 * @throws NodeJS.ErrnoException `EADDRINUSE`, `EACCES`… when the port can't be had.
 */
export async function listen(app: Pick<Hono, 'fetch'>, host: string, port: number): Promise<RunningServer> {
  const listener = getRequestListener(app.fetch, { errorHandler: refuseUnusable });
  // Node answers a missing Host and an unknown Expect by itself, with no body: left to us, they get ours.
  const server = createServer({ requireHostHeader: false }, listener);
  server.on('checkExpectation', listener);
  server.on('clientError', refuseUnreadable);
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
function refuseUnusable(error: unknown): Response {
  if (!(error instanceof RequestError)) throw error;
  return send(sendProblem(new Problem('INVALID_INPUT', 'The Host header or the request target is not usable.')));
}

/** What Node can't read as HTTP never reaches the app; it gets the same error shape. */
function refuseUnreadable(error: NodeJS.ErrnoException, socket: Socket & { _httpMessage?: ServerResponse }): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const message =
    error.code === 'HPE_HEADER_OVERFLOW' ? 'The header is too large.' : 'The request is not readable as HTTP/1.1.';
  const body = JSON.stringify(new Problem('INVALID_INPUT', message).body());
  const head = `HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}`;
  socket.end(`${head}\r\nConnection: close\r\n\r\n${body}`);
}
