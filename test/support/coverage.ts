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

/** Notes that the operation which this request names was answered with this status. */
export function noteAnswer(request: { method: string; url: string }, status: number): void {
  const folder = process.env['COUNTERSIGN_LEDGER'];
  const { pathname } = new URL(request.url);
  const route = routes.find(({ method, pattern }) => method === request.method && pattern.test(pathname));
  if (folder === undefined || route === undefined) return;
  const line = `${JSON.stringify({ operationId: route.id, status })}\n`;
  if (noted.has(line)) return;
  noted.add(line);
  appendFileSync(join(folder, `${process.pid}.jsonl`), line);
}
