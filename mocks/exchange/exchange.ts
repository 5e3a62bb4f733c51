/**
 * A request and its reply, independent of the server. The sandbox and the mock see HTTP only in this form. `node.ts`
 * makes it from Node's server, and `web.ts` from a web `Request`.
 */

/** The headers of a request, by names in any letter case. */
export interface SentHeaders extends Iterable<[name: string, value: string]> {
  /**
   * Null if the header is missing, which isn't the same as empty. Several headers of one name are joined with commas.
   */
  get(name: string): string | null;
  has(name: string): boolean;
  /** Their size in memory, in bytes (measured by test/control/journalMemory.test.ts). */
  weigh(): number;
}

/** A body that hasn't been read yet. */
export interface SentBody {
  /** The announced length in bytes; null if the body is sent in pieces. */
  readonly length: number | null;
  /**
   * Reads the whole body, once, into new memory. It stops soon after the limit; the result is then longer than the
   * limit.
   * @throws Error if the sender stops before the end.
   */
  read(limit: number): Promise<Uint8Array>;
  /**
   * Reads the body piece by piece instead. A piece can be used until the next one is asked for.
   * @throws Error if the sender stops before the end.
   */
  pieces(): AsyncIterable<Uint8Array>;
}

export interface ExchangeRequest {
  /** In capitals, as sent. */
  readonly method: string;
  /** Scheme, host and port of the request: `http://localhost:4010`. */
  readonly origin: string;
  /** Path and query as they were sent, still encoded and not resolved. Starts with a slash, has no fragment. */
  readonly address: string;
  readonly headers: SentHeaders;
  /** Null if none is announced. */
  readonly body: SentBody | null;
}

export interface Reply {
  /** 0 for {@link noAnswer}. */
  readonly status: number;
  /** All headers, with their spelling, in their order. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * Absent for no content. A stream must hold no resources before it is read, because for HEAD the content is never
   * read.
   */
  readonly content?: string | Uint8Array | AsyncIterable<Uint8Array> | undefined;
}

/** Instead of a reply, the connection breaks, as on a bad network. */
export const noAnswer: Reply = { status: 0, headers: {} };

/** Answers requests. It never rejects: errors become replies too. */
export type ExchangeHandler = (request: ExchangeRequest) => Promise<Reply>;

/** The whole address of a request. */
export function urlOf({ origin, address }: Pick<ExchangeRequest, 'origin' | 'address'>): string {
  return origin + address;
}

/** Path and query of an address. The query has its question mark; it is empty if there is none. */
export function splitAddress(address: string): { readonly path: string; readonly search: string } {
  const at = address.indexOf('?');
  return at < 0 ? { path: address, search: '' } : { path: address.slice(0, at), search: address.slice(at) };
}

/** The parameters of a request's query, decoded. */
export function queryOf({ address }: Pick<ExchangeRequest, 'address'>): URLSearchParams {
  return new URLSearchParams(splitAddress(address).search);
}

/**
 * Joins the pieces of a body into a copy. A small piece may be part of a larger buffer, which would stay in memory with
 * it.
 */
export function joinPieces(pieces: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(pieces.reduce((size, piece) => size + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    joined.set(piece, at);
    at += piece.length;
  }
  return joined;
}
