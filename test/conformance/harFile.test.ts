/** Promise: the recording of the proxy has a bound. It stays readable when it is full, and it says so once. */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Har } from 'har-format';
import { expect, test } from 'vitest';
import { openHarFile } from '../../cli/proxy/harFile.ts';
import type { Capture } from '../../traffic/capture.ts';
import { toEntry } from '../../traffic/record.ts';
import { temporaryFolder } from '../support/sandbox/folder.ts';

const exchange: Capture = {
  startedAt: 0,
  durationMs: 1,
  method: 'GET',
  url: 'http://localhost/2025-10-13/customers',
  requestHeaders: [],
  requestBody: undefined,
  status: 200,
  responseHeaders: [['content-type', 'application/json']],
  responseBody: Buffer.from(JSON.stringify({ data: [], text: 'x'.repeat(1000) })),
};

test('a recording that is full takes nothing more, stays readable, and says so once', () => {
  const path = join(temporaryFolder(), 'live.har');
  const limit = 10_000;
  const said: number[][] = [];
  const file = openHarFile(path, { limit, onFull: (...facts) => said.push(facts) });
  for (let count = 0; count < 50; count += 1) file.add(toEntry(exchange));
  // A small one that would still fit would make a gap.
  file.add(toEntry({ ...exchange, responseBody: undefined }));
  file.close();
  const { entries } = (JSON.parse(readFileSync(path, 'utf8')) as Har).log;
  expect(entries.length).toBeGreaterThan(2);
  expect(entries.length).toBeLessThan(50);
  expect(statSync(path).size).toBeLessThanOrEqual(limit);
  expect(entries.map(({ response }) => response.content.size > 1000)).toEqual(entries.map(() => true));
  expect(said).toEqual([[entries.length, limit]]);
});
