import { utf8Length } from '../sandbox/node/machine/bytes.ts';
import { noAnswer, type Reply } from './exchange.ts';

/** A reply before it becomes bytes. */
export interface OutgoingReply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Undefined if there is no content. */
  readonly body?: unknown;
  /** The body as JSON, if it is already serialised. */
  readonly text?: string;
  /**
   * Content that isn't JSON and isn't kept in memory, in pieces. `headers` describe it. It opens nothing before it is
   * read.
   */
  readonly stream?: AsyncIterable<Uint8Array>;
}

/**
 * Builds the reply that is sent: JSON, and `no-store` for caches, unless its headers say otherwise.
 * @param common headers that every reply gets.
 */
export function send(reply: OutgoingReply, common?: Readonly<Record<string, string>>): Reply {
  if (reply.status === noAnswer.status) return noAnswer;
  const text = reply.text ?? (reply.body === undefined ? undefined : JSON.stringify(reply.body));
  return { status: reply.status, headers: headersOf(reply, text, common), content: text ?? reply.stream };
}

/** The headers that {@link send} adds to a reply with the body `text`. */
export function headersOf(
  { headers }: OutgoingReply,
  text: string | undefined,
  common?: Readonly<Record<string, string>>,
): Record<string, string> {
  // Each side may name headers that the reply varies by, and headers that a page may read. The two lists are joined.
  const both = { ...addUp('Vary', headers, common), ...addUp('Access-Control-Expose-Headers', headers, common) };
  if (text === undefined) return { 'Cache-Control': 'no-store', ...headers, ...common, ...both };
  return {
    'Content-Type': 'application/json',
    'Content-Length': String(utf8Length(text)),
    'Cache-Control': 'no-store',
    ...headers,
    ...common,
    ...both,
  };
}

type HeaderSet = Readonly<Record<string, string>> | undefined;

/** Joins a list header that both sides set. */
function addUp(name: string, one: HeaderSet, other: HeaderSet): Record<string, string> | undefined {
  const [own, common] = [one?.[name], other?.[name]];
  return own === undefined || common === undefined ? undefined : { [name]: `${common}, ${own}` };
}
