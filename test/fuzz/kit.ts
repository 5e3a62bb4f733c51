/** Runs the conformance kit on a request of the fuzz. */
import { judge } from '../../conformance/judge.ts';
import { loadContract } from '../../contract/file.ts';
import { basePath } from '../../contract/match.ts';
import type { Operation } from '../../generated/operations.ts';
import { exchangeOf } from '../../traffic/record.ts';
import type { Wire } from './stage.ts';

const contract = loadContract();

/** The rules of the kit that the request breaks. */
export function requestRules({ method }: Operation, { path, headers, text }: Wire): string[] {
  // A documented server error, so that the request is judged whatever the sandbox answered.
  const reply = { status: 500, code: 'INTERNAL_ERROR', message: 'No.' };
  const json = [['Content-Type', 'application/json']] as const;
  const exchange = exchangeOf({
    startedAt: 0,
    durationMs: 0,
    method,
    url: `http://localhost${basePath}${path}`,
    requestHeaders: [...Object.entries(headers), ...(text === undefined ? [] : json)],
    requestBody: text === undefined ? undefined : Buffer.from(text),
    status: 500,
    responseHeaders: json,
    responseBody: JSON.stringify(reply),
  });
  const verdict = judge(contract, exchange);
  return verdict.kind === 'skipped' ? [verdict.reason] : verdict.breaches.map(({ rule }) => rule);
}
