/**
 * A reverse proxy that lets somebody look at each exchange before the reply's head is sent. On node:http and nothing
 * else: `fetch` unpacks compressed bodies and joins headers, proxy packages have no place where a reply waits, and what
 * must be done by hand (RFC 9110, 7.6.1) is one list of headers.
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
  /** Where requests go; a path in it goes before theirs. */
  readonly upstream: URL;
  /** Says what is refused before anything is passed on, with what body. */
  readonly guard: (head: IncomingMessage) => { readonly status: number; body(): object } | undefined;
  /**
   * Sees an exchange once: whole, and then the headers that it returns go with the reply; or, when `isLate`, after a
   * reply that was too large to wait for.
   */
  observe(capture: Capture, isLate: boolean): HeaderList;
  /** The headers of a reply that nobody could look at before it was sent. */
  readonly unobserved: HeaderList;
}

/** An HTTP server that is not listening yet. Bytes of bodies pass as they come, compressed ones too. */
export function createProxy(parts: ProxyParts): Server {
  // A missing Host is the guard's to refuse.
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
  // As a text: an address that was taken apart and put together again is another one.
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
  // What comes after the end or a failure, such as bytes beyond the announced length, is nobody's any more.
  let isOver = false;
  const fail = (why = 'could not be reached, or broke off its reply'): void => {
    if (isOver) return;
    isOver = true;
    outgoing?.destroy();
    // What has begun can't be taken back: it ends in the middle, as it did here.
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
    fail("can't take this request: it can't be forwarded");
    return;
  }
  incoming.on('data', (chunk: Buffer) => sent.add(chunk));
  incoming.pipe(outgoing);
  outgoing.on('error', () => fail());
  outgoing.on('upgrade', (_answer, socket) => {
    socket.destroy();
    fail('switched to another protocol without being asked');
  });
  // The client has gone: nobody waits for the answer.
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
        fail("sent headers that can't be passed on");
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

/** A request to the service; undefined for one that Node does not send, whatever is wrong with it. */
function open(upstream: URL, options: RequestOptions): ClientRequest | undefined {
  try {
    return (upstream.protocol === 'https:' ? requestHttps : requestHttp)(upstream, options);
  } catch {
    return undefined;
  }
}

/** Whether a status line is one that Node sends (RFC 9112, 4): what it read itself may be less. */
function canBePassedOn(status: number, reason: string): boolean {
  return status >= 200 && status <= 999 && /^[\t\x20-\x7e\x80-\xff]*$/.test(reason);
}

/** A body as far as it is kept. */
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

/** Path and query as they were sent, also of a request that names the whole address (RFC 9112, 3.2.2). */
function targetOf({ url = '/' }: IncomingMessage): string {
  const path = url.replace(/^[a-z]+:\/\/[^/?#]*/i, '');
  return path.startsWith('/') ? path : `/${path}`;
}

/** Meant for the next hop alone (RFC 9110, 7.6.1); with them whatever `Connection` names. */
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

/** The header lines that pass a proxy, in their order and spelling. */
function endToEnd(raw: readonly string[]): HeaderList {
  const lines = raw.flatMap((name, index) => (index % 2 === 0 ? [[name, raw[index + 1] ?? ''] as const] : []));
  const named = lines
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) => value.split(',').map((one) => one.trim().toLowerCase()));
  return lines.filter(([name]) => !hopByHop.has(name.toLowerCase()) && !named.includes(name.toLowerCase()));
}

/** `Expect` was answered here. A body keeps its framing, and where there is none that is said. */
function toService(headers: HeaderList, host: string, { method = '', headers: given }: IncomingMessage): HeaderList {
  const own = headers.filter(([name]) => !['host', 'expect'].includes(name.toLowerCase()));
  const framing = (): HeaderList => {
    if (given['transfer-encoding'] !== undefined) return [['Transfer-Encoding', 'chunked']];
    const mayHaveBody = ['POST', 'PUT', 'PATCH'].includes(method);
    return mayHaveBody && given['content-length'] === undefined ? [['Content-Length', '0']] : [];
  };
  return [['Host', host], ...own, ...framing()];
}

/** An answer of the proxy's own, in the shape that the service's errors have. */
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
