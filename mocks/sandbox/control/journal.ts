import { sandboxCreator, toEntry, writeHar } from '../../../traffic/record.ts';
import type { JournalEntry } from '../telemetry/journal.ts';
import type { ControlHandlers } from './route.ts';

/** What the platform was asked last and what it answered, secrets masked. It is a record and no state: a reset leaves it. */
export const journalHandlers = {
  getJournal: {
    async handle({ query: { format, limit }, requester, parts }) {
      const entries = parts.journal.read(requester.platformId).slice(0, limit);
      // Completion decides which are the newest; a HAR file goes from the oldest on.
      if (format === 'har') return { status: 200, text: writeHar(entries.toReversed().map(toEntry), sandboxCreator) };
      return { status: 200, body: { data: entries.map(show) } };
    },
  },
  deleteJournal: {
    async handle({ requester, parts }) {
      parts.journal.empty(requester.platformId);
      return { status: 204 };
    },
  },
} satisfies Pick<ControlHandlers, 'getJournal' | 'deleteJournal'>;

/** An entry for a reader: bodies as JSON. */
function show({ operationId, ...exchange }: JournalEntry) {
  const { startedDateTime, time, request, response } = toEntry(exchange);
  const headers = (listed: readonly { name: string; value: string }[]) =>
    Object.fromEntries(listed.map(({ name, value }) => [name, value]));
  const { method, url, postData } = request;
  const { status, content } = response;
  return {
    operationId,
    startedAt: startedDateTime,
    durationMs: time,
    request: { method, url, headers: headers(request.headers), ...bodyOf(postData) },
    response: { status, headers: headers(response.headers), ...bodyOf(content) },
  };
}

/** Text where it is not JSON, and why there is none where there was a body. */
function bodyOf(content: { text?: string | undefined; comment?: string | undefined } | undefined): { body?: unknown } {
  if (content?.comment !== undefined) return { body: content.comment };
  if (content?.text === undefined) return {};
  try {
    return { body: JSON.parse(content.text) };
  } catch {
    return { body: content.text };
  }
}
