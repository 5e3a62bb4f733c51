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
  /** The length of `text` in UTF-8, if it is known. */
  readonly bytes?: number;
  /**
   * Content that isn't JSON and isn't kept in memory, in pieces. `headers` describe it. It opens nothing before it is
   * read.
   */
  readonly stream?: AsyncIterable<Uint8Array>;
}

/** Serialises the body of a reply, so that nobody after this serialises or measures it again. */
export function serialise(reply: OutgoingReply): OutgoingReply {
  if (reply.body === undefined || reply.text !== undefined) return reply;
  const text = JSON.stringify(reply.body);
  return { ...reply, text, bytes: utf8Length(text) };
}

/**
 * Builds the reply that is sent: JSON, and `no-store` for caches, unless its headers say otherwise.
 * @param common headers that every reply gets.
 */
export function send(reply: OutgoingReply, common?: Readonly<Record<string, string>>): Reply {
  if (reply.status === noAnswer.status) return noAnswer;
  const written = serialise(reply);
  return { status: reply.status, headers: headersOf(written, common), content: written.text ?? reply.stream };
}

/** The headers that {@link send} adds to a serialised reply. */
export function headersOf(
  { headers, text, bytes }: OutgoingReply,
  common?: Readonly<Record<string, string>>,
): Record<string, string> {
  // Each side may name headers that the reply varies by, and headers that a page may read. The two lists are joined.
  const both = { ...addUp('Vary', headers, common), ...addUp('Access-Control-Expose-Headers', headers, common) };
  if (text === undefined) return { 'Cache-Control': 'no-store', ...headers, ...common, ...both };
  return {
    'Content-Type': 'application/json',
    'Content-Length': String(bytes ?? utf8Length(text)),
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
