/**
 * A reverse proxy that shows each exchange to an observer before it sends the reply's head.
 * It uses only node:http. `fetch` unpacks compressed bodies and joins headers, and proxy packages have no place where a
 * reply can wait. The work that this leaves to us (RFC 9110, 7.6.1) is one list of headers.
 */
import {
  type ClientRequest,
  createServer,
  type IncomingMessage,
  type RequestOptions,
  request as requestHttp,
  type Server,
  type ServerResponse,
} from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Duplex } from 'node:stream';
import { type Capture, type CapturedBody, recordedBodyLimit } from '../../traffic/capture.ts';
import type { HeaderList } from '../../traffic/exchange.ts';

export interface ProxyParts {
  /** Where requests go. Its path, if it has one, is put before the path of each request. */
  readonly upstream: URL;
  /** Returns the refusal of a request that must not be forwarded. */
  readonly guard: (head: IncomingMessage) => { readonly status: number; body(): object } | undefined;
  /**
   * Sees each exchange once. Usually it sees the whole exchange, and the headers that it returns go with the reply. If
   * `isLate`, the reply was too large to wait for, and is already sent.
   */
  observe(capture: Capture, isLate: boolean): HeaderList;
  /** Headers of a reply that was sent before anything could look at it. */
  readonly unobserved: HeaderList;
}

/** Creates an HTTP server that isn't listening yet. It forwards bodies byte for byte, compressed ones too. */
export function createProxy(parts: ProxyParts): Server {
  // The guard refuses a missing Host header.
  const server = createServer({ requireHostHeader: false }, (incoming, reply) => {
    const refused = parts.guard(incoming);
    if (refused !== undefined) answer(reply, refused.status, refused.body(), parts);
    else if (/^websocket$/i.test(incoming.headers.upgrade ?? '')) refuse(reply, 501, noUpgrade, parts);
    else forward(incoming, reply, parts);
  });
  server.on('connect', (_incoming: IncomingMessage, socket: Duplex) => {
    const body = JSON.stringify(errorBody(501, noTunnel));
    const head = `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close`;
    socket.end(`HTTP/1.1 501 Not Implemented\r\n${head}\r\n\r\n${body}`);
  });
  return server;
}

const noUpgrade = 'This proxy carries requests and replies of HTTP only; open the WebSocket to the service itself.';
const noTunnel = "This isn't a forward proxy: make its address the base address of your app.";

function forward(incoming: IncomingMessage, reply: ServerResponse, parts: ProxyParts): void {
  const startedAt = Date.now();
  const since = performance.now();
  const { upstream } = parts;
  // Stays a text: parsing an address and writing it again can change it.
  const path = upstream.pathname.replace(/\/$/, '') + targetOf(incoming);
  const method = incoming.method ?? 'GET';
  const sent = new Kept();
  const got = new Kept();
  const requestHeaders = endToEnd(incoming.rawHeaders);
  const capture = (status: number, responseHeaders: HeaderList): Capture => ({
    startedAt,
    durationMs: Math.round(performance.now() - since),
    method,
    url: upstream.origin + path,
    requestHeaders,
    requestBody: sent.body(),
    status,
    responseHeaders,
    responseBody: got.body(),
  });
  // Once a request is over, later events count for nothing, such as bytes beyond the announced length.
  let isOver = false;
  const fail = (why = 'could not be reached, or broke off its reply'): void => {
    if (isOver) return;
    isOver = true;
    outgoing?.destroy();
    // A reply whose head is sent can't be replaced. It breaks off, as the service's reply did.
    if (reply.destroyed || reply.headersSent) return void reply.destroy();
    parts.observe(capture(0, []), true);
    refuse(reply, 502, `The service behind the proxy ${why}.`, parts);
  };

  const outgoing = open(upstream, {
    method,
    path,
    headers: toService(requestHeaders, upstream.host, incoming).flat(),
    setDefaultHeaders: false,
  });
  if (outgoing === undefined) {
    fail("can't get this request, because it can't be forwarded");
    return;
  }
  incoming.on('data', (chunk: Buffer) => sent.add(chunk));
  incoming.pipe(outgoing);
  outgoing.on('error', () => fail());
  outgoing.on('upgrade', (_answer, socket) => {
    socket.destroy();
    fail('switched to another protocol without being asked');
  });
  // The client has gone, so nothing waits for the reply.
  reply.on('close', () => {
    if (!reply.writableFinished) outgoing.destroy();
  });

  outgoing.on('response', (answer) => {
    const { statusCode: status = 502, statusMessage = '' } = answer;
    const headers = endToEnd(answer.rawHeaders);
    if (!canBePassedOn(status, statusMessage)) {
      fail("sent a status line that isn't HTTP");
      return;
    }
    const waiting: Buffer[] = [];
    const begin = (more: HeaderList): void => {
      reply.sendDate = false;
      try {
        reply.writeHead(status, statusMessage, [...headers, ...more].flat());
      } catch {
        fail("sent headers that can't be forwarded");
        return;
      }
      for (const chunk of waiting.splice(0)) reply.write(chunk);
    };
    const passOn = (chunk: Buffer): void => {
      if (!reply.write(chunk)) {
        answer.pause();
        reply.once('drain', () => answer.resume());
      }
    };
    // A stream of events may never end.
    if (/^text\/event-stream/i.test(answer.headers['content-type'] ?? '')) begin(parts.unobserved);
    answer.on('data', (chunk: Buffer) => {
      if (isOver) return;
      got.add(chunk);
      if (reply.headersSent) return passOn(chunk);
      waiting.push(chunk);
      if (got.isOver) begin(parts.unobserved);
    });
    answer.on('end', () => {
      if (isOver) return;
      if (reply.headersSent) parts.observe(capture(status, headers), true);
      else begin(parts.observe(capture(status, headers), false));
      if (isOver) return;
      isOver = true;
      reply.end();
    });
    answer.on('error', () => fail());
  });
}

/** Opens a request to the service. @returns undefined if Node refuses to send it, for whatever reason */
function open(upstream: URL, options: RequestOptions): ClientRequest | undefined {
  try {
    return (upstream.protocol === 'https:' ? requestHttps : requestHttp)(upstream, options);
  } catch {
    return undefined;
  }
}

/** Whether Node sends this status line (RFC 9112, 4). It also reads lines that it doesn't send. */
function canBePassedOn(status: number, reason: string): boolean {
  return status >= 200 && status <= 999 && /^[\t\x20-\x7e\x80-\xff]*$/.test(reason);
}

/** Collects a body, and drops it once it is larger than a recording keeps. */
class Kept {
  #chunks: Buffer[] = [];
  #size = 0;

  get isOver(): boolean {
    return this.#size > recordedBodyLimit;
  }

  add(chunk: Buffer): void {
    this.#size += chunk.length;
    if (this.isOver) this.#chunks = [];
    else this.#chunks.push(chunk);
  }

  body(): CapturedBody | undefined {
    if (this.#size === 0) return undefined;
    return this.isOver ? { leftOut: this.#size } : Buffer.concat(this.#chunks);
  }
}

/** Path and query as they were sent. The request may also name the whole address (RFC 9112, 3.2.2). */
function targetOf({ url = '/' }: IncomingMessage): string {
  const path = url.replace(/^[a-z]+:\/\/[^/?#]*/i, '');
  return path.startsWith('/') ? path : `/${path}`;
}

/** Headers for the next hop only (RFC 9110, 7.6.1). The headers that `Connection` names are removed too. */
const hopByHop = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** The header lines that a proxy passes on, in their order and spelling. */
function endToEnd(raw: readonly string[]): HeaderList {
  const lines = raw.flatMap((name, index) => (index % 2 === 0 ? [[name, raw[index + 1] ?? ''] as const] : []));
  const named = lines
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) => value.split(',').map((one) => one.trim().toLowerCase()));
  return lines.filter(([name]) => !hopByHop.has(name.toLowerCase()) && !named.includes(name.toLowerCase()));
}

/** Leaves out `Expect`, which the proxy has answered. A body keeps its framing; a missing body gets a length of 0. */
function toService(headers: HeaderList, host: string, { method = '', headers: given }: IncomingMessage): HeaderList {
  const own = headers.filter(([name]) => !['host', 'expect'].includes(name.toLowerCase()));
  const framing = (): HeaderList => {
    if (given['transfer-encoding'] !== undefined) return [['Transfer-Encoding', 'chunked']];
    const mayHaveBody = ['POST', 'PUT', 'PATCH'].includes(method);
    return mayHaveBody && given['content-length'] === undefined ? [['Content-Length', '0']] : [];
  };
  return [['Host', host], ...own, ...framing()];
}

/** Sends an error of the proxy itself, in the shape of the service's errors. */
function refuse(reply: ServerResponse, status: 501 | 502, message: string, parts: ProxyParts): void {
  answer(reply, status, errorBody(status, message), parts);
}

function answer(reply: ServerResponse, status: number, error: object, { unobserved }: ProxyParts): void {
  const body = JSON.stringify(error);
  const own: HeaderList = [
    ['Content-Type', 'application/json'],
    ['Content-Length', String(Buffer.byteLength(body))],
    ['Connection', 'close'],
  ];
  reply.writeHead(status, [...own, ...unobserved].flat());
  reply.end(body);
}

function errorBody(status: 501 | 502, message: string): object {
  return { status, code: status === 501 ? 'NOT_IMPLEMENTED' : 'BAD_GATEWAY', message };
}
