/**
 * Promise: closed sandboxes leave nothing in memory, and a busy one uses no more than its limits and its records
 * (package/README.md).
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { loadContract } from '../../contract/file.ts';
import { byLength } from '../support/run/length.ts';

/** The memory in use after `count`, and after four times as many. */
async function measure(kind: string, count: number): Promise<[number, number]> {
  const args = ['--expose-gc', 'test/support/process/growth.ts', kind, String(count)];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return JSON.parse(stdout);
}

// A sandbox of the package contains one of the app, and more.
test.each(byLength(['package'], ['package', 'app']))(
  'closed sandboxes of the %s release their memory',
  async (kind) => {
    const [few, many] = await measure(kind, byLength(5, 50));
    expect(many / few).toBeLessThan(1.15);
  },
);

test('the contract is read and compiled once for all of them', () => {
  expect(loadContract()).toBe(loadContract());
});

test('a sandbox uses no more memory after four times as much work', async () => {
  // Enough requests to fill the journal at the first measurement.
  const [little, much] = await measure('busy', byLength(600, 5000));
  expect(much / little).toBeLessThan(1.25);
});
