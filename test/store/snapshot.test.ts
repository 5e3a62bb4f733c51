/**
 * Promise: a snapshot moves a platform from one engine to the other and back, byte for byte. What the control surface
 * keeps in the store has the same counts on each engine.
 */
import { expect, onTestFinished, test } from 'vitest';
import { openSqlite } from '../../mocks/sandbox/node/sqlite/sqlite.ts';
import { must, openSandbox, type TestSandbox } from '../support/sandbox/harness.ts';
import { openPlatform } from '../support/sandbox/platforms.ts';
import { openAgentStage } from '../support/scenes/agents.ts';
import { openSignedInWallet } from '../support/scenes/builders.ts';
import { openOwner, quote, transferOut } from '../support/scenes/transfers.ts';

const take = async (sandbox: TestSandbox) => JSON.stringify((await sandbox.control('GET', '/snapshot')).body);
const put = async (sandbox: TestSandbox, text: string) => {
  const headers = { 'content-type': 'application/json' };
  expect((await sandbox.control('PUT', '/snapshot', { text, headers })).status).toBe(204);
};

async function openOnSqlite(): Promise<TestSandbox> {
  const store = await openSqlite(':memory:');
  onTestFinished(() => store.close());
  return openSandbox({ store });
}

test('from this engine to SQLite, and back', async () => {
  const [here, there] = [await openSandbox(), await openOnSqlite()];
  await openSignedInWallet(here);
  const stage = await openAgentStage(here);
  await stage.transferOut(100);
  const owner = await openOwner('003', {}, here);
  await quote(owner);
  await transferOut(owner);
  const taken = await take(here);
  await put(there, taken);
  expect(await take(there)).toBe(taken);
  must(await here.send('POST', '/customers', { body: { customerType: 'INDIVIDUAL' } }));
  await put(here, await take(there));
  expect(await take(here)).toBe(taken);
  for (const sandbox of [here, there]) await sandbox.advance(3600);
  for (const path of ['/transactions', '/customers/internal-accounts', '/agents']) {
    expect((await there.send('GET', path)).body).toEqual((await here.send('GET', path)).body);
  }
  expect((await here.control('GET', '/ledger')).body).toEqual((await there.control('GET', '/ledger')).body);
});

test('of fifty requests at once a fault rule for ten meets ten', async () => {
  const platform = await openPlatform(await openSandbox());
  must(await platform.control('PUT', '/faults', { body: { rules: [{ operation: '*', status: 503, times: 10 }] } }));
  const answers = await Promise.all(Array.from({ length: 50 }, () => platform.send('GET', '/customers')));
  expect(answers.filter(({ status }) => status === 503)).toHaveLength(10);
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(40);
});
