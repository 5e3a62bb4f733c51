import type { Fault } from '../../../contract/faults.ts';
import { sandboxCreator, toEntry, writeHar } from '../../../traffic/record.ts';
import { queryOf } from '../../exchange/exchange.ts';
import { type JournalEntry, journalBounds } from '../telemetry/journal.ts';
import { invalid } from '../tools/problem.ts';
import type { ControlRoute } from './route.ts';

/**
 * `GET /journal`: what the platform was asked last and what it answered, secrets masked. It is a record and no state, so
 * a reset leaves it; `DELETE /journal` empties it.
 */
export const journalRoutes: readonly ControlRoute[] = [
  {
    method: 'GET',
    path: '/journal',
    needs: 'manager',
    async handle({ request, requester, parts }) {
      const { format, limit } = readWish(queryOf(request));
      const entries = parts.journal.read(requester.platformId).slice(0, limit);
      // Completion decides which are the newest; a HAR file goes from the oldest on.
      if (format === 'har') return { status: 200, text: writeHar(entries.toReversed().map(toEntry), sandboxCreator) };
      return { status: 200, body: { data: entries.map(show) } };
    },
  },
  {
    method: 'DELETE',
    path: '/journal',
    needs: 'manager',
    async handle({ requester, parts }) {
      parts.journal.empty(requester.platformId);
      return { status: 204 };
    },
  },
];

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

/** @throws Problem 400 for another format, a limit out of bounds, and what is no parameter. */
function readWish(query: URLSearchParams): { format: string; limit: number } {
  const faults: Fault[] = [];
  const refuse = (name: string, message: string) => faults.push({ in: 'query', pointer: `/${name}`, message });
  for (const name of query.keys()) if (!['format', 'limit'].includes(name)) refuse(name, 'is not a parameter of it');
  const { format = 'json', limit = String(journalBounds.entries) } = Object.fromEntries(query);
  if (!['har', 'json'].includes(format)) refuse('format', 'must be one of har, json');
  if (!/^[1-9]\d{0,3}$/.test(limit) || Number(limit) > journalBounds.entries) {
    refuse('limit', `must be a whole number from 1 to ${journalBounds.entries}`);
  }
  if (faults.length > 0) throw invalid(faults);
  return { format, limit: Number(limit) };
}
