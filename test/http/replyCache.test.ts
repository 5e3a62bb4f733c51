/** Promise: a repeated read is answered from memory (replyCache.ts), and every change is seen. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { drop, effectId, schedule } from '../../mocks/sandbox/domains/effect.ts';
import { operation } from '../../mocks/sandbox/domains/operation.ts';
import { handlers } from '../../mocks/sandbox/registry/handlers.ts';
import { byLength } from '../support/run/length.ts';
import { type Answer, must, openSandbox, startOfTime, type TestSandbox } from '../support/sandbox/harness.ts';
import { openPlatform } from '../support/sandbox/platforms.ts';
import { openAgentStage } from '../support/scenes/agents.ts';
import { openSignedInWallet } from '../support/scenes/builders.ts';
import { openOwner, quote } from '../support/scenes/transfers.ts';

const shown = ({ status, headers, body }: Answer) => [status, Object.fromEntries(headers), body];
const headers = { 'X-Request-Id': 'same' };

/** What a platform may do between two reads, and the reads. */
const reads = [
  '/customers',
  '/customers?limit=1',
  '/transactions',
  '/agents',
  '/tokens',
  '/customers/internal-accounts',
];
const writes: Record<string, (sandbox: TestSandbox) => Promise<unknown>> = {
  customer: (sandbox) => sandbox.send('POST', '/customers', { body: { customerType: 'INDIVIDUAL' } }),
  token: (sandbox) => sandbox.send('POST', '/tokens', { body: { name: 'a', permissions: ['VIEW'] } }),
  fund: async (sandbox) => {
    const { data } = (await sandbox.send('GET', '/customers/internal-accounts?currency=USD')).body;
    must(await sandbox.send('POST', `/sandbox/internal-accounts/${data[0].id}/fund`, { body: { amount: 1 } }));
  },
  refusal: (sandbox) => sandbox.send('POST', '/customers', { body: {} }),
  clock: (sandbox) => sandbox.advance(3600),
  reset: (sandbox) => sandbox.control('POST', '/reset'),
  fault: (sandbox) =>
    sandbox.control('PUT', '/faults', { body: { rules: [{ operation: 'listCustomers', status: 503, times: 1 }] } }),
  nothing: async () => {},
};

test('after any write, a cached read returns the same as an uncached one', async () => {
  const steps = fc.array(fc.tuple(fc.constantFrom(...Object.keys(writes)), fc.constantFrom(...reads)), {
    minLength: 5,
    maxLength: 40,
  });
  await fc.assert(
    fc.asyncProperty(steps, async (chosen) => {
      const sandbox = await openSandbox();
      const [remembering, other] = [await openPlatform(sandbox, { world: 'ready-made' }), await openPlatform(sandbox)];
      for (const [write, path] of chosen) {
        await writes[write]?.(remembering);
        must(await other.send('POST', '/customers', { body: { customerType: 'INDIVIDUAL' } }));
        const first = await remembering.send('GET', path, { headers });
        // A header that the operation doesn't know has no effect on the reply, but Prefer keeps a request out of the
        // cache.
        const uncached = await remembering.send('GET', path, { headers: { ...headers, Prefer: 'nothing=special' } });
        const again = await remembering.send('GET', path, { headers });
        if (first.status !== 200) continue;
        expect(shown(uncached), `${write}, then ${path}`).toEqual(shown(first));
        expect(shown(again), `${write}, then ${path}`).toEqual(shown(first));
      }
    }),
    { numRuns: byLength(5, 15) },
  );
});

describe('when only time passes, by the clock of the machine', () => {
  async function openTimed() {
    let now = startOfTime;
    const sandbox = await openSandbox({ clock: { now: () => now } });
    const pass = (seconds: number): void => {
      now += seconds * 1000;
    };
    return { sandbox, pass };
  }

  test('what falls due is seen, though it was read and remembered just before', async () => {
    const { sandbox, pass } = await openTimed();
    const { id, expiresAt } = await quote(await openOwner('000', {}, sandbox));
    const look = async () => (await sandbox.send('GET', `/quotes/${id}`)).body.status;
    pass((Date.parse(expiresAt) - startOfTime) / 1000 - 1);
    expect([await look(), await look()]).toEqual(['PENDING', 'PENDING']);
    pass(1);
    expect([await look(), await look()]).toEqual(['EXPIRED', 'EXPIRED']);
  });

  test('something that falls due sooner, and was added after the reply was remembered, is seen', async () => {
    let now = startOfTime;
    // The interface adds nothing that is due before a quote expires. Another server's operation might.
    const createToken = operation('createToken', {
      async handle(call, unit, prepared) {
        await drop(unit, effectId('EXPIRE_QUOTE', call.body.name));
        await schedule(unit, 'EXPIRE_QUOTE', call.body.name, unit.now() + 1000);
        return handlers.createToken.handle(call, unit, prepared) as never;
      },
    });
    const sandbox = await openSandbox({ clock: { now: () => now }, handlers: { ...handlers, createToken } });
    const { id } = await quote(await openOwner('000', {}, sandbox));
    const look = async () => (await sandbox.send('GET', `/quotes/${id}`)).body.status;
    expect([await look(), await look()]).toEqual(['PENDING', 'PENDING']);
    must(await sandbox.send('POST', '/tokens', { body: { name: id, permissions: ['VIEW'] } }));
    now += 999;
    expect(await look()).toBe('PENDING');
    now += 1;
    expect([await look(), await look()]).toEqual(['EXPIRED', 'EXPIRED']);
  });

  test('a reply that depends on the time is made again', async () => {
    const { sandbox, pass } = await openTimed();
    const { accountId } = await openSignedInWallet(sandbox);
    const count = async () => (await sandbox.send('GET', `/auth/sessions?accountId=${accountId}`)).body.totalCount;
    expect([await count(), await count()]).toEqual([1, 1]);
    pass(24 * 3600);
    expect(await count()).toBe(0);
    const stage = await openAgentStage(sandbox);
    await stage.transferOut(100);
    const spent = async () => (await stage.agent.look()).usage.dailyTransactionCount;
    expect([await spent(), await spent()]).toEqual([1, 1]);
    pass(24 * 3600);
    expect(await spent()).toBe(0);
  });
});

const hits = async (sandbox: TestSandbox): Promise<number> =>
  Number(/^countersign_reply_cache_hits_total (\d+)$/m.exec((await sandbox.control('GET', '/metrics')).body)?.[1]);

test('reads that nothing came between are answered from memory', async () => {
  const sandbox = await openSandbox();
  for (let number = 0; number < 3; number += 1) must(await sandbox.send('GET', '/customers'));
  expect(await hits(sandbox)).toBe(2);
});

test('a read is remembered while only other tables change, and no longer than its own stay', async () => {
  const owner = await openOwner();
  const { sandbox, customerId } = owner;
  const look = async () => must(await sandbox.send('GET', `/customers/${customerId}`));
  await look();
  const before = await hits(sandbox);
  for (let number = 0; number < 3; number += 1) {
    await quote(owner);
    must(await sandbox.send('POST', '/customers', { body: {} }), 400);
    await look();
  }
  expect(await hits(sandbox)).toBe(before + 3);
  must(await sandbox.send('POST', '/customers', { body: { customerType: 'INDIVIDUAL' } }));
  await look();
  expect(await hits(sandbox)).toBe(before + 3);
});

describe('of several platforms', () => {
  const hits = async (sandbox: TestSandbox) =>
    Number(/reply_cache_hits_total (\d+)/.exec((await sandbox.control('GET', '/metrics')).body)?.[1]);

  test('a busy one takes nothing from a quiet one, and its own oldest reply goes first', async () => {
    const sandbox = await openSandbox({ replyBytes: 60_000 });
    const [quiet, busy] = [await openPlatform(sandbox), await openPlatform(sandbox)];
    for (const path of ['/config', '/tokens']) must(await quiet.send('GET', path));
    for (let limit = 1; limit <= 100; limit += 1) must(await busy.send('GET', `/customers?limit=${limit}`));
    const before = await hits(sandbox);
    for (const path of ['/config', '/tokens']) must(await quiet.send('GET', path));
    expect((await hits(sandbox)) - before).toBe(2);
    must(await busy.send('GET', '/customers?limit=100'));
    expect((await hits(sandbox)) - before).toBe(3);
    must(await busy.send('GET', '/customers?limit=1'));
    expect((await hits(sandbox)) - before).toBe(3);
  });
});
