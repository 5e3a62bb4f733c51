/** Reads requests of Node's HTTP server, and writes replies to it. */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { clearTimeout, setTimeout } from '../sandbox/node/machine/timers.ts';
import { type ExchangeRequest, joinPieces, type Reply, type SentBody, type SentHeaders } from './exchange.ts';

/**
 * Turns Node's request into an exchange.
 * @returns undefined if its target and Host don't form an address (RFC 9112, 3.2).
 */
export function fromIncoming(incoming: IncomingMessage): ExchangeRequest | undefined {
  const { method = 'GET', url = '/', headers } = incoming;
  const place = placeOf(url, headers.host);
  if (place === undefined) return undefined;
  const { origin, address } = place;
  return { method, origin, address, headers: headersOf(incoming), body: bodyOf(incoming) };
}

// These need no parsing: a URL would read them the same. It reads a host whose last part is a number as an
// IPv4 address, and refuses 999.1.1.1 and 1.2.3.4.5.
const plainHost = /^(?:(?:[a-z0-9._-]*\.)?[a-z_][a-z0-9_-]*|127\.0\.0\.1)(?::[1-9]\d{0,4})?$/;
const plainTarget = /^\/[\w!$%&'()*+,\-./:;=?@[\]~]*$/;

function placeOf(target: string, host = 'localhost'): Pick<ExchangeRequest, 'origin' | 'address'> | undefined {
  if (plainTarget.test(target) && plainHost.test(host) && !host.endsWith(':80')) {
    return { origin: `http://${host}`, address: target };
  }
  // A URL would read a backslash as a slash.
  if (/^[^?]*\\/.test(target)) return undefined;
  const isWhole = /^https?:\/\//.test(target);
  if (!isWhole && !target.startsWith('/')) return undefined;
  const url = URL.parse(isWhole ? target : `http://${host}${target}`);
  return url === null ? undefined : { origin: url.origin, address: url.pathname + url.search };
}

/** The headers of any request. */
export function headersOf({ headers, rawHeaders }: IncomingMessage): SentHeaders {
  // Node keeps only the first of some headers, and makes a list of `set-cookie`. Here all headers of one name are
  // joined.
  const isSimple = Object.keys(headers).length * 2 === rawHeaders.length && headers['set-cookie'] === undefined;
  return new NodeHeaders(isSimple ? headers : joinHeaders(rawHeaders));
}

function joinHeaders(rawHeaders: readonly string[]): IncomingHttpHeaders {
  // A header's name may be __proto__.
  const joined: Record<string, string> = Object.create(null);
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const [name, value] = [rawHeaders[index]?.toLowerCase() ?? '', rawHeaders[index + 1] ?? ''];
    const before = joined[name];
    joined[name] = before === undefined ? value : `${before}${name === 'cookie' ? '; ' : ', '}${value}`;
  }
  return joined;
}

// The size of a header in addition to its characters, in bytes.
const bytesPerHeader = 40;

class NodeHeaders implements SentHeaders {
  readonly #headers: IncomingHttpHeaders;

  constructor(headers: IncomingHttpHeaders) {
    this.#headers = headers;
  }

  get(name: string): string | null {
    const value = this.#headers[name.toLowerCase()];
    return typeof value === 'string' ? value : null;
  }

  has(name: string): boolean {
    return this.get(name) !== null;
  }

  /** Avoids the iterator, which takes twenty times as long: every request is weighed. */
  weigh(): number {
    let bytes = 0;
    for (const name in this.#headers) bytes += bytesPerHeader + name.length + (this.#headers[name]?.length ?? 0);
    return bytes;
  }

  *[Symbol.iterator](): Iterator<[string, string]> {
    for (const name of Object.keys(this.#headers).sort()) yield [name, this.get(name) ?? ''];
  }
}

const inPieces = Symbol('read in pieces');

interface ReadInPieces extends IncomingMessage {
  [inPieces]?: true;
}

/** Whether the reader of a body takes its time, so that it isn't the sender's fault if the body arrives slowly. */
export function isReadInPieces(incoming: IncomingMessage): boolean {
  return (incoming as ReadInPieces)[inPieces] === true;
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}

function bodyOf(incoming: IncomingMessage): SentBody | null {
  if (!hasBody(incoming)) return null;
  const announced = incoming.headers['content-length'];
  return {
    length: announced === undefined ? null : Number(announced),
    read: (limit) => readPieces(incoming, limit).then(joinPieces),
    pieces() {
      (incoming as ReadInPieces)[inPieces] = true;
      // A reader that stops early must still be able to reply.
      return incoming.iterator({ destroyOnReturn: false });
    },
  };
}

/** @throws Error if the connection ends before the body does */
function readPieces(incoming: IncomingMessage, limit: number): Promise<Uint8Array[]> {
  return new Promise((resolve, reject) => {
    const pieces: Uint8Array[] = [];
    let size = 0;
    const done = (): void => {
      for (const [event, listener] of Object.entries(listeners)) incoming.off(event, listener);
    };
    const finish = (): void => {
      done();
      resolve(pieces);
    };
    const end = (): void => {
      // The body may have arrived whole before its sender left.
      if (incoming.complete) {
        for (let piece = incoming.read(); piece !== null; piece = incoming.read()) pieces.push(piece);
        finish();
        return;
      }
      done();
      reject(new Error('The connection ended before the body was complete'));
    };
    const listeners = {
      data(piece: Uint8Array): void {
        pieces.push(piece);
        size += piece.length;
        if (size <= limit) return;
        // The rest is read after the reply was written.
        incoming.pause();
        finish();
      },
      end: finish,
      error: end,
      close: end,
    };
    if (incoming.destroyed) return end();
    for (const [event, listener] of Object.entries(listeners)) incoming.on(event, listener);
  });
}

/**
 * Writes a reply, then handles the rest of the request's body. If there is no reply, or its content fails on the way,
 * the connection is broken off, so that the client doesn't take a part for the whole.
 */
export async function writeReply(
  reply: Reply | Promise<Reply>,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  try {
    const { status, headers, content } = await reply;
    if (status === 0) {
      outgoing.destroy();
      return;
    }
    if (hasBody(incoming)) outgoing.once('finish', () => drain(incoming));
    outgoing.writeHead(status, headers);
    if (content === undefined || typeof content === 'string' || ArrayBuffer.isView(content)) outgoing.end(content);
    else if (incoming.method === 'HEAD') outgoing.end();
    // Waits for a client that reads slowly. If the client leaves, it releases the content, also if no piece was
    // pending.
    else await pipeline(Readable.from(content, { objectMode: false }), outgoing);
  } catch {
    outgoing.destroy();
  }
}

// How long, and how many bytes, the rest of an unread body is accepted, to keep the connection.
const drainMs = 500;
const drainBytes = 64 * 1024 * 1024;

/**
 * Reads the rest of a body and drops it, so that its sender gets to the reply. If the sender goes on for too long, the
 * connection ends.
 */
function drain(incoming: IncomingMessage): void {
  if (incoming.readableEnded || incoming.destroyed) return;
  let size = 0;
  const giveUp = (): void => void incoming.socket.destroySoon();
  const timer = setTimeout(giveUp, drainMs);
  timer.unref();
  const stop = (): void => clearTimeout(timer);
  incoming.once('end', stop).once('error', stop).once('close', stop);
  incoming.on('data', (piece: Uint8Array) => {
    size += piece.length;
    if (size > drainBytes) giveUp();
  });
  incoming.resume();
}
