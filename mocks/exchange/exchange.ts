/**
 * A request and its reply, independent of the server. The sandbox and the mock see HTTP only in this form: `node.ts` makes it
 * from Node's server, and `web.ts` from a web `Request`.
 */

/** The headers of a request, by names in any letter case. */
export interface SentHeaders extends Iterable<[name: string, value: string]> {
  /** Null for one that is missing, which an empty one is not. Several of a name are one, with commas. */
  get(name: string): string | null;
  has(name: string): boolean;
  /** What they take in memory, in bytes (measured by test/control/journalMemory.test.ts). */
  weigh(): number;
}

/** A body that has not been read. */
export interface SentBody {
  /** As announced, in bytes; null for one that comes in pieces until it ends. */
  readonly length: number | null;
  /**
   * Reads all of it, once, into memory of its own. Stops soon after the limit: what it gives is then longer.
   * @throws Error when the sender breaks off.
   */
  read(limit: number): Promise<Uint8Array>;
}

export interface ExchangeRequest {
  /** In capitals, as sent. */
  readonly method: string;
  /** Scheme, host and port under which the request was sent: `http://localhost:4010`. */
  readonly origin: string;
  /** Path and query as they were sent, still encoded: nothing is resolved. Begins with a slash, has no fragment. */
  readonly address: string;
  readonly headers: SentHeaders;
  /** Null where none is announced. */
  readonly body: SentBody | null;
}

export interface Reply {
  /** 0 for {@link noAnswer}. */
  readonly status: number;
  /** All of them, as they are to be spelt, in their order. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * Left out for no content. A stream must hold nothing before it is read: the code that carries the reply of a HEAD leaves the
   * content away.
   */
  readonly content?: string | Uint8Array | AsyncIterable<Uint8Array> | undefined;
}

/** In place of a reply: the connection is to break, as a network would have it. */
export const noAnswer: Reply = { status: 0, headers: {} };

/** Answers requests. Never rejects: what goes wrong is a reply too. */
export type ExchangeHandler = (request: ExchangeRequest) => Promise<Reply>;

/** The whole address of a request. */
export function urlOf({ origin, address }: Pick<ExchangeRequest, 'origin' | 'address'>): string {
  return origin + address;
}

/** Path and query of an address; the query with its question mark, empty where there is none. */
export function splitAddress(address: string): { readonly path: string; readonly search: string } {
  const at = address.indexOf('?');
  return at < 0 ? { path: address, search: '' } : { path: address.slice(0, at), search: address.slice(at) };
}

/** The parameters of a request's query, decoded. */
export function queryOf({ address }: Pick<ExchangeRequest, 'address'>): URLSearchParams {
  return new URLSearchParams(splitAddress(address).search);
}

/** The pieces of a body as one, copied: a small piece may be a part of a larger buffer, which would be kept with it. */
export function joinPieces(pieces: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(pieces.reduce((size, piece) => size + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    joined.set(piece, at);
    at += piece.length;
  }
  return joined;
}
