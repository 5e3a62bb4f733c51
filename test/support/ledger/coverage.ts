/**
 * Notes every answer of the contract that a test receives in the run's ledger (see reporter.ts), and every name of the
 * contract that its request and reply contain (see ledgerWatch.ts).
 */
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { operations, version } from '../../../generated/operations.ts';
import { handlers } from '../../../mocks/sandbox/registry/handlers.ts';
import type { ContractDocument } from '../../../scripts/lib/contract.ts';
import type { Answered } from './answered.ts';
import { type LedgerNames, readLedgerNames } from './ledgerNames.ts';
import { seeReply, type Watched, watchHandlers } from './ledgerWatch.ts';

const routes = operations.map(({ id, method, path }) => ({
  id,
  method,
  pattern: new RegExp(`^/${version}${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
}));
const noted = new Set<string>();

/** An answer that a test received: its operation, its status and, for an error, its code. */
export interface LedgerEntry {
  /** `transport` for an error that belongs to no operation's path. */
  readonly operationId: string;
  readonly status: number;
  readonly code?: string;
}

/**
 * The ledger entry that an answer proves: the operation whose path the request has, the status, and an error's code.
 * Two answers prove nothing: one that was asked for by name (`Preference-Applied`), because it is the contract's own
 * example, and one in an undeclared media type.
 */
export async function entryOf(
  request: { readonly method: string; readonly url: string },
  response: Answered,
): Promise<LedgerEntry | undefined> {
  return (await readAnswer(request, response))?.entry;
}

/** The entry, and the body of an error. */
async function readAnswer(
  request: { readonly method: string; readonly url: string },
  response: Answered,
): Promise<{ readonly entry: LedgerEntry; readonly body?: unknown } | undefined> {
  if (response.headers.has('preference-applied')) return undefined;
  // In another media type it would be a different answer (mirror.test.ts: JSON, and none with 204).
  const mediaType = response.headers.get('content-type');
  if (mediaType !== (response.status === 204 ? null : 'application/json')) return undefined;
  const { pathname } = new URL(request.url);
  const route = routes.find(({ method, pattern }) => method === request.method && pattern.test(pathname));
  const { status } = response;
  if (status < 400) return route && { entry: { operationId: route.id, status } };
  if (route === undefined && !pathname.startsWith(`/${version}/`)) return undefined;
  const body = parse(await response.text());
  const code = body.code === undefined ? {} : { code: body.code };
  return { entry: { operationId: route?.id ?? 'transport', status, ...code }, body };
}

function parse(text: string): { readonly code?: string } {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

/** Notes an answer in this run's ledger, once. */
export async function noteAnswer(request: Parameters<typeof entryOf>[0], response: Answered): Promise<void> {
  if (process.env['COUNTERSIGN_LEDGER'] === undefined) return;
  const answer = await readAnswer(request, response);
  if (answer === undefined) return;
  const { operationId, status } = answer.entry;
  note('jsonl', JSON.stringify(answer.entry));
  for (const { name, key } of ownNames().headers(operationId, status)) {
    if (response.headers.has(name)) noteName(key);
  }
  seeReply(ownNames().reply(operationId, status), answer.body, noteName);
}

/** Notes the names in a sandbox's requests and replies; undefined if this run keeps no ledger. */
export function watchForLedger(): Watched | undefined {
  if (process.env['COUNTERSIGN_LEDGER'] === undefined) return undefined;
  return watchHandlers(ownNames(), handlers, noteName);
}

// Names that were seen are removed from the search, so all sandboxes of a process share one record.
const ownNames = once(() => readLedgerNames(readBundle()));

function readBundle(): ContractDocument {
  return JSON.parse(
    readFileSync(new URL('../../../generated/openapi.json', import.meta.url), 'utf8'),
  ) as ContractDocument;
}

function once(make: () => LedgerNames): () => LedgerNames {
  let made: LedgerNames | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

function noteName(key: string): void {
  note('names', key);
}

/** Writes a line to this process's file, once. */
function note(kind: 'jsonl' | 'names', line: string): void {
  const folder = process.env['COUNTERSIGN_LEDGER'];
  if (folder === undefined || noted.has(line)) return;
  noted.add(line);
  appendFileSync(join(folder, `${process.pid}.${kind}`), `${line}\n`);
}
