/** Promise: what was acknowledged is on disk, and what an earlier run has left is taken up again. */
import { expect, it } from 'vitest';
import type { CustomerList } from '../../generated/types.ts';
import { makePlaceFlags } from '../support/database.ts';
import { basic } from '../support/harness.ts';
import { startSandbox } from '../support/process.ts';

const headers = { authorization: basic('sandbox', 'sandbox'), 'content-type': 'application/json' };

it('loses no acknowledged write when the process is killed in the middle of many', async () => {
  const place = await makePlaceFlags();
  const acknowledged = new Set<string>();
  for (let round = 0; round < 3; round += 1) {
    const sandbox = await startSandbox(place);
    const aim = acknowledged.size + 60;
    const create = async (): Promise<void> => {
      while (acknowledged.size < aim) {
        const body = JSON.stringify({ customerType: 'INDIVIDUAL', currencies: ['USD'] });
        const response = await fetch(`${sandbox.base}/customers`, { method: 'POST', headers, body });
        acknowledged.add(((await response.json()) as { id: string }).id);
        if (acknowledged.size >= aim) sandbox.child.kill('SIGKILL');
      }
    };
    // Those that were in flight at the kill fail to answer, and so count as not acknowledged.
    await Promise.allSettled(Array.from({ length: 16 }, create));
    await sandbox.exit;
  }
  const again = await startSandbox(place);
  const kept = new Set<string>();
  let cursor = '';
  do {
    const page = await fetch(`${again.base}/customers?limit=100${cursor}`, { headers });
    const list = (await page.json()) as CustomerList;
    for (const { id } of list.data) kept.add(id);
    cursor = list.nextCursor === undefined ? '' : `&cursor=${list.nextCursor}`;
  } while (cursor !== '');
  expect(acknowledged.size).toBeGreaterThanOrEqual(180);
  expect([...acknowledged].filter((id) => !kept.has(id))).toEqual([]);
});

it('makes the ready-made world once: a restart on the same data neither repeats nor loses it', async () => {
  const place = await makePlaceFlags();
  const totals: number[] = [];
  for (let start = 0; start < 2; start += 1) {
    const sandbox = await startSandbox(place);
    const list = (await (await fetch(`${sandbox.base}/customers`, { headers })).json()) as CustomerList;
    totals.push(list.totalCount);
    sandbox.child.kill('SIGTERM');
    expect(await sandbox.exit).toBe(0);
  }
  expect(totals).toEqual([2, 2]);
});
