/** Promise: a sandbox continues with the data of an earlier run. `../crash` tests what a killed process leaves. */
import { expect, it } from 'vitest';
import type { CustomerList } from '../../generated/types.ts';
import { startSandbox } from '../support/process/process.ts';
import { makePlaceFlags } from '../support/sandbox/database.ts';
import { basic } from '../support/sandbox/harness.ts';

const headers = { authorization: basic('sandbox', 'sandbox'), 'content-type': 'application/json' };

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
