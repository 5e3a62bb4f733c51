/**
 * Promise: a listener of a platform learns at once what happens on it, and nothing about other platforms. Listeners
 * can't make the sandbox wait or grow. A slow reader learns how many events it missed, and the number of listeners is
 * limited. A closed connection leaves nothing behind, and a server that stops doesn't wait for listeners.
 */
import { get, type IncomingMessage } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import { loadContract } from '../../contract/file.ts';
import type { ControlEvent } from '../../generated/controlTypes.ts';
import { handlers } from '../../mocks/sandbox/registry/handlers.ts';
import { writeEventStream } from '../../mocks/sandbox/telemetry/eventStream.ts';
import { createEvents, type Events, eventBounds } from '../../mocks/sandbox/telemetry/events.ts';
import type { Happening, Listener } from '../../mocks/sandbox/telemetry/happening.ts';
import { createJournal } from '../../mocks/sandbox/telemetry/journal.ts';
import { runningClock } from '../../mocks/sandbox/tools/clock.ts';
import { expectRefusal } from '../support/expect/apiError.ts';
import { listen } from '../support/process/fetchApp.ts';
import { basic, data, must, openSandbox, origin, type TestSandbox } from '../support/sandbox/harness.ts';

interface Listening {
  /** Reads the next event. */
  next(): Promise<ControlEvent | undefined>;
  stop(): Promise<void>;
}

/** Listens like a page: with `fetch` and credentials. */
async function listenTo(sandbox: TestSandbox, authorization = basic('sandbox', 'sandbox')): Promise<Listening> {
  const response = await sandbox.fetch(new Request(`${origin}/__sandbox/events`, { headers: { authorization } }));
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const read = async (): Promise<string | undefined> => {
    const { value, done } = await reader.read();
    return done ? undefined : new TextDecoder().decode(value);
  };
  expect(await read()).toBe('retry: 2000\n\n');
  onTestFinished(() => reader.cancel());
  return {
    async next() {
      const text = await read();
      return text === undefined ? undefined : JSON.parse(/^data: (.*)\n\n$/.exec(text)?.[1] ?? text);
    },
    stop: () => reader.cancel(),
  };
}

async function newPlatform(sandbox: TestSandbox, body: object = {}): Promise<string> {
  const { clientId, clientSecret } = (await sandbox.control('POST', '/platforms', { body })).body;
  return basic(clientId, clientSecret);
}

const ofAda = {
  customers: [{ customer: { customerType: 'INDIVIDUAL', email: 'ada@example.com', currencies: ['USDB'] } }],
};

describe('what the stream tells', () => {
  test('an exchange, as the journal has it, secrets masked', async () => {
    const sandbox = await openSandbox();
    const heard = await listenTo(sandbox);
    must(await sandbox.send('GET', '/customers?limit=1'));
    const event = (await heard.next()) as Extract<ControlEvent, { type: 'EXCHANGE' }>;
    expect(event.type).toBe('EXCHANGE');
    expect(event.exchange).toMatchObject({ id: '1', operationId: 'listCustomers', response: { status: 200 } });
    expect(event.exchange.request.headers['authorization']).not.toBe(basic('sandbox', 'sandbox'));
    expect((await sandbox.control('GET', '/journal')).body.data).toEqual([event.exchange]);
  });

  test('a code that was sent, and the exchange that sent it', async () => {
    const sandbox = await openSandbox();
    const authorization = await newPlatform(sandbox, { proofs: 'real', world: ofAda });
    const accounts = await sandbox.send('GET', '/customers/internal-accounts', { authorization });
    const accountId = accounts.body.data[0].id;
    const heard = await listenTo(sandbox, authorization);
    must(await sandbox.send('POST', '/auth/credentials', { authorization, body: { type: 'EMAIL_OTP', accountId } }));
    expect(await heard.next()).toEqual({ type: 'CODE', accountId });
    expect(await heard.next()).toMatchObject({ type: 'EXCHANGE', exchange: { operationId: 'createCredential' } });
  });

  test('what was due when the clock was moved, that it was moved, and a reset', async () => {
    const sandbox = await openSandbox();
    const { data: accounts } = data(await sandbox.client.GET('/customers/internal-accounts'));
    const { data: banks } = data(await sandbox.client.GET('/customers/external-accounts'));
    const source = accounts.find(({ balance }) => balance.currency.code === 'USD' && balance.amount > 1000);
    const bank = banks.find(({ currency }) => currency === 'USD');
    const body = {
      source: { sourceType: 'ACCOUNT' as const, accountId: source?.id ?? '' },
      destination: { destinationType: 'ACCOUNT' as const, accountId: bank?.id ?? '' },
      lockedCurrencySide: 'SENDING' as const,
      lockedCurrencyAmount: 500,
    };
    const quote = data(await sandbox.client.POST('/quotes', { body }));
    const due = { kind: 'EXPIRE_QUOTE', subjectId: quote.id, dueAt: quote.expiresAt };
    expect((await sandbox.control('GET', '/due')).body).toEqual({ data: [due] });
    const heard = await listenTo(sandbox);
    await sandbox.advance(3600);
    expect(await heard.next()).toEqual({ type: 'DUE', effect: due });
    expect(await heard.next()).toEqual({ type: 'CONTROL', operationId: 'updateClock' });
    must(await sandbox.send('GET', '/config'));
    expect(await heard.next()).toMatchObject({ type: 'EXCHANGE' });
    expect((await sandbox.control('GET', '/due')).body).toEqual({ data: [] });
    must(await sandbox.control('POST', '/reset'));
    expect(await heard.next()).toEqual({ type: 'CONTROL', operationId: 'resetPlatform' });
  });

  test('no event of another platform, and none of what was refused or rolled back', async () => {
    const sandbox = await openSandbox();
    const other = await newPlatform(sandbox);
    const heard = await listenTo(sandbox, other);
    must(await sandbox.send('GET', '/customers'));
    await sandbox.advance(1);
    expectRefusal(await sandbox.control('POST', '/clock', { authorization: other, body: {} }), 400, 'INVALID_INPUT');
    must(await sandbox.send('GET', '/config', { authorization: other }));
    expect(await heard.next()).toMatchObject({ type: 'EXCHANGE', exchange: { operationId: 'getConfig' } });
  });
});

describe('one exchange', () => {
  test('comes with the findings of the conformance kit, and what they rest on', async () => {
    const sandbox = await openSandbox();
    must(await sandbox.send('GET', '/config'));
    expect((await sandbox.control('GET', '/journal/1')).body).toMatchObject({ operationId: 'getConfig', findings: [] });
    expectRefusal(await sandbox.control('GET', '/journal/2'), 404, 'NOT_FOUND');
    expectRefusal(await sandbox.control('GET', '/journal/first'), 404, 'NOT_FOUND');
  });

  test('shows what differs from the contract, with the decisions that say so', async () => {
    const contract = loadContract();
    let isFirst = true;
    // The sandbox itself would refuse to send this reply, so its own first check is switched off here.
    const checkResponse: typeof contract.checkResponse = (...asked) => {
      const found = isFirst ? [] : contract.checkResponse(...asked);
      isFirst = false;
      return found;
    };
    const getConfig = {
      handle: async () => ({ status: 200, body: { id: 7 } }),
    } as unknown as typeof handlers.getConfig;
    const sandbox = await openSandbox({
      contract: { ...contract, checkResponse },
      handlers: { ...handlers, getConfig },
    });
    must(await sandbox.send('GET', '/config'));
    const { findings } = (await sandbox.control('GET', '/journal/1')).body;
    expect(findings.length).toBeGreaterThan(2);
    expect(findings).toContainEqual({
      in: 'response.body',
      pointer: '/id',
      rule: 'schema/type',
      message: 'must be string',
      basis: 'assumed',
      decisions: expect.arrayContaining([{ id: 'D88', title: 'Forms of texts' }]),
    });
  });

  test('belongs to its platform', async () => {
    const sandbox = await openSandbox();
    must(await sandbox.send('GET', '/config'));
    const authorization = await newPlatform(sandbox);
    expectRefusal(await sandbox.control('GET', '/journal/1', { authorization }), 404, 'NOT_FOUND');
  });
});

describe('bounds', () => {
  test('each token has its share of listeners, and one that leaves makes room', async () => {
    const sandbox = await openSandbox();
    const all: Listening[] = [];
    for (let count = 0; count < 32; count += 1) all.push(await listenTo(sandbox));
    const refused = await sandbox.control('GET', '/events');
    const { message } = expectRefusal(refused, 429, 'RATE_LIMITED');
    expect([message, refused.headers.get('retry-after')]).toEqual([
      'This token already has 32 listeners, which is its limit. Close a console, or try later.',
      '5',
    ]);
    await all[0]?.stop();
    must(await sandbox.control('GET', '/events'));
  });

  test('each platform has its share, whatever its tokens; a deleted platform gives all back', async () => {
    const sandbox = await openSandbox();
    const other = await newPlatform(sandbox);
    const body = { name: 'Another', permissions: ['MANAGE'] };
    const made = (await sandbox.send('POST', '/tokens', { authorization: other, body })).body;
    const third = (await sandbox.send('POST', '/tokens', { authorization: other, body })).body;
    const listening: Listening[] = [];
    for (const { clientId, clientSecret } of [made, third]) {
      const token = basic(clientId, clientSecret);
      for (let count = 0; count < 32; count += 1) listening.push(await listenTo(sandbox, token));
    }
    const refused = await sandbox.control('GET', '/events', { authorization: other });
    expect(expectRefusal(refused, 429, 'RATE_LIMITED').message).toContain('This platform already has 64 listeners');
    must(await sandbox.control('GET', '/events'));
    const heard = listening.map(({ next }) => next());
    must(await sandbox.control('DELETE', '/platform', { authorization: other }));
    expect(new Set((await Promise.all(heard)).map((event) => JSON.stringify(event)))).toEqual(
      new Set(['{"type":"CONTROL","operationId":"deletePlatform"}']),
    );
    for (const { next } of listening) expect(await next()).toBeUndefined();
    const metrics = await sandbox.control('GET', '/metrics', { authorization: null });
    expect(metrics.body).toContain('countersign_event_listeners 0');
  });

  test('the process has a bound of its own', () => {
    const events = createEvents({ ...eventBounds, listeners: { process: 3, platform: 2, token: 2 } });
    const open = (platformId: string) => events.listen(platformId, 'token');
    expect([open('a'), open('a')]).not.toContain(undefined);
    expect([open('a'), events.full('a', 'token'), events.full('a', 'other')]).toEqual([undefined, 'token', 'platform']);
    const last = open('b');
    expect([open('c'), events.full('c', 'token')]).toEqual([undefined, 'process']);
    last?.end();
    last?.end();
    expect([events.count(), events.full('c', 'token')]).toEqual([2, undefined]);
  });

  test('one event is written once for all its listeners', async () => {
    const events = createEvents();
    let written = 0;
    const show = (happening: Happening): unknown => {
      written += 1;
      return happening;
    };
    const quiet = () => new Promise<void>(() => {});
    const listen = () => events.listen('one', 'token');
    const streams = Array.from({ length: 20 }, () =>
      writeEventStream({ listen, show, mayStay: async () => true, quiet })[Symbol.asyncIterator](),
    );
    for (const stream of streams) await stream.next();
    events.tell('one', { type: 'CONTROL', operationId: 'updateClock' });
    const texts = await Promise.all(
      streams.map(async (stream) => new TextDecoder().decode((await stream.next()).value)),
    );
    expect([new Set(texts).size, written]).toEqual([1, 1]);
  });

  test('if events that wait take too much of the process, the listener that holds most misses them', async () => {
    const events = createEvents({ ...eventBounds, bytes: 1000, allBytes: 1500 });
    const [large, small] = [events.listen('greedy', 'token'), events.listen('quiet', 'token')];
    const tell = (platformId: string, bytes: number) => events.tell(platformId, exchangeOf(bytes));
    tell('quiet', 600);
    tell('greedy', 500);
    tell('greedy', 450);
    expect((await large?.next())?.happening).toEqual({ type: 'MISSED', count: 2 });
    expect((await small?.next())?.happening).toMatchObject({ type: 'EXCHANGE', bytes: 600 });
  });

  test('a quiet stream shows that it is alive, and ends when its credentials are no longer valid', async () => {
    const events = createEvents();
    let pass = (): void => {};
    let holds = true;
    const stream = writeEventStream({
      listen: () => events.listen('one', 'token'),
      show: (happening) => happening,
      mayStay: async () => holds,
      quiet: () =>
        new Promise((resolve) => {
          pass = resolve;
        }),
    });
    const reader = stream[Symbol.asyncIterator]();
    const read = async () => {
      const { value } = await reader.next();
      return value === undefined ? undefined : new TextDecoder().decode(value);
    };
    await read();
    expect(events.isHeard('one')).toBe(true);
    const quiet = read();
    pass();
    expect(await quiet).toBe(':\n\n');
    const next = read();
    events.tell('one', { type: 'CONTROL', operationId: 'updateClock' });
    expect(await next).toBe('data: {"type":"CONTROL","operationId":"updateClock"}\n\n');
    holds = false;
    const last = read();
    pass();
    expect([await last, events.isHeard('one')]).toEqual([undefined, false]);
  });

  test('a HEAD opens nothing', async () => {
    const sandbox = await openSandbox();
    for (let count = 0; count < 70; count += 1) must(await sandbox.control('HEAD', '/events'));
  });

  test('a slow reader learns how much it missed, and then continues', async () => {
    const events = createEvents({ ...eventBounds, waiting: 3, bytes: 1000 });
    const listener = openListener(events);
    const tell = (operationId: string) => events.tell('one', { type: 'CONTROL', operationId });
    for (const id of ['a', 'b', 'c', 'd', 'e']) tell(id);
    expect((await listener.next())?.happening).toEqual({ type: 'MISSED', count: 5 });
    tell('f');
    expect((await listener.next())?.happening).toEqual({ type: 'CONTROL', operationId: 'f' });
    const large = exchangeOf(600);
    events.tell('one', large);
    events.tell('one', large);
    expect((await listener.next())?.happening).toEqual({ type: 'MISSED', count: 2 });
  });

  test('no event is prepared while nobody listens', async () => {
    const told: string[] = [];
    const events = createEvents();
    const watched = { isHeard: events.isHeard, tell: (platformId: string) => told.push(platformId) };
    const journal = createJournal({ clock: { now: () => 0 }, clockOf: async () => runningClock, events: watched });
    const request = { method: 'GET', origin, address: '/', headers: Object.assign([], noHeaders), body: null };
    const enter = () => {
      const note = journal.open({ operationId: 'getConfig', request });
      return journal.close({ ...note, platformId: 'one' }, { status: 200 });
    };
    await enter();
    expect(told).toEqual([]);
    const listener = openListener(events);
    await enter();
    expect(told).toEqual(['one']);
    listener.end();
    await enter();
    expect([told, await listener.next()]).toEqual([['one'], undefined]);
  });

  test('a server that stops ends its listeners without waiting', async () => {
    const sandbox = await openSandbox();
    const server = await listen(sandbox, 'localhost', 0);
    const url = `${server.address}/__sandbox/events`;
    const reply = await new Promise<IncomingMessage>((resolve) => {
      get(url, { headers: { authorization: basic('sandbox', 'sandbox') } }, resolve);
    });
    await new Promise((resolve) => reply.once('data', resolve));
    const ended = new Promise((resolve) => reply.once('close', resolve));
    const deadlineMs = 50_000;
    await server.stop(deadlineMs);
    await ended;
    expect(reply.complete).toBe(true);
  });

  test('a client that has gone is noticed without an event', async () => {
    const sandbox = await openSandbox();
    const server = await listen(sandbox, 'localhost', 0);
    onTestFinished(() => server.stop(0));
    const options = { headers: { authorization: basic('sandbox', 'sandbox') } };
    for (let count = 0; count < 32; count += 1) {
      const reply = await new Promise<IncomingMessage>((resolve) => {
        get(`${server.address}/__sandbox/events`, options, resolve);
      });
      await new Promise((resolve) => reply.once('data', resolve));
      reply.destroy();
    }
    // If closed connections still counted, this would be refused.
    await expect.poll(async () => (await sandbox.control('GET', '/events')).status).toBe(200);
  });
});

const noHeaders = { get: () => null, has: () => false, weigh: () => 0 };

function openListener(events: Events): Listener {
  const listener = events.listen('one', 'token');
  if (listener === undefined) throw new Error('There is no room.');
  return listener;
}

function exchangeOf(bytes: number): Happening {
  return { type: 'EXCHANGE', operationId: 'getConfig', entry: () => expect.fail('nobody reads it'), bytes };
}
