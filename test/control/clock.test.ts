/**
 * Promise: a platform's clock moves forward on request and never back, and everything that has a time follows it
 * (D43).
 */
import { describe, expect, onTestFinished, test } from 'vitest';
import { expectRefusal, faultPlaces } from '../support/expect/apiError.ts';
import { makePlace } from '../support/sandbox/database.ts';
import { must, openSandbox, startOfTime, type TestSandbox } from '../support/sandbox/harness.ts';
import { openPlatform } from '../support/sandbox/platforms.ts';
import { openWallet, registerEmailOtp, signIn } from '../support/scenes/builders.ts';

const start = '2025-10-13T09:00:00.000Z';
const change = (sandbox: TestSandbox, body: unknown) => sandbox.control('POST', '/clock', { body });

/** A sandbox on a machine clock that the test moves too. */
async function openOverMachine() {
  let now = startOfTime;
  const sandbox = await openSandbox({ clock: { now: () => now } });
  const pass = (seconds: number): void => {
    now += seconds * 1000;
  };
  return { sandbox, pass };
}

describe('reading', () => {
  test('shows the time and whether it stands', async () => {
    const answer = await (await openSandbox()).control('GET', '/clock');
    expect([answer.status, answer.body]).toEqual([200, { now: start, frozen: false }]);
  });

  test('runs with the machine', async () => {
    const { sandbox, pass } = await openOverMachine();
    pass(90.5);
    expect(await sandbox.now()).toBe('2025-10-13T09:01:30.500Z');
  });
});

describe('moving', () => {
  test.each([
    [{ advanceSeconds: 0 }, start],
    [{ advanceSeconds: 300 }, '2025-10-13T09:05:00.000Z'],
    [{ advanceSeconds: 0.25 }, '2025-10-13T09:00:00.250Z'],
    [{ advanceSeconds: 3_153_600_000 }, '2125-09-19T09:00:00.000Z'],
    [{ set: start }, start],
    [{ set: '2026-02-28T23:59:59Z' }, '2026-02-28T23:59:59.000Z'],
    [{ set: '2026-01-01T01:00:00+02:00' }, '2025-12-31T23:00:00.000Z'],
    [{ set: '2026-01-01t00:00:00.123456z' }, '2026-01-01T00:00:00.123Z'],
    [{ set: '2026-12-31T23:59:60Z' }, '2027-01-01T00:00:00.000Z'],
    [{ set: '9998-12-31T23:59:59.999Z' }, '9998-12-31T23:59:59.999Z'],
  ])('case 100: %o takes it to %s, written with an upper-case Z', async (body, now) => {
    const sandbox = await openSandbox();
    const answer = await change(sandbox, body);
    expect([answer.status, answer.body]).toEqual([200, { now, frozen: false }]);
    expect(await sandbox.now()).toBe(now);
  });

  test('steps add up, and it runs on from there', async () => {
    const { sandbox, pass } = await openOverMachine();
    await sandbox.advance(10);
    pass(5);
    await sandbox.advance(10);
    pass(5);
    expect(await sandbox.now()).toBe('2025-10-13T09:00:30.000Z');
  });

  test('what is created carries the new time, what is there keeps its own', async () => {
    const sandbox = await openSandbox();
    await sandbox.advance(3600);
    const { customer } = await openWallet(sandbox);
    expect(customer.createdAt).toBe('2025-10-13T10:00:00.000Z');
    const { data } = (await sandbox.send('GET', '/customers')).body;
    expect(data.at(-1).createdAt).toBe(start);
  });

  test('at the last moment it can be set to, everything still works', async () => {
    const sandbox = await openSandbox();
    await change(sandbox, { set: '9998-12-31T23:59:59.999Z' });
    const { accountId } = await openWallet(sandbox);
    const session = await signIn(sandbox, (await registerEmailOtp(sandbox, accountId)).id);
    expect(session.expiresAt).toBe('9999-01-01T00:14:59.999Z');
    expect((await sandbox.send('DELETE', `/auth/sessions/${session.id}`)).status).toBe(202);
  });
});

describe('freezing', () => {
  test('stops it, advancing moves it, and letting go starts it from there', async () => {
    const { sandbox, pass } = await openOverMachine();
    expect((await change(sandbox, { freeze: true })).body).toEqual({ now: start, frozen: true });
    pass(60);
    expect(await sandbox.now()).toBe(start);
    await sandbox.advance(30);
    pass(60);
    expect((await sandbox.control('GET', '/clock')).body).toEqual({ now: '2025-10-13T09:00:30.000Z', frozen: true });
    expect((await change(sandbox, { freeze: false })).body).toEqual({ now: '2025-10-13T09:00:30.000Z', frozen: false });
    pass(10);
    expect(await sandbox.now()).toBe('2025-10-13T09:00:40.000Z');
  });

  test.each([true, false])('twice (%s) is the same as once', async (freeze) => {
    const { sandbox, pass } = await openOverMachine();
    await change(sandbox, { freeze });
    pass(10);
    const now = await sandbox.now();
    await change(sandbox, { freeze });
    expect(await sandbox.now()).toBe(now);
  });
});

describe('when the clock of the machine goes back', () => {
  const listTimes = async (sandbox: TestSandbox): Promise<string[]> =>
    (await sandbox.control('GET', '/journal')).body.data.map(({ startedAt }: { startedAt: string }) => startedAt);

  test('the time of a platform stands still until the machine has caught up', async () => {
    const { sandbox, pass } = await openOverMachine();
    pass(100);
    expect(await sandbox.now()).toBe('2025-10-13T09:01:40.000Z');
    pass(-3600);
    expect(await sandbox.now()).toBe('2025-10-13T09:01:40.000Z');
    const { customer } = await openWallet(sandbox);
    expect(customer.createdAt).toBe('2025-10-13T09:01:40.000Z');
    expect((await listTimes(sandbox))[0]).toBe('2025-10-13T09:01:40.000Z');
    pass(3599);
    expect(await sandbox.now()).toBe('2025-10-13T09:01:40.000Z');
    pass(2);
    expect(await sandbox.now()).toBe('2025-10-13T09:01:41.000Z');
  });

  test.each<[name: string, body: object, now: string, later: string]>([
    ['advancing', { advanceSeconds: 10 }, '2025-10-13T09:01:50.000Z', '2025-10-13T09:01:55.000Z'],
    ['setting', { set: '2025-10-13T09:02:00Z' }, '2025-10-13T09:02:00.000Z', '2025-10-13T09:02:05.000Z'],
    ['letting go', { freeze: false }, '2025-10-13T09:01:40.000Z', '2025-10-13T09:01:45.000Z'],
    ['freezing', { freeze: true }, '2025-10-13T09:01:40.000Z', '2025-10-13T09:01:40.000Z'],
  ])('%s it continues from where it stands', async (_name, body, now, later) => {
    const { sandbox, pass } = await openOverMachine();
    pass(100);
    await sandbox.now();
    pass(-3600);
    expect((await change(sandbox, body)).body.now).toBe(now);
    pass(5);
    expect(await sandbox.now()).toBe(later);
  });

  test('no read writes, and a write keeps its instant over a restart', async () => {
    const place = await makePlace();
    let now = startOfTime;
    const open = async () => {
      const store = await place();
      const sandbox = await openSandbox({ store, clock: { now: () => now } });
      const rows = (): Promise<unknown> =>
        store.read(async (reader) => (await reader.execute({ sql: 'select * from platforms', parameters: [] })).rows);
      return { store, sandbox, rows };
    };
    const first = await open();
    const { data } = (await first.sandbox.send('GET', '/customers')).body;
    now += 60_000;
    const path = `/customers/${data[0].id}`;
    must(await first.sandbox.send('PATCH', path, { body: { customerType: data[0].customerType } }));
    const written = await first.rows();
    now += 60_000;
    for (const read of ['/customers', '/transactions', path]) must(await first.sandbox.send('GET', read));
    expect(await first.sandbox.now()).toBe('2025-10-13T09:02:00.000Z');
    expect(await first.rows()).toEqual(written);
    await first.store.close();

    now = startOfTime;
    const second = await open();
    onTestFinished(() => second.store.close());
    expect(await second.sandbox.now()).toBe('2025-10-13T09:01:00.000Z');
    expect((await second.sandbox.send('GET', path)).body.updatedAt).toBe('2025-10-13T09:01:00.000Z');
  });

  test('a reset, a snapshot and another platform have the time of the machine', async () => {
    const { sandbox, pass } = await openOverMachine();
    const taken = (await sandbox.control('GET', '/snapshot')).body;
    const other = await openPlatform(sandbox);
    pass(100);
    must(await sandbox.send('POST', '/tokens', { body: { name: 'one', permissions: ['VIEW'] } }));
    pass(-50);
    expect([await sandbox.now(), await other.now()]).toEqual(['2025-10-13T09:01:40.000Z', '2025-10-13T09:00:50.000Z']);
    must(await sandbox.control('POST', '/reset'));
    expect(await sandbox.now()).toBe('2025-10-13T09:00:50.000Z');
    pass(50);
    must(await sandbox.send('POST', '/tokens', { body: { name: 'one', permissions: ['VIEW'] } }));
    pass(-50);
    must(await sandbox.control('PUT', '/snapshot', { body: taken }));
    expect(await sandbox.now()).toBe('2025-10-13T09:00:50.000Z');
  });
});

describe('refusals', () => {
  test.each<[name: string, body: unknown, places: string[]]>([
    ['a step back', { advanceSeconds: -1 }, ['body /advanceSeconds']],
    ['a step beyond a hundred years', { advanceSeconds: 3_153_600_001 }, ['body /advanceSeconds']],
    ['a step that is text', { advanceSeconds: '60' }, ['body /advanceSeconds']],
    ['the moment before', { set: '2025-10-13T08:59:59.999Z' }, ['body /set']],
    ['the same by another offset', { set: '2025-10-13T09:00:00+00:01' }, ['body /set']],
    ['beyond the last moment', { set: '9999-01-01T00:00:00Z' }, ['body /set']],
    ['a space for the T', { set: '2026-01-01 00:00:00Z' }, ['body /set']],
    ['an offset without its colon', { set: '2026-01-01T00:00:00+0000' }, ['body /set']],
    ['no offset', { set: '2026-01-01T00:00:00' }, ['body /set']],
    ["a day that doesn't exist", { set: '2026-02-29T00:00:00Z' }, ['body /set']],
    ['a leap second at noon', { set: '2026-01-01T12:00:60Z' }, ['body /set']],
    ['a number', { set: 1_800_000_000_000 }, ['body /set']],
    ['freeze that is text', { freeze: 'yes' }, ['body /freeze']],
    ['nothing', {}, ['body ']],
    ['two at once', { advanceSeconds: 1, freeze: true }, ['body ']],
    ['an unknown field', { rewind: 1 }, ['body /rewind']],
    ['a list', [], ['body ']],
    ['no body', undefined, ['body ']],
  ])('%s is 400, and the clock stays', async (_name, body, places) => {
    const sandbox = await openSandbox();
    const refused = expectRefusal(await change(sandbox, body), 400, 'INVALID_INPUT');
    expect(faultPlaces(refused)).toEqual(places);
    expect(await sandbox.now()).toBe(start);
  });

  test('other methods are 405 with Allow', async () => {
    const answer = await (await openSandbox()).control('PUT', '/clock', { body: { set: start } });
    expectRefusal(answer, 405, 'METHOD_NOT_ALLOWED');
    expect(answer.headers.get('allow')).toBe('GET, POST, HEAD, OPTIONS');
  });

  test('another type is 415, broken JSON 400', async () => {
    const sandbox = await openSandbox();
    const typed = { text: '{"freeze":true}', headers: { 'content-type': 'text/plain' } };
    expectRefusal(await sandbox.control('POST', '/clock', typed), 415, 'UNSUPPORTED_MEDIA_TYPE');
    expectRefusal(await sandbox.control('POST', '/clock', { text: '{' }), 400, 'INVALID_INPUT');
  });
});
