import { utf8Length } from '../sandbox/node/machine/bytes.ts';
import { noAnswer, type Reply } from './exchange.ts';

/** A reply on its way out, before it is bytes. */
export interface OutgoingReply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Undefined for no content. */
  readonly body?: unknown;
  /** The body as JSON, if something has serialised it already. */
  readonly text?: string;
  /** Content that is not JSON and not kept in memory, in pieces; `headers` says what it is. Nothing is opened before it is read. */
  readonly stream?: AsyncIterable<Uint8Array>;
}

/**
 * The reply as it is carried: JSON, and never kept by a cache, unless its headers say otherwise.
 * @param common headers that go with every reply.
 */
export function send(reply: OutgoingReply, common?: Readonly<Record<string, string>>): Reply {
  if (reply.status === noAnswer.status) return noAnswer;
  const text = reply.text ?? (reply.body === undefined ? undefined : JSON.stringify(reply.body));
  return { status: reply.status, headers: headersOf(reply, text, common), content: text ?? reply.stream };
}

/** The headers that {@link send} gives a reply whose body reads `text`. */
export function headersOf(
  { headers }: OutgoingReply,
  text: string | undefined,
  common?: Readonly<Record<string, string>>,
): Record<string, string> {
  // What the reply depends on adds up, and so does what a page may read of it.
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

/** A header that is a list, where both say something of it. */
function addUp(name: string, one: HeaderSet, other: HeaderSet): Record<string, string> | undefined {
  const [own, common] = [one?.[name], other?.[name]];
  return own === undefined || common === undefined ? undefined : { [name]: `${common}, ${own}` };
}
