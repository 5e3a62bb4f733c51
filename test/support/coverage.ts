/** Every answer of the contract that a test receives goes into the run's ledger (see reporter.ts). */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { operations, version } from '../../generated/operations.ts';

const routes = operations.map(({ id, method, path }) => ({
  id,
  method,
  pattern: new RegExp(`^/${version}${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
}));
const noted = new Set<string>();

/** One answer that a test received: of which operation, with which status and, for a refusal, which code. */
export interface LedgerEntry {
  /** `transport` for a refusal that belongs to no operation's path. */
  readonly operationId: string;
  readonly status: number;
  readonly code?: string;
}

/**
 * What an answer proves of the sandbox: nothing for one that was asked for by name (`Preference-Applied`), for that is
 * the contract's own example, nor one in a media type that is not declared; else the operation whose path the request has, the status, and the code of a refusal.
 * The response can still be read afterwards.
 */
export async function entryOf(
  request: { readonly method: string; readonly url: string },
  response: Response,
): Promise<LedgerEntry | undefined> {
  if (response.headers.has('preference-applied')) return undefined;
  // In another media type than the declared one it would be another answer (mirror.test.ts: JSON, and none with 204).
  const mediaType = response.headers.get('content-type');
  if (mediaType !== (response.status === 204 ? null : 'application/json')) return undefined;
  const { pathname } = new URL(request.url);
  const route = routes.find(({ method, pattern }) => method === request.method && pattern.test(pathname));
  const { status } = response;
  if (status < 400) return route && { operationId: route.id, status };
  if (route === undefined && !pathname.startsWith(`/${version}/`)) return undefined;
  const { code } = (await response
    .clone()
    .json()
    .catch(() => ({}))) as { code?: string };
  return { operationId: route?.id ?? 'transport', status, ...(code === undefined ? {} : { code }) };
}

/** Notes an answer in the ledger of this run, once. */
export async function noteAnswer(request: Parameters<typeof entryOf>[0], response: Response): Promise<void> {
  const folder = process.env['COUNTERSIGN_LEDGER'];
  const entry = folder === undefined ? undefined : await entryOf(request, response);
  if (folder === undefined || entry === undefined) return;
  const line = `${JSON.stringify(entry)}\n`;
  if (noted.has(line)) return;
  noted.add(line);
  appendFileSync(join(folder, `${process.pid}.jsonl`), line);
}
