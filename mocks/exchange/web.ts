/** Converts requests and replies of the web platform, for the `fetch` of a sandbox in process. */
import {
  type ExchangeHandler,
  type ExchangeRequest,
  joinPieces,
  type Reply,
  type SentBody,
  type SentHeaders,
} from './exchange.ts';

/** A call of `fetch` rejects with this if the reply never comes. */
export class ConnectionDropped extends TypeError {
  constructor() {
    super('The connection was dropped by a fault rule of the control surface');
    this.name = 'ConnectionDropped';
  }
}

/**
 * Turns a handler into a function like `fetch`.
 * @throws ConnectionDropped if there is no reply.
 */
export function toFetch(exchange: ExchangeHandler): (request: Request) => Promise<Response> {
  return async (request) => {
    const reply = await exchange(fromRequest(request));
    if (reply.status === 0) throw new ConnectionDropped();
    return toResponse(reply, request.method);
  };
}

/** Turns a web request into an exchange. Its address is what `URL` returns, with dots resolved. */
export function fromRequest(request: Request): ExchangeRequest {
  const { method, url } = request;
  const [, origin = '', rest = url] = /^(https?:\/\/[^/?#]*)([^#]*)/.exec(url) ?? [];
  const address = rest.startsWith('/') ? rest : `/${rest}`;
  return { method, origin, address, headers: new WebHeaders(request.headers), body: bodyOf(request) };
}

/** @param method of the request: the reply to HEAD gets no content. */
export function toResponse({ status, headers, content }: Reply, method: string): Response {
  if (content === undefined || method === 'HEAD') return new Response(null, { status, headers });
  if (typeof content === 'string') return new Response(content, { status, headers });
  return new Response(ArrayBuffer.isView(content) ? new Uint8Array(content) : toStream(content), { status, headers });
}

/** Reads the content on demand, and releases it if the reader stops. */
function toStream(content: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  const pieces = content[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await pieces.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await pieces.return?.();
    },
  });
}

function bodyOf(request: Request): SentBody | null {
  if (request.body === null) return null;
  const announced = request.headers.get('content-length');
  return {
    length: announced === null ? null : Number(announced),
    async read(limit) {
      // Reading a stream costs as much as the rest of the request. So it is used only for a body of unknown length.
      if (announced !== null) return new Uint8Array(await request.arrayBuffer());
      const pieces: Uint8Array[] = [];
      let size = 0;
      for await (const piece of request.body as AsyncIterable<Uint8Array>) {
        pieces.push(piece);
        size += piece.length;
        if (size > limit) break;
      }
      return joinPieces(pieces);
    },
    pieces: () => request.body as AsyncIterable<Uint8Array>,
  };
}

// The size of a header in addition to its characters, in bytes.
const bytesPerHeader = 200;

export class WebHeaders implements SentHeaders {
  readonly #headers: Headers;

  constructor(headers: Headers) {
    this.#headers = headers;
  }

  get(name: string): string | null {
    return this.#headers.get(name);
  }

  has(name: string): boolean {
    return this.#headers.has(name);
  }

  weigh(): number {
    let bytes = 0;
    for (const [name, value] of this.#headers) bytes += bytesPerHeader + name.length + value.length;
    return bytes;
  }

  [Symbol.iterator](): Iterator<[string, string]> {
    return this.#headers[Symbol.iterator]();
  }
}
