/**
 * Promise: a reset returns a platform to its original state: its first token, world, proofs and settings. It doesn't
 * matter who made the platform and when, or whether the sandbox has been restarted since (D54).
 */

import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { openSqlite } from '../../mocks/sandbox/node/sqlite/sqlite.ts';
import { expectRefusal } from '../support/expect/apiError.ts';
import { temporaryFolder } from '../support/sandbox/folder.ts';
import { basic, data, must, openSandbox, startOfTime, type TestSandbox } from '../support/sandbox/harness.ts';
import { customerOf, openPlatform, worldOf } from '../support/sandbox/platforms.ts';
import { openSignedInWallet, registerEmailOtp } from '../support/scenes/builders.ts';

const emails = async (sandbox: TestSandbox) =>
  data(await sandbox.client.GET('/customers')).data.map(({ email }) => email);
const proofsOf = async (sandbox: TestSandbox) => (await sandbox.control('GET', '/settings')).body.proofs;
const reset = async (sandbox: TestSandbox) => expect((await sandbox.control('POST', '/reset')).status).toBe(204);

describe('a platform that was made', () => {
  test('keeps its first token, its world and its proofs, and loses all else', async () => {
    const sandbox = await openSandbox();
    const world = worldOf({ 'a@example.com': 2, 'b@example.com': 1 });
    const platform = await openPlatform(sandbox, { proofs: 'real', world });
    const first = await customerOf(platform, 'a@example.com');
    const token = data(await platform.client.POST('/tokens', { body: { name: 'more', permissions: ['VIEW'] } }));
    must(await platform.send('POST', '/customers', { body: { customerType: 'INDIVIDUAL', email: 'c@example.com' } }));
    await registerEmailOtp(platform, first.accounts[0]?.id ?? '');
    must(await platform.control('PUT', '/settings', { body: { proofs: 'magic', rpIds: ['a.example'] } }));
    must(await platform.control('PUT', '/faults', { body: { emailOtpSync: { failAt: 0 } } }));
    await platform.advance(60);
    await reset(platform);
    expect(await emails(platform)).toEqual(['b@example.com', 'a@example.com']);
    expect(await customerOf(platform, 'a@example.com')).toEqual(first);
    expect((await platform.control('GET', '/settings')).body).toMatchObject({ proofs: 'real', rpIds: ['localhost'] });
    expect((await platform.control('GET', '/faults')).body).toEqual({});
    expect((await platform.control('GET', '/outbox')).body).toEqual({ data: [] });
    expect(await platform.now()).toBe('2025-10-13T09:00:00.000Z');
    const authorization = basic(token.clientId, token.clientSecret);
    expectRefusal(await platform.send('GET', '/customers', { authorization }), 401, 'UNAUTHORIZED');
    await reset(platform);
    expect(await customerOf(platform, 'a@example.com')).toEqual(first);
  });

  test('and the default one do not touch each other', async () => {
    const sandbox = await openSandbox();
    const platform = await openPlatform(sandbox);
    const wallet = await openSignedInWallet(platform);
    await openSignedInWallet(sandbox);
    await reset(sandbox);
    expect((await emails(sandbox)).length).toBe(2);
    const sessions = await platform.send('GET', `/auth/sessions?accountId=${wallet.accountId}`);
    expect(sessions.body.totalCount).toBe(1);
    await openSignedInWallet(sandbox);
    await reset(platform);
    expect([await emails(platform), (await emails(sandbox)).length]).toEqual([[], 3]);
  });
});

describe('on a later start', () => {
  test('it is what it was made as, a platform and the default one', async () => {
    const store = await openSqlite(':memory:');
    const platform = await openPlatform(await openSandbox({ store, proofs: 'real' }), {
      world: worldOf({ 'a@example.com': 1 }),
    });
    const sandbox = await openSandbox({ store });
    const authorization = basic(platform.clientId, platform.clientSecret);
    const customer = { customerType: 'INDIVIDUAL' };
    expect((await sandbox.send('POST', '/customers', { authorization, body: customer })).status).toBe(201);
    expect((await sandbox.control('POST', '/reset', { authorization })).status).toBe(204);
    expect((await sandbox.send('GET', '/customers', { authorization })).body.totalCount).toBe(1);
    must(await sandbox.control('PUT', '/settings', { body: { proofs: 'magic' } }));
    await reset(sandbox);
    expect(await proofsOf(sandbox)).toBe('real');
    await store.close();
  });

  test('with other proofs or a standing clock asked for, it is that for the default platform', async () => {
    const store = await openSqlite(':memory:');
    await openSandbox({ store });
    const sandbox = await openSandbox({ store, proofs: 'real', frozenAt: Date.UTC(2025, 9, 13) });
    expect(await proofsOf(sandbox)).toBe('real');
    must(await sandbox.control('PUT', '/settings', { body: { proofs: 'magic' } }));
    await reset(sandbox);
    expect(await proofsOf(sandbox)).toBe('real');
    const clock = (await sandbox.control('GET', '/clock')).body;
    expect(clock).toEqual({ now: '2025-10-13T00:00:00.000Z', frozen: true });
    await store.close();
  });

  test('a file from before first moments and faults were kept is taken up, and can be reset', async () => {
    const file = join(temporaryFolder(), 'old.sqlite');
    const old = await openSqlite(file);
    await openSandbox({ store: old });
    await old.close();
    const database = new DatabaseSync(file);
    const body = JSON.stringify({ clock: { offsetMs: 60_000, frozenAt: null } });
    database.prepare("update platforms set body = ?, first = '{}'").run(body);
    database.close();
    const store = await openSqlite(file);
    const sandbox = await openSandbox({ store });
    expect(await sandbox.now()).toBe(new Date(startOfTime + 60_000).toISOString());
    expect(await proofsOf(sandbox)).toBe('magic');
    expect((await sandbox.control('GET', '/faults')).body).toEqual({});
    const wallet = await openSignedInWallet(sandbox);
    expect(wallet.session.id).toMatch(/^Session:/);
    await reset(sandbox);
    expect((await emails(sandbox)).length).toBe(2);
    expect(await sandbox.now()).toBe('2025-10-13T09:00:00.000Z');
    await store.close();
  });
});
