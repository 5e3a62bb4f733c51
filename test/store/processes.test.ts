/**
 * Promise: any number of processes on one PostgreSQL are one sandbox. Whichever of them gets a request, a key or a
 * request id counts once, limits hold, the ledger balances, and due events happen exactly once.
 *
 * COUNTERSIGN_ROUNDS=50 repeats each race 50 times, each time on a new platform.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type StartedSandbox, startSandbox } from '../support/process/process.ts';
import { byLength } from '../support/run/length.ts';
import { makeDatabase } from '../support/sandbox/database.ts';
import { type Answer, must, sandboxOver, type TestSandbox } from '../support/sandbox/harness.ts';
import { openPlatform, type TestPlatform } from '../support/sandbox/platforms.ts';
import { openAgentStage } from '../support/scenes/agents.ts';
import { magic, openSignedInWallet } from '../support/scenes/builders.ts';
import {
  expectSound,
  listTransactions,
  type Owner,
  openOwner,
  quote,
  transferOut,
} from '../support/scenes/transfers.ts';

const rounds = Number(process.env['COUNTERSIGN_ROUNDS'] ?? byLength(1, 10));
const clients = byLength(25, 50);
const ends: (() => void)[] = [];
const processes: StartedSandbox[] = [];
let place: string[] = [];

beforeAll(async () => {
  place = ['--database', await makeDatabase()];
  const starting = Array.from({ length: 3 }, () => startSandbox(place, (end) => ends.push(end)));
  processes.push(...(await Promise.all(starting)));
}, 60_000);
afterAll(() => {
  for (const end of ends) end();
});

/** The processes as one sandbox: each request goes to the next process. */
function openAll(): TestSandbox {
  let turn = 0;
  return sandboxOver((request) => {
    const process = processes[turn++ % processes.length];
    const address = new URL(request.url);
    address.port = String(process?.port);
    return fetch(new Request(address, request));
  });
}

/** Runs a race on a new platform, with all its clients on all processes. */
async function race(run: (platform: TestPlatform) => Promise<void>): Promise<void> {
  for (let round = 0; round < rounds; round += 1) await run(await openPlatform(openAll()));
}

const atOnce = <T>(count: number, make: (number: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, number) => make(number)));

/** How many times each outcome occurred, as `201` or `403 POLICY_VIOLATION`. */
function outcomes(answers: readonly Answer[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status, body } of answers) {
    const outcome = status < 400 ? String(status) : `${status} ${body.code}`;
    counts[outcome] = (counts[outcome] ?? 0) + 1;
  }
  return counts;
}

const timeout = 60_000 + rounds * 20_000;

describe('three processes, their clients at once', { timeout }, () => {
  test('case 77: one idempotency key moves money once, and everybody gets the same answer', () =>
    race(async (platform) => {
      const owner = await openOwner('000', {}, platform);
      const key = '0199e0a4-2f00-4a31-8f5e-6d0b5c2a1eff';
      const body = {
        source: { accountId: owner.internalId },
        destination: { accountId: owner.externalId },
        amount: 2500,
      };
      const answers = await atOnce(clients, () =>
        platform.send('POST', '/transfer-out', { body, headers: { 'Idempotency-Key': key } }),
      );
      expect(outcomes(answers)).toEqual({ 201: clients });
      expect(new Set(answers.map((answer) => JSON.stringify(answer.body))).size).toBe(1);
      expect(answers.filter(({ headers }) => headers.get('idempotency-replayed') !== 'true')).toHaveLength(1);
      expect(await owner.balance()).toBe(97_500);
      expect(await listTransactions(platform, 'type=OUTGOING')).toHaveLength(1);
      await expectSound(platform);
    }));

  test('case 40: one Request-Id is used once', () =>
    race(async (platform) => {
      const { accountId } = await openSignedInWallet(platform);
      const body = {
        type: 'PASSKEY',
        accountId,
        nickname: 'Laptop',
        challenge: 'Y2hhbGxlbmdl',
        attestation: { credentialId: 'cGFzc2tleS0y', clientDataJson: 'e30', attestationObject: 'o2M' },
      };
      const { body: challenge } = await platform.send('POST', '/auth/credentials', { body });
      const headers = { 'Request-Id': challenge.requestId, 'Service-Wallet-Signature': magic.walletSignature };
      const answers = await atOnce(clients, () => platform.send('POST', '/auth/credentials', { body, headers }));
      expect(outcomes(answers)).toEqual({ 201: 1, '401 REQUEST_ID_INVALID': clients - 1 });
      const list = await platform.send('GET', `/auth/credentials?accountId=${accountId}`);
      // The wallet's first two credentials (one-time codes and a passkey), and the new one.
      expect(list.body.data).toHaveLength(3);
    }));

  test('case 98: as many payments of an agent pass as its daily limit holds', () =>
    race(async (platform) => {
      const spendingLimits = { currency: 'USD', perTransactionLimit: 2500, dailyLimit: 25_000 };
      const stage = await openAgentStage(platform, { spendingLimits });
      const answers = await atOnce(clients, () => stage.transferOut(2500));
      expect(outcomes(answers)).toEqual({ 201: 10, '403 POLICY_VIOLATION': clients - 10 });
      expect((await stage.agent.look()).usage).toMatchObject({ dailyTransactionCount: 10, dailySpend: 25_000 });
      expect(await stage.balance()).toBe(75_000);
      await expectSound(platform);
    }));

  test('case 80: no account pays more than it holds, and the ledger balances', () =>
    race(async (platform) => {
      const owner = await openOwner('000', {}, platform);
      const answers = await atOnce(clients, () => transferOut(owner, { amount: 6000 }));
      expect(outcomes(answers)).toEqual({ 201: 16, '400 INSUFFICIENT_FUNDS': clients - 16 });
      expect(await owner.balance()).toBe(4000);
      await expectSound(platform);
    }));

  test('what is due happens exactly once, no matter who comes first', () =>
    race(async (platform) => {
      const slow = await openOwner('003', {}, platform);
      const failing = await openOwner('005', {}, platform);
      const quoted = await atOnce(5, async () => {
        const { id } = await quote(slow);
        const { status } = await platform.send('POST', `/quotes/${id}/execute`);
        expect(status).toBe(200);
        return id;
      });
      expect(outcomes(await atOnce(5, () => transferOut(failing)))).toEqual({ 201: 5 });
      expect([await slow.balance(), await failing.balance()]).toEqual([87_500, 87_500]);
      await platform.advance(3600);
      const readers = [...quoted, ...quoted, ...quoted].map((id) => platform.send('GET', `/quotes/${id}`));
      const seen = await Promise.all([...readers, ...readAll(platform, slow), ...readAll(platform, failing)]);
      expect(outcomes(seen)).toEqual({ 200: seen.length });
      const listed = await listTransactions(platform, 'type=OUTGOING');
      const of = (status: string) => listed.filter((one) => one.status === status);
      expect([of('COMPLETED').length, of('FAILED').length, listed.length]).toEqual([5, 5, 10]);
      expect([await slow.balance(), await failing.balance()]).toEqual([87_500, 100_000]);
      await expectSound(platform);
    }));

  test.each(byLength([], ['case 16: one UMA address is given to one customer']))('%s', () =>
    race(async (platform) => {
      const body = { customerType: 'INDIVIDUAL', umaAddress: '$ada@pay.example' };
      const answers = await atOnce(clients, () => platform.send('POST', '/customers', { body }));
      expect(outcomes(answers)[201]).toBe(1);
      expect(answers.every(({ status }) => status === 201 || status === 409)).toBe(true);
      expect((await platform.send('GET', '/customers')).body.totalCount).toBe(1);
    }),
  );
});

/** Reads an owner's transactions on every process at the same time. */
function readAll(platform: TestPlatform, { customerId }: Owner): Promise<Answer>[] {
  return Array.from({ length: 6 }, () => platform.send('GET', `/transactions?customerId=${customerId}`));
}

describe('what concerns more than one platform', { timeout }, () => {
  test('platforms made at once, on every process, are each whole and one of its own', async () => {
    const all = openAll();
    const made = await atOnce(12, (number) => openPlatform(all, number % 2 === 0 ? {} : { world: 'ready-made' }));
    expect(new Set(made.map(({ platformId }) => platformId)).size).toBe(12);
    const totals = await Promise.all(made.map(async (one) => (await one.send('GET', '/customers')).body.totalCount));
    expect(totals).toEqual(Array.from({ length: 12 }, (_, number) => (number % 2 === 0 ? 0 : 2)));
  });

  test.each(
    byLength(
      [],
      ['a device code that several worlds ask for at once belongs to one platform, and the others get the error'],
    ),
  )('%s', async () => {
    const all = openAll();
    for (let round = 0; round < rounds; round += 1) {
      const deviceCode = `AGENT-RACE-${String(round).padStart(4, '0')}`;
      const spendingLimits = { currency: 'USD', perTransactionLimit: 1000 };
      const agents = [{ name: 'Payer', policy: { permissions: ['CREATE_TRANSFERS'], spendingLimits }, deviceCode }];
      const world = { customers: [{ customer: { customerType: 'INDIVIDUAL' }, agents }] };
      const answers = await atOnce(9, () =>
        all.control('POST', '/platforms', { body: { world }, authorization: null }),
      );
      expect(outcomes(answers)).toEqual({ 201: 1, '400 INVALID_INPUT': 8 });
      const redeemed = await atOnce(9, () =>
        all.send('POST', `/agents/device-codes/${deviceCode}/redeem`, { authorization: null }),
      );
      expect(outcomes(redeemed)[200]).toBe(1);
    }
  });

  test('of platforms that are reset at once, one gets the shared device code, and every reset succeeds', async () => {
    const all = openAll();
    const spendingLimits = { currency: 'USD', perTransactionLimit: 1000 };
    const policy = { permissions: ['CREATE_TRANSFERS'], spendingLimits };
    const made = [];
    for (const codes of [
      ['AGENT-0000-0001', 'AGENT-0000-0002'],
      ['AGENT-0000-0002', 'AGENT-0000-0001'],
    ]) {
      const agents = codes.map((deviceCode) => ({ name: 'Payer', policy, deviceCode }));
      const world = { customers: [{ customer: { customerType: 'INDIVIDUAL' as const }, agents }] };
      const platform = await openPlatform(all, { world });
      const customers = (await platform.send('GET', '/customers')).body.data;
      for (const { id } of (await platform.send('GET', `/agents?customerId=${customers[0].id}`)).body.data) {
        must(await platform.send('DELETE', `/agents/${id}`));
      }
      made.push(platform);
    }
    // Each wants both codes, in opposite order. Without a second try, one would fail because of a deadlock or a
    // duplicate row.
    for (let round = 0; round < rounds * 5; round += 1) {
      const answers = await Promise.all(made.map((platform) => platform.control('POST', '/reset')));
      expect(outcomes(answers)).toEqual({ 204: 2 });
    }
  });
});

test('each process stops by itself, and the others go on', { timeout }, async () => {
  // A new process, because later tests may still need the others.
  const another = await startSandbox(place);
  another.child.kill('SIGTERM');
  expect(await another.exit).toBe(0);
  const headers = { authorization: `Basic ${btoa('sandbox:sandbox')}` };
  for (const { base } of processes) expect((await fetch(`${base}/customers`, { headers })).status).toBe(200);
});
