/**
 * Promise: a request is answered alike whichever way it takes. A plain address finds its operation at once, any other by
 * the router (shell/route.ts); a read that was answered before is answered from memory (replyCache.ts), and no change
 * goes unseen by it.
 */
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { operations } from '../../generated/operations.ts';
import { createSandbox } from '../../mocks/sandbox/app.ts';
import { seededChance } from '../../mocks/sandbox/kernel/chance.ts';
import { listen } from '../../mocks/sandbox/server.ts';
import { matchPlain } from '../../mocks/sandbox/shell/route.ts';
import type { WebApp } from '../../mocks/sandbox/shell/shell.ts';
import { openSqlite } from '../../mocks/sandbox/store/sqlite.ts';
import { openAgentStage } from '../support/agents.ts';
import { openSignedInWallet } from '../support/builders.ts';
import {
  type Answer,
  baseUrl,
  basic,
  must,
  openSandbox,
  sandboxOver,
  startOfTime,
  type TestSandbox,
} from '../support/harness.ts';
import { byLength, sample } from '../support/length.ts';
import { openPlatform } from '../support/platforms.ts';
import { call, openTargets, pathOf, requestExamples } from '../support/targets.ts';
import { openOwner, quote } from '../support/transfers.ts';

const shown = ({ status, headers, body }: Answer) => [status, Object.fromEntries(headers), body];
const headers = { 'X-Request-Id': 'same' };

describe('a plain address and the same one with an escape', () => {
  // A UMA address is never a plain one: it begins with $.
  const withIds = operations.filter(({ id, path }) => path.includes('{') && id !== 'lookUpUmaReceiver');
  test.each(sample(withIds, 12))('$id', async (operation) => {
    const [one, other] = await Promise.all([openSandbox(), openSandbox()]);
    const [targets, same] = [await openTargets(one), await openTargets(other)];
    expect(JSON.stringify(same)).toBe(JSON.stringify(targets));
    const [plain, escaped] = [pathOf(operation, targets), pathOf(operation, same).replace(/[:-]/, escapeOf)];
    expect(escaped).not.toBe(plain);
    expect(matchPlain(operation.method, baseUrl + plain)?.operation.id).toBe(operation.id);
    expect(matchPlain(operation.method, baseUrl + escaped)).toBeUndefined();
    for (const body of [undefined, ...requestExamples(operation)]) {
      const first = await call(one, operation, targets, plain, { headers, body });
      const second = await call(other, operation, same, escaped, { headers, body });
      expect(shown(second)).toEqual(shown(first));
    }
  });
});

/** The escape of one character, which means the same. */
function escapeOf(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

test.each([
  '/customers/',
  '/customers//x',
  '/customers/../customers',
  '/customers/./x',
  '/customers/%2E',
  '/customers/x y',
  '/customers;x',
  '/nothing',
  '/agents/me/nothing',
])('%s is left to the router', (path) => {
  expect(matchPlain('GET', baseUrl + path)).toBeUndefined();
});

test('literal segments come before parameters, whatever they are called', () => {
  const match = matchPlain;
  const found = (path: string) => match('GET', baseUrl + path)?.operation.id;
  expect([found('/agents/me'), found('/agents/approvals'), found('/agents/Agent:x')]).toEqual([
    'getCurrentAgent',
    'listAgentApprovals',
    'getAgent',
  ]);
  expect(['__proto__', 'constructor'].map((name) => match('GET', `${baseUrl}/customers/${name}`)?.path)).toEqual([
    { customerId: '__proto__' },
    { customerId: 'constructor' },
  ]);
});

/** What a platform may do between two readings, and what it reads. */
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

test('whatever is written between, a read that is remembered says what one that is not would say', async () => {
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
        // A header that no operation knows makes no difference, and Prefer keeps a request from being remembered.
        const anew = await remembering.send('GET', path, { headers: { ...headers, Prefer: 'nothing=special' } });
        const again = await remembering.send('GET', path, { headers });
        if (first.status !== 200) continue;
        expect(shown(anew), `${write}, then ${path}`).toEqual(shown(first));
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

  test('a reply that depends on the time is made anew', async () => {
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

test('reads that nothing came between are answered from memory', async () => {
  const sandbox = await openSandbox();
  for (let number = 0; number < 3; number += 1) must(await sandbox.send('GET', '/customers'));
  const { body } = await sandbox.control('GET', '/metrics');
  expect(body).toContain('\ncountersign_reply_cache_hits_total 2\n');
});

describe('a read over a port, which is answered without the objects of the web platform', () => {
  /** One sandbox, in process and on a port; and how many requests went the short way. */
  async function openBoth() {
    const store = await openSqlite(':memory:');
    onTestFinished(() => store.close());
    const quiet = { info: () => {}, error: () => {} };
    const parts = { store, clock: { now: () => startOfTime }, chance: seededChance(1), log: quiet };
    const app = await createSandbox(parts);
    let short = 0;
    const counting: WebApp = {
      ...app,
      answer: (request) => {
        const answered = app.answer?.(request);
        if (answered !== undefined) short += 1;
        return answered;
      },
    };
    const server = await listen(counting, '127.0.0.1', 0);
    onTestFinished(() => server.stop(0));
    const inProcess = sandboxOver(async (request) => app.fetch(request));
    const onPort = sandboxOver((request) => {
      const { pathname, search } = new URL(request.url);
      return fetch(new Request(server.address + pathname + search, request));
    });
    return { inProcess, onPort, countShort: () => short };
  }

  /** Without what a connection adds. */
  const shownOf = ({ status, headers: given, body }: Answer) => [
    status,
    [...given].filter(([name]) => !/^(connection|date|keep-alive)$/.test(name)),
    body,
  ];

  test('of every operation is the same, refusals and headers included', async () => {
    const { inProcess, onPort, countShort } = await openBoth();
    const targets = await openTargets(inProcess);
    let asked = 0;
    // Two that look a receiver up remember it under an id of its own each time.
    const reads = operations.filter(({ id, method }) => method === 'GET' && !id.startsWith('lookUp'));
    for (const operation of reads) {
      const path = pathOf(operation, targets);
      const and = path.includes('?') ? '&' : '?';
      for (const [asking, options] of [
        [path, {}],
        [`${path}${and}limit=1`, {}],
        [`${path}${and}limit=0&nothing=1`, {}],
        [path, { authorization: null }],
        [path, { headers: { accept: 'text/html' } }],
        [path, { headers: { origin: 'http://localhost:3000', prefer: 'code=401' } }],
      ] as const) {
        const sent = { ...options, headers: { ...headers, ...('headers' in options ? options.headers : {}) } };
        const before = countShort();
        const [first, second] = [
          await call(inProcess, operation, targets, asking, sent),
          await call(onPort, operation, targets, asking, sent),
        ];
        expect(shownOf(second), `${operation.id} ${JSON.stringify(options)}`).toEqual(shownOf(first));
        asked += countShort() - before;
      }
    }
    expect(asked).toBe(reads.length * 6);
  });

  test.each([
    ['a body', 'Content-Length: 2\r\n\r\n{}'],
    ['a chunked body', 'Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['a header twice', 'Accept: */*\r\nAccept: text/html\r\n\r\n'],
    ['credentials twice', `Authorization: ${basic('sandbox', 'sandbox')}\r\n\r\n`],
    ['__proto__ for a header', '__proto__: x\r\n\r\n'],
  ])('with %s goes the long way', async (_name, rest) => {
    let short = 0;
    const sandbox = await openSandbox();
    const app: WebApp = {
      fetch: (request) => sandbox.fetch(request),
      answer: () => {
        short += 1;
        return undefined;
      },
    };
    const server = await listen(app, '127.0.0.1', 0);
    onTestFinished(() => server.stop(0));
    const socket = connect(Number(new URL(server.address).port), '127.0.0.1');
    const head = `Host: localhost\r\nConnection: close\r\nAuthorization: ${basic('sandbox', 'sandbox')}`;
    socket.write(`GET /2025-10-13/customers HTTP/1.1\r\n${head}\r\n${rest}`);
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 (200|401|406) /);
    expect(short).toBe(0);
  });

  test('that a fault rule has dropped ends without a byte', async () => {
    const { inProcess, onPort, countShort } = await openBoth();
    const rules = [{ operation: 'listCustomers', drop: 'after', times: 1 }];
    must(await inProcess.control('PUT', '/faults', { body: { rules } }));
    await expect(onPort.send('GET', '/customers')).rejects.toThrow(/fetch failed/);
    expect([(await onPort.send('GET', '/customers')).status, countShort()]).toEqual([200, 2]);
  });
});
