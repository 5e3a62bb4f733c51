import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Reply } from '../../../exchange/exchange.ts';
import { fromIncoming, headersOf, isReadInPieces, writeReply } from '../../../exchange/node.ts';
import { Problem } from '../../tools/problem.ts';
import type { WebApp } from '../../transport/front.ts';
import { clearTimeout, setImmediate, setTimeout } from '../machine/timers.ts';
import { type BoundServer, bind, isLoopback } from './bind.ts';
import { createGuard } from './guard.ts';

/** How long to wait for a slow client, in milliseconds. */
export interface Patience {
  /** For the complete head of a request. */
  readonly headersTimeout: number;
  /** For a complete request. */
  readonly requestTimeout: number;
  /** For the next request on a connection. */
  readonly keepAliveTimeout: number;
  /** How often the first two are checked. */
  readonly connectionsCheckingInterval: number;
  /** No data in either direction, for example because the client doesn't read. Longer than any reply takes. */
  readonly idleTimeout: number;
  /** For a refused client to read the refusal and to hang up. */
  readonly lingerTimeout: number;
}

/**
 * Set explicitly, so that another version of Node doesn't wait longer. Its defaults are a minute for the head and five
 * for a request.
 */
const serverPatience: Patience = {
  headersTimeout: 15_000,
  requestTimeout: 60_000,
  keepAliveTimeout: 5_000,
  connectionsCheckingInterval: 5_000,
  idleTimeout: 120_000,
  lingerTimeout: 1000,
};

export interface ListenSettings {
  /** Set only by tests. */
  readonly patience?: Patience;
  /** Host names to accept, besides those of this machine (see `createGuard`). */
  readonly allowHosts?: readonly string[];
  /** The most connections at a time, on each address. Set only by tests. */
  readonly maxConnections?: number;
}

/**
 * Leaves descriptors for files, and for connections to a database. Beyond it, a new connection is closed at once, and no other
 * suffers. There is no share for one address: on one machine, and behind a proxy, all clients have the same one. Whose platform it
 * is, only a request tells.
 */
const mostConnections = 4096;

/**
 * Starts an app on a port, behind the guard. The app decides which web pages may change data.
 * @param host `localhost` for both loopback addresses.
 * @param port 0 for any free port.
 * @throws PortTaken, or Node's error (`EACCES`…) if the port isn't available.
 */
export async function listen(
  app: Pick<WebApp, 'answer' | 'refuse' | 'refuseTarget' | 'admitsPage' | 'endStreams'>,
  host: string,
  port: number,
  { patience = serverPatience, allowHosts = [], maxConnections = mostConnections }: ListenSettings = {},
): Promise<BoundServer> {
  const { admitsPage } = app;
  const guard = createGuard({ isLoopback: isLoopback(host), allowHosts, admitsPage });
  const answer = (incoming: IncomingMessage): Reply | Promise<Reply> => {
    const refused = guard(incoming);
    const target = refused ?? refuseTarget(incoming.url);
    const request = refused === undefined ? fromIncoming(incoming) : undefined;
    if (request !== undefined && target === undefined) return app.answer(request);
    // With the target as it was sent, if that is a path.
    const { url = '' } = incoming;
    if (request !== undefined && target !== undefined)
      return app.refuseTarget(target, url.startsWith('/') ? { ...request, address: url } : request);
    const head = { method: incoming.method ?? '', headers: headersOf(incoming) };
    return app.refuse(refused ?? new Problem('INVALID_INPUT', unusable), head);
  };
  /** The latest request of each connection. */
  const latest = new WeakMap<Socket, ServerResponse>();
  const listener: RequestListener = (incoming, outgoing) => {
    latest.set(incoming.socket, outgoing);
    void writeReply(answer(incoming), incoming, outgoing);
  };
  // An import reads every export, and some of them load Node's `fetch` and WebSocket: 50 ms of a start that needs neither.
  const { createServer } = process.getBuiltinModule('node:http');
  const create = () => {
    // Node itself answers a missing Host and an unknown Expect without a body. Here they get our error body.
    const server = createServer({ requireHostHeader: false, ...patience }, listener);
    server.timeout = patience.idleTimeout;
    server.maxConnections = maxConnections;
    // A client that waits for a reply isn't idle: long work on a large platform takes minutes.
    server.on('timeout', (socket: Socket) => {
      if (!isWaiting(latest.get(socket))) endUnlessHeard(socket);
    });
    server.on('checkExpectation', listener);
    server.on('checkContinue', (incoming, outgoing) => {
      continueWhenRead(incoming, outgoing);
      listener(incoming, outgoing);
    });
    return server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
      const incoming = latest.get(socket)?.req;
      const isPatient = error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && incoming !== undefined && isReadInPieces(incoming);
      if (!isPatient) refuseUnreadable(app, error, socket, patience.lingerTimeout);
    });
  };
  const server = await bind(create, host, port);
  return {
    ...server,
    stop(deadlineMs) {
      const stopped = server.stop(deadlineMs);
      app.endStreams();
      return stopped;
    },
  };
}

/** Whether a whole request was received, and no reply has begun. */
function isWaiting(outgoing: ServerResponse | undefined): boolean {
  return outgoing?.req.complete === true && !outgoing.headersSent;
}

/**
 * Requests the body after `Expect: 100-continue` only when the body is read. A request that is refused by its head
 * alone, for example because it announces too large a body, gets the refusal at once (RFC 9110, 10.1.1). Its connection
 * then ends, because the client may or may not still send the body.
 */
function continueWhenRead(incoming: IncomingMessage, outgoing: ServerResponse): void {
  const read = incoming._read;
  const { shouldKeepAlive } = outgoing;
  outgoing.shouldKeepAlive = false;
  incoming._read = (size) => {
    incoming._read = read;
    if (!outgoing.headersSent) {
      outgoing.shouldKeepAlive = shouldKeepAlive;
      outgoing.writeContinue();
    }
    incoming._read(size);
  };
}

const dotSegment = /\/(?:\.|%2e){1,2}(?=[/?]|$)/i;

/**
 * Paths are compared as they are sent (D04). A `URL`, which reads unusual targets, would resolve the dots in a path. So
 * this checks the target first: `/agents/%2e%2e/customers` isn't `/customers`.
 */
function refuseTarget(target = '/'): Problem | undefined {
  if (target.includes('#'))
    return new Problem('INVALID_INPUT', "A request target can't have a fragment. Leave out the #.");
  if (!target.includes('/.') && !/\/%2e/i.test(target)) return undefined;
  const [path = ''] = target.split('?', 1);
  if (!dotSegment.test(path)) return undefined;
  return new Problem(
    'NOT_FOUND',
    "A path can't have segments of dots. Leave out . and .., also if they are percent-encoded.",
  );
}

const unusable = 'The Host header or the request target is not valid.';

const unreadable: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: 'The header is too large.',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request took too long to arrive.',
};

/** A request that Node can't parse as HTTP never reaches the app. It gets the same error shape. */
function refuseUnreadable(
  app: Pick<WebApp, 'refuse'>,
  error: NodeJS.ErrnoException,
  socket: Socket,
  lingerTimeout: number,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const message = unreadable[error.code ?? ''] ?? 'The request is not valid HTTP/1.1.';
  const { headers, content } = app.refuse(new Problem('INVALID_INPUT', message));
  const all = Object.entries({ ...headers, Connection: 'close' });
  const lines = ['HTTP/1.1 400 Bad Request', ...all.map(([name, value]) => `${name}: ${value}`)];
  socket.end(`${lines.join('\r\n')}\r\n\r\n${content}`);
  // A client that reads nothing, or goes on sending, would keep the socket.
  const timer = setTimeout(() => socket.destroy(), lingerTimeout);
  timer.unref();
  socket.once('close', () => clearTimeout(timer));
}

/**
 * Ends a connection whose time is over. If this process stood still for that time, a request may have arrived meanwhile, and Node
 * would cut it off: timers run before sockets are read. So this first lets the event loop read what is there.
 */
function endUnlessHeard(socket: Socket): void {
  const { bytesRead } = socket;
  setImmediate(() => {
    if (socket.bytesRead === bytesRead) socket.destroy();
  });
}
