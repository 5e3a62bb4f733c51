/**
 * Promise: what `GET /__sandbox/due` shows will happen, and nothing else. A delayed change goes when its subject leaves
 * the state that it waits for. What is due happens in units of its own, and in the same way for every request
 * (D30, D43).
 */
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { basePath } from '../../contract/match.ts';
import type { Quote } from '../../generated/types.ts';
import { isAnyDue, schedule } from '../../mocks/sandbox/domains/effect.ts';
import { createProofs } from '../../mocks/sandbox/proofs/factory.ts';
import { createSettling, type Patience, somethingIsDue } from '../../mocks/sandbox/steps/settleDue.ts';
import { freshPlatform } from '../../mocks/sandbox/store/units/platformState.ts';
import { createUnits } from '../../mocks/sandbox/store/units/units.ts';
import { seededChance } from '../../mocks/sandbox/tools/chance.ts';
import { createCursors } from '../../mocks/sandbox/tools/cursor.ts';
import { createDerive } from '../../mocks/sandbox/tools/derive.ts';
import { byLength, runs } from '../support/run/length.ts';
import { openStore } from '../support/sandbox/database.ts';
import { must, openSandbox, startOfTime, type TestSandbox } from '../support/sandbox/harness.ts';
import { multiplyQuote } from '../support/sandbox/manyDue.ts';
import { oauthRequest, openWallet, signInWithOauth } from '../support/scenes/builders.ts';
import { bankAccount, execute, fromOutside, mustQuote, openPayer, toAccount } from '../support/scenes/payments.ts';
import { openOwner, quote, transferOut } from '../support/scenes/transfers.ts';

interface Due {
  readonly kind: 'EXPIRE_QUOTE' | 'SETTLE_TRANSACTION';
  readonly subjectId: string;
  readonly dueAt: string;
}
const listDue = async (sandbox: TestSandbox): Promise<readonly Due[]> =>
  (await sandbox.control('GET', '/due')).body.data;
const kinds = async (sandbox: TestSandbox): Promise<string[]> => (await listDue(sandbox)).map(({ kind }) => kind);
const snapshot = async (sandbox: TestSandbox) => (await sandbox.control('GET', '/snapshot')).body;

/** A sandbox whose time passes by itself, as the test says: nothing happens until somebody asks. */
async function openTimed(parts: Parameters<typeof openSandbox>[0] = {}) {
  let now = startOfTime;
  const sandbox = await openSandbox({ clock: { now: () => now }, ...parts });
  const pass = (seconds: number): void => {
    now += seconds * 1000;
  };
  return { sandbox, pass };
}

describe('a change goes when its subject leaves the state that it waits for', () => {
  test.each<[name: string, suffix: string, status: string, left: string[]]>([
    ['is executed and arrives', '000', 'COMPLETED', []],
    ['is executed and fails', '002', 'FAILED', []],
    ['is executed and arrives later', '003', 'PROCESSING', ['SETTLE_TRANSACTION']],
    ['is executed and comes back later', '005', 'COMPLETED', ['SETTLE_TRANSACTION']],
  ])('a quote that %s', async (_name, suffix, status, left) => {
    const owner = await openOwner(suffix);
    const { id } = await quote(owner);
    expect(await kinds(owner.sandbox)).toEqual(['EXPIRE_QUOTE']);
    expect((await execute(owner.sandbox, id)).body.status).toBe(status);
    expect(await kinds(owner.sandbox)).toEqual(left);
  });

  test('a quote whose money arrives from outside, and one whose payer may no longer pay', async () => {
    const sandbox = await openSandbox();
    const payer = await openPayer(sandbox);
    const destination = toAccount(await bankAccount(sandbox, '000'));
    const one = await mustQuote(sandbox, fromOutside('EUR', { customerId: payer.id }), destination);
    const two = await mustQuote(sandbox, fromOutside('EUR', { customerId: payer.id }), destination);
    const send = ({ id }: Quote) =>
      sandbox.send('POST', '/sandbox/send', { body: { quoteId: id, currencyCode: 'EUR' } });
    must(await send(one));
    expect((await listDue(sandbox)).map(({ subjectId }) => subjectId)).toEqual([two.id]);
    must(
      await sandbox.send('PATCH', `/customers/${payer.id}`, {
        body: { customerType: 'INDIVIDUAL', kycStatus: 'REJECTED' },
      }),
    );
    expect((await send(two)).body.status).toBe('FAILED');
    expect(await listDue(sandbox)).toEqual([]);
  });

  test('one that was made at once never waits, and a refused execution keeps waiting', async () => {
    const owner = await openOwner();
    await quote(owner, { immediatelyExecute: true });
    expect(await listDue(owner.sandbox)).toEqual([]);
    const { id } = await quote(owner, { lockedCurrencyAmount: 1_000_000_000 });
    expect((await execute(owner.sandbox, id)).status).toBe(400);
    expect(await kinds(owner.sandbox)).toEqual(['EXPIRE_QUOTE']);
  });

  type Step =
    | { readonly does: 'quote' | 'transfer'; readonly suffix: string }
    | { readonly does: 'execute'; readonly which: number }
    | { readonly does: 'pass'; readonly seconds: number };
  const step: fc.Arbitrary<Step> = fc.oneof(
    fc.record({
      does: fc.constantFrom('quote' as const, 'transfer' as const),
      suffix: fc.constantFrom('000', '002', '003', '005'),
    }),
    fc.record({ does: fc.constant('execute' as const), which: fc.nat({ max: 5 }) }),
    fc.record({ does: fc.constant('pass' as const), seconds: fc.constantFrom(1, 30, 120, 300) }),
  );

  test('whatever happened before, each change that is shown changes its subject when its time comes', async () => {
    const sandbox = await openSandbox();
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
        must(await sandbox.control('POST', '/reset'));
        const owners: Record<string, Awaited<ReturnType<typeof openOwner>>> = {};
        const made: string[] = [];
        for (const one of steps) {
          if (one.does === 'pass') await sandbox.advance(one.seconds);
          else if (one.does === 'execute') {
            const id = made[one.which];
            if (id !== undefined) await execute(sandbox, id);
          } else {
            owners[one.suffix] ??= await openOwner(one.suffix, {}, sandbox);
            const owner = owners[one.suffix] as Awaited<ReturnType<typeof openOwner>>;
            if (one.does === 'quote') made.push((await quote(owner)).id);
            else await transferOut(owner);
          }
        }
        const look = async ({ kind, subjectId }: Due) =>
          (await sandbox.send('GET', `/${kind === 'EXPIRE_QUOTE' ? 'quotes' : 'transactions'}/${subjectId}`)).body
            .status;
        for (let due = await listDue(sandbox); due.length > 0; due = await listDue(sandbox)) {
          const [first] = due as readonly [Due];
          const before = await look(first);
          must(await sandbox.control('POST', '/clock', { body: { set: first.dueAt } }));
          expect([first, await look(first)]).not.toEqual([first, before]);
          const left = (await listDue(sandbox)).map(({ subjectId }) => subjectId);
          expect(left).not.toContain(first.subjectId);
        }
      }),
      { numRuns: runs(25) },
    );
  });
});

describe('what is due happens', () => {
  test('before the clock replies, and shows nothing more as due', async () => {
    const owner = await openOwner();
    await quote(owner);
    await owner.sandbox.advance(301);
    // A snapshot makes nothing happen.
    const { records } = await snapshot(owner.sandbox);
    expect([records.quotes.map(({ status }: Quote) => status), records.effects]).toEqual([['EXPIRED'], []]);
  });

  test('when somebody lists what is due', async () => {
    const { sandbox, pass } = await openTimed();
    await quote(await openOwner('000', {}, sandbox));
    pass(301);
    expect(await listDue(sandbox)).toEqual([]);
  });

  test('once, though the request that it happens for is refused', async () => {
    const store = await openStore();
    onTestFinished(() => store.close());
    const { sandbox, pass } = await openTimed({ store });
    const one = await quote(await openOwner('000', {}, sandbox));
    await multiplyQuote(store, { platformId: 'sandbox', ...one }, 90);
    expect(await listDue(sandbox)).toHaveLength(50);
    pass(301);
    const unitsOf = async (): Promise<number> => {
      const before = store.counts().units;
      must(await sandbox.send('GET', '/quotes/Quote:0199e0a4-2f00-7a31-8f5e-6d0b5c2a1eff'), 404);
      return store.counts().units - before;
    };
    expect(await unitsOf()).toBeGreaterThan(2);
    expect((await snapshot(sandbox)).records.effects).toEqual([]);
    expect(await unitsOf()).toBe(await unitsOf());
    const before = store.counts().units;
    must(await sandbox.send('GET', '/config'));
    expect(store.counts().units - before).toBeLessThanOrEqual(2);
  });
});

describe('how it is divided makes no difference', () => {
  /** What somebody else does between the app's requests. */
  type Watcher = (sandbox: TestSandbox, pass: (seconds: number) => void) => Promise<void>;
  const watchers: readonly [name: string, watch: Watcher, stopwatch: () => () => number][] = [
    ['nobody', async (_, pass) => pass(400), () => () => 0],
    [
      'a watcher, every two minutes',
      async (sandbox, pass) => {
        for (const seconds of [120, 120, 100, 60]) {
          pass(seconds);
          must(await sandbox.control('GET', `/watch${basePath}/config`));
        }
      },
      () => () => 0,
    ],
    [
      'a reader of what is due, in slices of one change',
      async (sandbox, pass) => {
        for (const seconds of [31, 269, 61, 39]) {
          pass(seconds);
          await listDue(sandbox);
        }
      },
      () => {
        let time = 0;
        return () => (time += 10);
      },
    ],
    [
      'the books',
      async (sandbox, pass) => {
        pass(350);
        must(await sandbox.control('GET', '/ledger'));
        pass(50);
      },
      () => () => 0,
    ],
  ];

  test('the same seed gives the same snapshot and the same later ids', async () => {
    const ends: unknown[] = [];
    for (const [, watch, stopwatch] of watchers) {
      const { sandbox, pass } = await openTimed({ stopwatch: stopwatch() });
      for (const suffix of ['003', '005']) {
        const owner = await openOwner(suffix, { platformCustomerId: suffix }, sandbox);
        must(await execute(sandbox, (await quote(owner)).id));
        await quote(owner);
        must(await transferOut(owner));
      }
      const { accountId } = await openWallet(sandbox);
      const credential = await sandbox.send('POST', '/auth/credentials', { body: oauthRequest(accountId) });
      await watch(sandbox, pass);
      // The key of its session is prepared before the unit of the request.
      const session = await signInWithOauth(sandbox, credential.body.id);
      const later = await quote(await openOwner('000', {}, sandbox));
      ends.push([session, later, await snapshot(sandbox)]);
    }
    for (const end of ends) expect(end).toEqual(ends[0]);
  });
});

describe('very much that is due', () => {
  const count = byLength(300, 5000);

  /** A platform on which each slice carries out one change. */
  async function openSlow() {
    const store = await openStore();
    onTestFinished(() => store.close());
    const derive = createDerive('00');
    const parts = { store, clock: { now: () => startOfTime }, chance: seededChance(1), cursors: createCursors('key') };
    const units = createUnits({ ...parts, derive, proofs: createProofs(derive) });
    for (const id of ['p1', 'p2']) await units.create(id, { state: freshPlatform }, async () => {});
    await units.run('p1', async (unit) => {
      for (let made = 1; made <= count; made += 1) await schedule(unit, 'EXPIRE_QUOTE', `${made}`, made);
    });
    const happened: string[] = [];
    let time = 0;
    const work = {
      readAhead: async () => {},
      isAwaited: async () => true,
      carryOut: async (_: unknown, id: string) => void happened.push(id),
    };
    const settling = createSettling({
      units,
      effects: { EXPIRE_QUOTE: work, SETTLE_TRANSACTION: work },
      stopwatch: () => (time += 10),
    });
    const ask = (patience?: Patience) =>
      settling.run('p1', async (unit) => ((await isAnyDue(unit)) ? somethingIsDue : 'done'), patience);
    return { units, settling, ask, happened };
  }

  test('a request that waits too long is told to come again, and the changes go on, each once', async () => {
    const { units, ask, happened } = await openSlow();
    const impatient = ask({ ms: 0 });
    await expect(impatient).rejects.toMatchObject({ status: 503, headers: { 'Retry-After': '5' } });
    const other = units.run('p2', async () => happened.length);
    expect(await Promise.all([ask(), ask()])).toEqual(['done', 'done']);
    expect(await other).toBeLessThan(count);
    expect(happened).toEqual(Array.from({ length: count }, (_, index) => `${index + 1}`));
  });

  test('a server that stops carries out no more than a slice', async () => {
    const { settling, ask, happened } = await openSlow();
    const waiting = ask();
    settling.end();
    await expect(waiting).rejects.toMatchObject({ status: 503 });
    expect(happened).toEqual(['1']);
  });
});
