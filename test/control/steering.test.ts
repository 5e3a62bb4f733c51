/**
 * Promise: a user controls a sandbox, in the program or over HTTP, with typed calls: one for each operation of the
 * control surface's contract, and shortcuts for what tests do most. The user can also make platforms.
 */
import { describe, expect, expectTypeOf, onTestFinished, test } from 'vitest';
import controlDocument from '../../generated/control.json' with { type: 'json' };
import { type ControlCallFacts, controlCalls } from '../../generated/controlCalls.ts';
import { controlOperations } from '../../generated/controlOperations.ts';
import { type Clock, type Control, ControlError, createControl, type Journal } from '../../package/control.ts';
import { createSandbox, type Sandbox, type SandboxOptions } from '../../package/sandbox.ts';
import { writeControlCalls } from '../../scripts/generate/controlCalls.ts';
import type { ContractDocument } from '../../scripts/lib/contract.ts';
import { basic, data } from '../support/sandbox/harness.ts';

async function open(options?: SandboxOptions): Promise<Sandbox> {
  const sandbox = await createSandbox(options);
  onTestFinished(() => sandbox.close());
  return sandbox;
}

/** In the program, and over HTTP. */
const ways: readonly (readonly [string, (options?: SandboxOptions) => Promise<Control>])[] = [
  ['in process', async (options) => (await open(options)).control],
  ['over HTTP', async (options) => createControl({ url: await (await open(options)).listen() })],
];

const ada = { customer: { customerType: 'INDIVIDUAL', email: 'ada@example.com' } } as const;

/** Registers the e-mail address of a platform's first wallet. With real proofs that sends a code. */
async function sendCode({ client }: Pick<Control, 'client'>): Promise<string> {
  const query = { type: 'EMBEDDED_WALLET' as const };
  const [wallet] = data(await client().GET('/customers/internal-accounts', { params: { query } })).data;
  const accountId = wallet?.id ?? '';
  data(await client().POST('/auth/credentials', { body: { type: 'EMAIL_OTP', accountId } }));
  return accountId;
}

describe('the calls', () => {
  type AnyCall = (...given: unknown[]) => unknown;
  const groupsOf = (control: Control) => control as unknown as Record<string, Record<string, AnyCall>>;

  test('are those of the contract: each operation is one, sent to its place and by whom it asks for', async () => {
    const seen: string[] = [];
    const fetch = async (request: Request) => {
      const { pathname, search } = new URL(request.url);
      const body = await request.text();
      seen.push([request.method, pathname + search, request.headers.get('authorization'), body].join(' '));
      return Response.json({});
    };
    const control = createControl({ url: 'http://localhost:4010', controlToken: 'secret', fetch });
    const call = async ({ group, name, inPath, hasBody, hasQuery, reply }: ControlCallFacts) => {
      const given = [...inPath.map(() => 'one'), ...(hasBody ? [{ a: 1 }] : []), ...(hasQuery ? [{ limit: 2 }] : [])];
      const result = groupsOf(control)[group]?.[name]?.(...given);
      await (reply === 'events' ? (result as AsyncIterator<unknown>).next() : result);
    };
    for (const facts of controlCalls) await call(facts);
    const authorization = { manager: basic('sandbox', 'sandbox'), operator: 'Bearer secret', anyone: '' };
    const expected = controlOperations.map(({ method, path, caller, body }) => {
      const query = ['/journal', '/ledger'].includes(path) && method === 'GET' ? '?limit=2' : '';
      const sent = body === 'none' ? '' : '{"a":1}';
      return [method, `/__sandbox${path.replace(/\{\w+\}/, 'one')}${query}`, authorization[caller], sent].join(' ');
    });
    expect(seen).toEqual(expected);
  });

  test('a new operation becomes one without a word of ours, and two of one name are refused', () => {
    const contract = controlDocument as unknown as ContractDocument;
    const added = (path: string, operation: object) =>
      writeControlCalls({ ...contract, paths: { ...contract.paths, [path]: { get: operation } } });
    const clock = contract.paths['/clock']?.['get'] as object;
    const weather = { ...clock, operationId: 'getWeather', summary: 'Get the weather', description: 'Always fine.' };
    expect(added('/weather', weather)).toMatch(
      /readonly weather: \{\n {4}\/\*\*\n {5}\* Get the weather: `GET \/weather`\. Always fine\.\n {5}\*\/\n {4}get\(options\?: CallOptions\): Promise<Clock>;/,
    );
    expect(() => added('/time', { ...clock, operationId: 'getClock2', 'x-call': 'clock.get' })).toThrow(
      'Two operations are called clock.get: give one an x-call',
    );
    expect(() => added('/time', { ...clock, operationId: 'weather' })).toThrow(/weather would be called .*x-call/);
  });
});

describe.each(ways)('%s', (_way, openControl) => {
  test('reads and moves the clock, plants a fault, and reads the journal, typed', async () => {
    const control = await openControl({ frozenAt: new Date('2026-02-03T04:05:06Z') });
    expectTypeOf(control.clock.get).returns.resolves.toEqualTypeOf<Clock>();
    expectTypeOf(control.journal.get).returns.resolves.toEqualTypeOf<Journal>();
    expect(await control.clock.advance(60)).toEqual({ now: '2026-02-03T04:06:06.000Z', frozen: true });
    expect(await control.clock.set(new Date('2026-03-01T00:00:00Z'))).toMatchObject({
      now: '2026-03-01T00:00:00.000Z',
    });
    expect(await control.clock.freeze(false)).toMatchObject({ frozen: false });
    expect(await control.clock.freeze()).toMatchObject({ frozen: true });
    await control.faults.replace({ rules: [{ operation: 'listCustomers', status: 503, times: 1 }] });
    expect((await control.client().GET('/customers')).response.status).toBe(503);
    expect(data(await control.client().GET('/customers')).totalCount).toBe(2);
    const [newest, oldest] = (await control.journal.get()).data;
    expect([newest?.response.status, oldest?.response.status]).toEqual([200, 503]);
    expect((await control.journal.get({ limit: 1 })).data).toEqual([newest]);
    expect((await control.journal.har()).log.entries).toHaveLength(2);
    expect(await control.journal.getExchange(newest?.id ?? '')).toMatchObject({ findings: [] });
    expect(await control.metrics.get()).toContain('countersign_requests_total');
  });

  test('takes a snapshot and puts it back', async () => {
    const control = await openControl();
    const before = await control.snapshot.get();
    data(await control.client().POST('/customers', { body: ada.customer }));
    await control.snapshot.restore(before);
    expect(data(await control.client().GET('/customers')).totalCount).toBe(2);
  });

  test('gives a platform of its own, which no other sees, and ends it', async () => {
    const control = await openControl({ controlToken: undefined });
    const [one, other] = await Promise.all([
      control.platform({ world: { customers: [ada] }, proofs: 'real' }),
      control.platform(),
    ]);
    expect([one.proofs, other.proofs]).toEqual(['real', 'magic']);
    expect(one.url).toMatch(/^http:\/\/localhost(?::\d+)?\/2025-10-13$/);
    const count = async ({ client }: Pick<Control, 'client'>) => data(await client().GET('/customers')).totalCount;
    expect([await count(one), await count(other), await count(control)]).toEqual([1, 0, 2]);
    await one.control.clock.freeze();
    expect((await other.control.clock.get()).frozen).toBe(false);
    const asOther = one.client({ credentials: other.credentials });
    expect(data(await asOther.GET('/customers')).totalCount).toBe(0);
    expect((await one.client({ credentials: null }).GET('/customers')).response.status).toBe(401);
    await Promise.all([one.close(), one.close()]);
    expect((await one.client().GET('/customers')).response.status).toBe(401);
    expect(await count(other)).toBe(0);
  });

  test('reports events until the listener stops', async () => {
    const control = await openControl();
    const abort = new AbortController();
    const [events, others] = [control.events.listen(), control.events.listen({ signal: abort.signal })];
    const heard = [events.next(), others.next()];
    // A stream has no events from before it was opened, so move the clock until both hear one.
    for (let isHeard = false; !isHeard; ) {
      await control.clock.advance(1);
      isHeard = await Promise.race([Promise.all(heard).then(() => true), control.health.get().then(() => false)]);
    }
    const event = { done: false, value: { type: 'CONTROL', operationId: 'updateClock' } };
    expect(await Promise.all(heard)).toEqual([event, event]);
    await events.return?.();
    expect((await events.next()).done).toBe(true);
    abort.abort();
    while (!(await others.next()).done);
  });

  test('hands over the newest one-time code, and waits for the first', async () => {
    const control = await openControl();
    expect(await control.outbox.code({ to: 'nobody@example.com' })).toBe('000000');
    const grace = { customer: { customerType: 'INDIVIDUAL', email: 'grace@example.com' } } as const;
    const platform = await control.platform({ proofs: 'real', world: { customers: [ada, grace] } });
    const waiting = platform.control.outbox.code();
    const accountId = await sendCode(platform);
    const { to, code } = (await platform.control.outbox.get()).data[0] ?? { to: '', code: '' };
    expect(await waiting).toBe(code);
    expect(await platform.control.outbox.code({ to: to.toUpperCase() })).toBe(code);
    expect(await platform.control.outbox.code({ accountId })).toBe(code);
    await expect(platform.control.outbox.code({ to: 'nobody@example.com', timeoutMs: 20 })).rejects.toThrow(
      'No code was sent to nobody@example.com within 20 ms. Register an EMAIL_OTP credential, or ask for its challenge, first.',
    );
    const given = AbortSignal.abort(new Error('given up'));
    await expect(platform.control.outbox.code({}, { signal: given })).rejects.toThrow('given up');
  });

  test('a call that fails says what was called, why, and what to do', async () => {
    const control = await openControl();
    const moved = await control.clock.advance(-1).catch((error: unknown) => error);
    expect(moved).toBeInstanceOf(ControlError);
    expect(moved).toMatchObject({ status: 400, code: 'INVALID_INPUT', name: 'ControlError' });
    expect((moved as Error).message).toBe('clock.update(): Invalid body /advanceSeconds: must be >= 0.');
    const platform = await control.platform();
    await platform.close();
    await expect(platform.control.clock.get()).rejects.toThrow(
      "clock.get(): The client id or secret is wrong. Give the credentials of one of the platform's tokens, which must have MANAGE.",
    );
    await expect(control.events.listen({ signal: AbortSignal.abort() }).next()).rejects.toThrow(/abort/i);
  });
});

describe('what can be wrong with a place', () => {
  test.each(['localhost:4010', '', 'ftp://localhost'])("%j isn't an address of a sandbox", (url) => {
    expect(() => createControl({ url })).toThrow(/^url is the address of a sandbox, such as http:\/\/localhost:4010/);
  });

  test.each(['http://localhost:1', 'http://localhost:1/2025-10-13/'])('nobody is at %s', async (url) => {
    await expect(createControl({ url }).health.get()).rejects.toThrow(
      /^health\.get\(\): GET http:\/\/localhost:1\/__sandbox\/health got no answer: .*\. Start a sandbox there \(npx countersign start\), or give the url of one that runs\.$/,
    );
  });

  test('something else is there', async () => {
    const fetch = async () => new Response('<h1>Not found</h1>', { status: 404 });
    await expect(createControl({ url: 'https://app.example', fetch }).clock.get()).rejects.toThrow(
      /a body that doesn't fit the contract .*\. Is a sandbox at https:\/\/app\.example\? Give the url of one\.$/,
    );
  });

  test('a guarded sandbox lets who has its token make platforms, in process too', async () => {
    const sandbox = await open({ controlToken: 'let-me-in' });
    const url = await sandbox.listen();
    await expect(createControl({ url }).platform()).rejects.toThrow(
      / Give the controlToken that the sandbox was started with \(--control-token\)\.$/,
    );
    const platforms = [await createControl({ url, controlToken: 'let-me-in' }).platform(), await sandbox.platform()];
    for (const { client } of platforms) expect(data(await client().GET('/customers')).totalCount).toBe(0);
  });
});
