import type { Entry } from 'har-format';
import type { FoundedBreach } from '../../../conformance/rules/rule.ts';
import { harHeadBy, harParts, sandboxCreator, toEntry, writeEntry } from '../../../traffic/record.ts';
import type { JournalEntry } from '../telemetry/journalEntry.ts';
import { nextTurn } from '../tools/clock.ts';
import { Problem } from '../tools/problem.ts';
import type { ControlHandlers } from './route.ts';

/**
 * The platform's latest requests and replies, secrets masked. The journal is a record, not state, so a reset doesn't
 * empty it.
 */
export const journalHandlers = {
  getJournal: {
    async handle({ query: { format, limit }, requester, parts }) {
      const { platformId } = requester;
      const stream =
        format === 'har'
          ? writeAll(parts.journal.read(platformId, limit, 'oldest first'), archive)
          : writeAll(parts.journal.read(platformId, limit), list);
      return { status: 200, stream, headers: { 'Content-Type': 'application/json' } };
    },
  },
  getExchange: {
    async handle({ path: { exchangeId }, requester, parts }) {
      const entry = parts.journal.find(requester.platformId, Number(exchangeId));
      if (entry === undefined)
        throw new Problem(
          'NOT_FOUND',
          "The journal doesn't have this exchange. It may have been dropped to make room.",
        );
      // The code that judges is loaded when a verdict is asked for.
      const [{ judge }, { toExchange }] = await Promise.all([
        import('../../../conformance/judge.ts'),
        import('../../../conformance/entry.ts'),
      ]);
      const verdict = judge(parts.contract, toExchange(toEntry(entry)));
      const breaches = verdict.kind === 'judged' ? verdict.breaches : [];
      return { status: 200, body: { ...showEntry(entry), findings: breaches.map(showFinding) } };
    },
  },
  deleteJournal: {
    async handle({ requester, parts }) {
      parts.journal.empty(requester.platformId);
      return { status: 204 };
    },
  },
} satisfies Pick<ControlHandlers, 'getJournal' | 'getExchange' | 'deleteJournal'>;

interface Format {
  readonly head: string;
  readonly write: (entry: JournalEntry) => string;
  readonly separator: string;
  readonly tail: string;
}

const list: Format = {
  head: '{"data":[',
  write: (entry) => JSON.stringify(showEntry(entry)),
  separator: ',',
  tail: ']}',
};

const archive: Format = {
  head: harHeadBy(sandboxCreator),
  write: (entry) => writeEntry(toHar(entry)),
  separator: ',\n',
  tail: harParts.tail,
};

/** A piece is sent when it has this many characters. */
const pieceLength = 65_536;

/** Writes entries one by one, because masking all of them takes long. Between two pieces, others get their turn. */
async function* writeAll(entries: Iterable<JournalEntry>, format: Format): AsyncGenerator<Uint8Array> {
  const utf8 = new TextEncoder();
  let text = format.head;
  let separator = '';
  for (const entry of entries) {
    text += separator + format.write(entry);
    separator = format.separator;
    if (text.length < pieceLength) continue;
    yield utf8.encode(text);
    text = '';
    await nextTurn();
  }
  yield utf8.encode(text + format.tail);
}

function showFinding({ in: place, pointer, rule, message, basis }: FoundedBreach) {
  return { in: place, pointer, rule, message, basis: basis.level, decisions: [...basis.decisions] };
}

/** Shows an entry to a reader: bodies as JSON. */
export function showEntry(entry: JournalEntry) {
  const { id, operationId, withheld, fault } = entry;
  const { startedDateTime, time, request, response } = toEntry(entry);
  const { method, url, postData } = request;
  return {
    id: String(id),
    ...(operationId !== null && { operationId }),
    startedAt: startedDateTime,
    durationMs: time,
    request: { method, url, headers: headersOf(request.headers), ...bodyOf(postData) },
    response: {
      ...showReply(response),
      ...(withheld && { withheld: showReply(toEntry({ ...entry, ...withheld }).response) }),
    },
    ...(fault && { fault }),
  };
}

function showReply({ status, headers, content }: Entry['response']) {
  return { status, headers: headersOf(headers), ...bodyOf(content) };
}

function headersOf(listed: readonly { name: string; value: string }[]): Record<string, string> {
  return Object.fromEntries(listed.map(({ name, value }) => [name, value]));
}

/** Writes an entry for a HAR file. HAR has no place for a fault rule, so it is in fields of our own. */
function toHar(entry: JournalEntry): Entry {
  const { withheld, fault } = entry;
  const written = toEntry(entry);
  if (fault === undefined) return written;
  const comment = written.response.status === 0 ? 'A fault rule broke the connection: no reply was sent.' : undefined;
  return {
    ...written,
    response: { ...written.response, ...(comment && { comment }) },
    comment: 'A fault rule of the control surface acted on this request.',
    _fault: fault,
    ...(withheld && { _withheld: toEntry({ ...entry, ...withheld }).response }),
  } as Entry;
}

/** Shows text that isn't JSON. If a body wasn't kept, it shows the reason. */
function bodyOf(content: { text?: string | undefined; comment?: string | undefined } | undefined): { body?: unknown } {
  if (content?.comment !== undefined) return { body: content.comment };
  if (content?.text === undefined) return {};
  try {
    return { body: JSON.parse(content.text) };
  } catch {
    return { body: content.text };
  }
}
