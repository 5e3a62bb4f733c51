/**
 * Promise: behind a PgBouncer with default settings, in session and in transaction mode, any number of processes are
 * one sandbox. In statement mode the start fails with one line (docs/how-to/postgresql.md).
 */
import { expect, test } from 'vitest';
import { run, startSandbox } from '../support/process/process.ts';
import { makeDatabase } from '../support/sandbox/database.ts';
import { basic } from '../support/sandbox/harness.ts';
import { startPgBouncer } from '../support/sandbox/pgbouncer.ts';

const headers = { authorization: basic('sandbox', 'sandbox'), 'content-type': 'application/json' };
const customer = JSON.stringify({ customerType: 'INDIVIDUAL' });

test.each(['session', 'transaction'] as const)('case 140: two processes behind %s pooling', async (mode) => {
  const url = await startPgBouncer(await makeDatabase({ empty: true }), mode);
  const both = await Promise.all([startSandbox(['--database', url]), startSandbox(['--database', url])]);
  const post = (turn: number, path: string, body: string | null) =>
    fetch((both[turn % 2] as (typeof both)[0]).base + path, { method: 'POST', headers, body });

  // Many simultaneous requests, to two processes that share a few connections.
  const made = await Promise.all(Array.from({ length: 40 }, (_, turn) => post(turn, '/customers', customer)));
  expect(made.map(({ status }) => status)).toEqual(made.map(() => 201));
  const ids = await Promise.all(made.map(async (response) => ((await response.json()) as { id: string }).id));
  const reads = await Promise.all(
    ids.map((id, turn) => fetch(`${both[(turn + 1) % 2]?.base}/customers/${id}`, { headers })),
  );
  expect(reads.map(({ status }) => status)).toEqual(reads.map(() => 200));

  // Something that can happen once happens once.
  const redeem = (turn: number) => post(turn, '/agents/device-codes/AGENT-DEMO-2025/redeem', null);
  const redeemed = await Promise.all(Array.from({ length: 8 }, (_, turn) => redeem(turn)));
  expect(redeemed.filter(({ ok }) => ok)).toHaveLength(1);
  for (const { base } of both) {
    expect(await (await fetch(`${base}/customers`, { headers })).json()).toMatchObject({ totalCount: 42 });
    expect(await (await fetch(new URL('/__sandbox/ledger', base), { headers })).json()).toMatchObject({ sound: true });
  }
});

test('statement pooling is refused, and the line says which modes work', async () => {
  const url = await startPgBouncer(await makeDatabase({ empty: true }), 'statement');
  const started = run('cli/countersign.mjs', ['start', '--port', '0', '--database', url]);
  expect([await started.exit, started.output()]).toEqual([
    2,
    expect.stringMatching(/^Can't use the database .*set pool_mode of the pooler to transaction or session\.\n$/),
  ]);
});

test('a setting in the address that the pooler refuses is named', async () => {
  const url = await startPgBouncer(await makeDatabase({ empty: true }), 'transaction');
  const started = run('cli/countersign.mjs', ['start', '--port', '0', '--database', `${url}&lock_timeout=5`]);
  expect([await started.exit, started.output()]).toEqual([
    2,
    expect.stringMatching(/unsupported startup parameter: lock_timeout\. The pooler refuses a setting of the address/),
  ]);
});
