/** Shows an exchange as a shell command and as a call of the client. */
import type { JournalEntry } from '../../generated/controlTypes.ts';
import { type OperationFacts, operations, version } from '../../generated/operations.ts';

/** The operation of an exchange. */
export function operationOf({ operationId }: Pick<JournalEntry, 'operationId'>): OperationFacts | undefined {
  return operations.find(({ id }) => id === operationId);
}

/** The parts of an exchange that are sent again. */
export type Sent = Pick<JournalEntry['request'], 'method' | 'url' | 'headers' | 'body'>;

// The connection, the browser or the credentials add these headers.
const notSent =
  /^(?:accept.*|authorization|connection|content-length|content-type|dnt|host|origin|referer|sec-.*|user-agent|x-request-id|cookie|priority|cache-control|pragma)$/i;

/** The headers that matter to the operation. */
export function ownHeaders({ headers }: Pick<Sent, 'headers'>): [name: string, value: string][] {
  return Object.entries(headers).filter(([name]) => !notSent.test(name));
}

export function writeCurl(request: Sent, user: string, isAgent: boolean): string {
  const { method, url, body } = request;
  const who = isAgent ? `-H 'Authorization: Bearer ACCESS_TOKEN'` : `-u ${quote(user)}`;
  const headers = ownHeaders(request).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`);
  const json = body === undefined ? [] : [`-H 'Content-Type: application/json'`, `-d ${quote(textOf(body))}`];
  return ['curl', ...(method === 'GET' ? [] : [`-X ${method}`]), who, ...headers, ...json, quote(url)].join(' \\\n  ');
}

/** Quotes a text for a POSIX shell, unless it is plain. */
export function quote(text: string): string {
  return /^[\w:.-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

export function textOf(body: unknown): string {
  return typeof body === 'string' ? body : JSON.stringify(body, null, 2);
}

/** Writes the request as a call of the generated client. */
export function writeClientCall(request: Sent, operation: OperationFacts): string {
  const { pathname, searchParams } = new URL(request.url);
  const segments = pathname.split(`/${version}`).at(-1)?.split('/') ?? [];
  const path = Object.fromEntries(
    operation.path
      .split('/')
      .flatMap((segment, index) =>
        segment.startsWith('{') ? [[segment.slice(1, -1), decode(segments[index] ?? '')] as const] : [],
      ),
  );
  const query = Object.fromEntries(searchParams);
  const header = Object.fromEntries(ownHeaders(request));
  const given = (values: object): boolean => Object.keys(values).length > 0;
  const params = {
    ...(given(path) ? { path } : {}),
    ...(given(query) ? { query } : {}),
    ...(given(header) ? { header } : {}),
  };
  const options = {
    ...(given(params) ? { params } : {}),
    ...(request.body === undefined ? {} : { body: request.body }),
  };
  const shown = given(options) ? `, ${JSON.stringify(options, null, 2)}` : '';
  return `const { data, error } = await client.${request.method}('${operation.path}'${shown});`;
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
