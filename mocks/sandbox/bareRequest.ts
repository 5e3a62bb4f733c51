import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

// What an address can be made of without looking twice; any other Host is for whoever knows what to say about it.
const plainHost = /^[a-z0-9.-]+(?::\d+)?$/;

/**
 * A read as it is: as much of a `Request` as is asked of one that has no body, at a third of the price. For anything that
 * is not as simple, a body, a header that is there twice, a Host out of the ordinary, there is none.
 */
export function bareRequest(incoming: IncomingMessage): Request | undefined {
  const { method, url = '', headers, rawHeaders } = incoming;
  const { host = '' } = headers;
  const isSimple =
    method === 'GET' &&
    url.startsWith('/') &&
    plainHost.test(host) &&
    headers['content-length'] === undefined &&
    headers['transfer-encoding'] === undefined &&
    headers.expect === undefined &&
    // Node keeps the first of some and joins others; of a `Request` all are joined.
    Object.keys(headers).length * 2 === rawHeaders.length;
  if (!isSimple) return undefined;
  const bare = { method, url: `http://${host}${url}`, headers: new BareHeaders(headers) };
  return bare as unknown as Request;
}

/** The head of any request, as far as a refusal needs it. */
export function bareHead({ method = 'GET', headers }: IncomingMessage): {
  readonly method: string;
  readonly headers: Pick<Headers, 'get'>;
} {
  return { method, headers: new BareHeaders(headers) };
}

// What a header takes beside its letters, in bytes, here and in the `Headers` of Node.
const bytesPerBareHeader = 40;
const bytesPerHeader = 200;

/** What headers take in memory, in bytes (measured by test/control/journalMemory.test.ts). */
export function weighHeaders(headers: Headers): number {
  if ((headers as unknown) instanceof BareHeaders) return (headers as unknown as BareHeaders).weigh();
  let bytes = 0;
  for (const [name, value] of headers) bytes += bytesPerHeader + name.length + value.length;
  return bytes;
}

/** The headers of a message as `Headers` has them, for who only reads. */
class BareHeaders implements Iterable<[string, string]> {
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

  /** Without the iterator, which takes twenty times as long: every read is weighed. */
  weigh(): number {
    let bytes = 0;
    for (const name in this.#headers) bytes += bytesPerBareHeader + name.length + (this.#headers[name]?.length ?? 0);
    return bytes;
  }

  *[Symbol.iterator](): Iterator<[string, string]> {
    for (const name of Object.keys(this.#headers).sort()) yield [name, this.get(name) ?? ''];
  }
}
