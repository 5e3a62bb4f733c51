/**
 * Promise: a snapshot contains the whole platform. Taken, restored and taken again it is the same, byte for byte. On
 * its own platform, on another one and on another server, the platform continues from it. An invalid snapshot changes
 * nothing (docs/how-to/snapshots.md).
 */
import { describe, expect, test } from 'vitest';
import { expectRefusal, faultPlaces } from '../support/expect/apiError.ts';
import { basic, must, openSandbox, type TestSandbox } from '../support/sandbox/harness.ts';
import { openPlatform, type TestPlatform } from '../support/sandbox/platforms.ts';
import { openAgentStage } from '../support/scenes/agents.ts';
import { magic, openSignedInWallet, openWallet } from '../support/scenes/builders.ts';
import { listTransactions, openOwner, quote, transferOut } from '../support/scenes/transfers.ts';

const take = async (sandbox: TestSandbox): Promise<string> => {
  const { status, body } = await sandbox.control('GET', '/snapshot');
  expect(status).toBe(200);
  return JSON.stringify(body);
};
const put = (sandbox: TestSandbox, text: string) =>
  sandbox.control('PUT', '/snapshot', { text, headers: { 'content-type': 'application/json' } });
const putBack = async (sandbox: TestSandbox, text: string) => expect((await put(sandbox, text)).status).toBe(204);

const key = '0199e0a4-2f00-4a31-8f5e-6d0b5c2a1eff';

/** A platform with objects of every kind: customers, wallets, sessions, an agent, quotes, payments, a kept reply. */
async function openFull(sandbox: TestSandbox): Promise<TestPlatform> {
  const platform = await openPlatform(sandbox, { world: 'ready-made' });
  await openSignedInWallet(platform);
  const stage = await openAgentStage(platform);
  await stage.transferOut(100);
  const owner = await openOwner('003', {}, platform);
  const { id } = await quote(owner);
  must(await platform.send('POST', `/quotes/${id}/execute`, { headers: { 'Idempotency-Key': key } }));
  await transferOut(owner, { amount: 700 });
  must(await platform.send('POST', '/tokens', { body: { name: 'more', permissions: ['VIEW'] } }));
  return platform;
}

describe('a round trip', () => {
  test('on the platform itself: what happened since is gone, and the snapshot is the same again', async () => {
    const platform = await openFull(await openSandbox());
    const before = await take(platform);
    const list = (await platform.send('GET', '/customers')).body;
    must(await platform.send('POST', '/customers', { body: { customerType: 'INDIVIDUAL' } }));
    await platform.advance(7200);
    expect(await take(platform)).not.toBe(before);
    await putBack(platform, before);
    expect(await take(platform)).toBe(before);
    expect((await platform.send('GET', '/customers')).body).toEqual(list);
  });

  test('it has rows of every table except four', async () => {
    const { records } = JSON.parse(await take(await openFull(await openSandbox()))) as {
      records: Record<string, unknown[]>;
    };
    const empty = Object.keys(records).filter((name) => records[name]?.length === 0);
    // Only these are empty: owners and verifications of businesses, looked-up receivers, codes of real proofs.
    expect(empty.sort()).toEqual(['beneficial_owners', 'lookups', 'outbox', 'verifications']);
  });

  test('on another server: the same tokens, ids, lists, balances and kept replies', async () => {
    const here = await openFull(await openSandbox());
    const text = await take(here);
    const elsewhere = await openSandbox();
    // Another platform: it keeps its name and its token, and everything else is restored.
    const there = await openPlatform(elsewhere);
    await putBack(there, text);
    for (const path of ['/customers', '/customers/internal-accounts', '/transactions', '/agents']) {
      expect((await there.send('GET', path)).body, path).toEqual((await here.send('GET', path)).body);
    }
    expect((await there.control('GET', '/ledger')).body).toEqual((await here.control('GET', '/ledger')).body);
    const again = await take(there);
    await putBack(there, again);
    expect(await take(there)).toBe(again);
  });

  test('the default platform of another server becomes the same, its further tokens included', async () => {
    const here = await openSandbox();
    const token = (await here.send('POST', '/tokens', { body: { name: 'mine', permissions: ['VIEW'] } })).body;
    const text = await take(here);
    const there = await openSandbox({ world: JSON.parse(text) });
    expect(await take(there)).toBe(text);
    const authorization = basic(token.clientId, token.clientSecret);
    expect((await there.send('GET', '/customers', { authorization })).status).toBe(200);
    expect((await there.send('GET', '/customers')).status).toBe(200);
    must(await there.send('POST', '/customers', { body: { customerType: 'INDIVIDUAL' } }));
    expect((await there.control('POST', '/reset')).status).toBe(204);
    expect(await take(there)).toBe(text);
  });
});

describe('what continues after a restore', () => {
  test('what was due later happens later, once', async () => {
    const here = await openPlatform(await openSandbox());
    const owner = await openOwner('003', {}, here);
    const { id } = await quote(owner);
    expect((await here.send('POST', `/quotes/${id}/execute`)).status).toBe(200);
    const there = await openPlatform(await openSandbox());
    await putBack(there, await take(here));
    expect((await there.send('GET', `/quotes/${id}`)).body.status).not.toBe('COMPLETED');
    await there.advance(3600);
    expect((await there.send('GET', `/quotes/${id}`)).body.status).toBe('COMPLETED');
    expect(await listTransactions(there, 'type=OUTGOING')).toHaveLength(1);
    expect((await there.control('GET', '/ledger')).body.sound).toBe(true);
  });

  test('a signed retry that was begun before is finished after, and a wallet has the same phrase', async () => {
    const here = await openPlatform(await openSandbox());
    const { accountId } = await openSignedInWallet(here);
    const begun = await here.send('POST', `/internal-accounts/${accountId}/export`, { body: {} });
    const there = await openPlatform(await openSandbox());
    await putBack(there, await take(here));
    const finish = async (platform: TestPlatform) => {
      const headers = { 'Request-Id': begun.body.requestId, 'Service-Wallet-Signature': magic.walletSignature };
      return platform.send('POST', `/internal-accounts/${accountId}/export`, { body: {}, headers });
    };
    const [first, second] = [await finish(here), await finish(there)];
    expect([first.status, second.status]).toEqual([begun.status === 202 ? 200 : first.status, first.status]);
    const snapshot = JSON.parse(await take(there));
    expect(snapshot.state.derivationKey).toBe(JSON.parse(await take(here)).state.derivationKey);
  });

  test('a cursor of the platform itself still holds its place', async () => {
    const platform = await openPlatform(await openSandbox());
    for (let number = 0; number < 4; number += 1) await openWallet(platform);
    const { nextCursor } = (await platform.send('GET', '/customers?limit=2')).body;
    const next = (await platform.send('GET', `/customers?limit=2&cursor=${nextCursor}`)).body;
    await putBack(platform, await take(platform));
    expect((await platform.send('GET', `/customers?limit=2&cursor=${nextCursor}`)).body).toEqual(next);
  });
});

describe('values that are unique among all platforms', () => {
  test('a copy beside the original leaves the tokens, the device code and the agents to the original', async () => {
    const sandbox = await openSandbox();
    const text = await take(sandbox);
    const copy = await openPlatform(sandbox, { world: JSON.parse(text) });
    expect((await copy.send('GET', '/customers')).body).toEqual((await sandbox.send('GET', '/customers')).body);
    const ids = async (one: TestSandbox) =>
      (await one.send('GET', '/tokens')).body.data.map((token: { id: string }) => token.id);
    expect(await ids(copy)).not.toEqual(await ids(sandbox));
    const redeemed = await sandbox.send('POST', '/agents/device-codes/AGENT-DEMO-2025/redeem', { authorization: null });
    expect(redeemed.status).toBe(200);
    const authorization = `Bearer ${redeemed.body.accessToken}`;
    await putBack(copy, await take(sandbox));
    expect((await sandbox.send('GET', '/agents/me', { authorization })).status).toBe(200);
    expect((await copy.send('GET', '/agents')).body.data).toHaveLength(1);
  });

  test("the caller's token keeps working, whatever the snapshot contains", async () => {
    const sandbox = await openSandbox();
    const text = await take(sandbox);
    const token = (await sandbox.send('POST', '/tokens', { body: { name: 'late', permissions: ['VIEW', 'MANAGE'] } }))
      .body;
    const authorization = basic(token.clientId, token.clientSecret);
    const headers = { 'content-type': 'application/json' };
    expect((await sandbox.control('PUT', '/snapshot', { text, authorization, headers })).status).toBe(204);
    expect((await sandbox.send('GET', '/customers', { authorization })).status).toBe(200);
  });
});

describe('the text of a snapshot can be written by another tool', () => {
  const sorted = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(sorted);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value)
        .sort(([one], [other]) => (one < other ? 1 : -1))
        .map(([name, child]) => [name, sorted(child)]),
    );
  };
  test.each<[name: string, write: (snapshot: unknown) => string]>([
    ['indented', (snapshot) => JSON.stringify(snapshot, null, 2)],
    ['with its fields and tables in another order', (snapshot) => JSON.stringify(sorted(snapshot))],
    ['with escapes', (snapshot) => JSON.stringify(snapshot).replaceAll('Amara', '\\u0041mara')],
  ])('%s', async (_name, write) => {
    const platform = await openFull(await openSandbox());
    const before = await take(platform);
    must(await platform.send('POST', '/customers', { body: { customerType: 'INDIVIDUAL' } }));
    await putBack(platform, write(JSON.parse(before)));
    expect(await take(platform)).toBe(before);
  });
});

describe("what isn't a snapshot is refused, and nothing changes", () => {
  const changed = (change: (snapshot: Record<string, unknown>) => void) => (text: string) => {
    const snapshot = JSON.parse(text);
    change(snapshot);
    return JSON.stringify(snapshot);
  };
  test.each<[name: string, make: (text: string) => string, places: string[]]>([
    ['a list', () => '[]', ['body ']],
    ['null', () => 'null', ['body ']],
    [
      'invalid records',
      changed((one) => Object.assign(one['records'] as object, { customers: [null] })),
      ['body /records/customers/0'],
    ],
    [
      'a table of its own',
      changed((one) => Object.assign(one['records'] as object, { secrets: [] })),
      ['body /records/secrets'],
    ],
    ['another format', changed((one) => (one['format'] = 'countersign-snapshot-9')), ['body /format']],
    ['records in a list', changed((one) => (one['records'] = [])), ['body /records']],
    [
      "a table that isn't a list",
      changed((one) => Object.assign(one['records'] as object, { lookups: {} })),
      ['body /records/lookups'],
    ],
    ['no records', changed((one) => delete one['records']), ['body /records']],
    [
      'nesting beyond any record',
      (text) => text.replace('"records":', `"deep":${'['.repeat(70)}${']'.repeat(70)},"records":`),
      ['body '],
    ],
    [
      'a part beyond any record',
      (text) => text.replace('"records":', `"long":"${'x'.repeat(5 * 1024 * 1024)}","records":`),
      ['body '],
    ],
    ['text after its end', (text) => `${text}{}`, ['body ']],
    [
      'a place in the sequence before the last one',
      changed((one) => (one['records'] as { customers: object[] }).customers.reverse()),
      ['body /records/customers/1/sequence'],
    ],
    ['half of a surrogate pair', (text) => text.replace('Amara', '\\ud800'), ['body /records/customers/0/fullName']],
    ['a newer schema', changed((one) => (one['schema'] = '9999-later')), ['body /schema']],
    ['__proto__ for a schema', changed((one) => (one['schema'] = '__proto__')), ['body /schema']],
    ['a sequence that was changed', changed((one) => (one['sequence'] = 1)), ['body /digest']],
    ['no digest', changed((one) => delete one['digest']), ['body /digest']],
    ['another document', changed((one) => (one['customers'] = [])), ['body /customers']],
    ['a name that was changed', (text) => text.replace('Amara', 'Emma'), ['body /digest']],
  ])('%s', async (_name, make, places) => {
    const sandbox = await openSandbox();
    const before = await take(sandbox);
    expect(faultPlaces(expectRefusal(await put(sandbox, make(before)), 400, 'INVALID_INPUT'))).toEqual(places);
    expect(await take(sandbox)).toBe(before);
  });

  test("half of one isn't JSON, and too much is 413", async () => {
    const sandbox = await openSandbox();
    const before = await take(sandbox);
    expectRefusal(await put(sandbox, before.slice(0, -10)), 400, 'INVALID_INPUT');
    const headers = { 'content-type': 'application/json', 'content-length': String(1024 ** 3 + 1) };
    const answer = await sandbox.control('PUT', '/snapshot', { text: '{}', headers });
    expectRefusal(answer, 413, 'PAYLOAD_TOO_LARGE');
    expect(await take(sandbox)).toBe(before);
  });
});
