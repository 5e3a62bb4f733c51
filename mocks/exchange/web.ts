/** Requests of the web platform: what `fetch` of a sandbox in process takes and gives. */
import {
  type ExchangeHandler,
  type ExchangeRequest,
  joinPieces,
  type Reply,
  type SentBody,
  type SentHeaders,
} from './exchange.ts';

/** What a call of `fetch` gets in place of a reply that never comes. */
export class ConnectionDropped extends TypeError {
  constructor() {
    super('The connection was dropped by a fault rule of the control surface');
    this.name = 'ConnectionDropped';
  }
}

/**
 * An exchange in the shape of `fetch`.
 * @throws ConnectionDropped in place of a reply, where there is none.
 */
export function toFetch(exchange: ExchangeHandler): (request: Request) => Promise<Response> {
  return async (request) => {
    const reply = await exchange(fromRequest(request));
    if (reply.status === 0) throw new ConnectionDropped();
    return toResponse(reply, request.method);
  };
}

/** A web request as one that can be answered. Its address is as a `URL` has it, dots resolved. */
export function fromRequest(request: Request): ExchangeRequest {
  const { method, url } = request;
  const [, origin = '', rest = url] = /^(https?:\/\/[^/?#]*)([^#]*)/.exec(url) ?? [];
  const address = rest.startsWith('/') ? rest : `/${rest}`;
  return { method, origin, address, headers: new WebHeaders(request.headers), body: bodyOf(request) };
}

/** @param method of the request: HEAD gets no content. */
export function toResponse({ status, headers, content }: Reply, method: string): Response {
  if (content === undefined || method === 'HEAD') return new Response(null, { status, headers });
  if (typeof content === 'string') return new Response(content, { status, headers });
  return new Response(ArrayBuffer.isView(content) ? new Uint8Array(content) : toStream(content), { status, headers });
}

/** Takes from the content what is asked for, and lets go of it when nobody reads on. */
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
      // A stream per request costs as much as all the rest, so only a body of unknown length is read as one.
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
  };
}

// What a header takes beside its letters, in bytes.
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
