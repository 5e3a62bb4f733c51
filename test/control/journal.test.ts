/**
 * Promise: `GET /__sandbox/journal` shows a platform its requests and replies, in limited number and without secrets.
 */
import type { Entry, Har } from 'har-format';
import { describe, expect, test } from 'vitest';
import { fromRequest } from '../../mocks/exchange/web.ts';
import { createJournal, defaultJournalBytes, type JournalBounds } from '../../mocks/sandbox/telemetry/journal.ts';
import { runningClock } from '../../mocks/sandbox/tools/clock.ts';
import { run } from '../support/process/process.ts';
import { byLength } from '../support/run/length.ts';
import {
  basic,
  must,
  openSandbox,
  type SendOptions,
  startOfTime,
  type TestSandbox,
} from '../support/sandbox/harness.ts';
import { openPlatform } from '../support/sandbox/platforms.ts';
import { openAgentStage } from '../support/scenes/agents.ts';

async function readJournal(sandbox: TestSandbox, query = '') {
  const { status, body } = await sandbox.control('GET', `/journal${query}`);
  expect(status).toBe(200);
  return body.data;
}

async function readHar(sandbox: TestSandbox): Promise<Har> {
  const { status, body } = await sandbox.control('GET', '/journal?format=har');
  expect(status).toBe(200);
  return body;
}

const person = { customerType: 'INDIVIDUAL', fullName: 'Ada Byron' };

describe('what is in it', () => {
  test('requests and their answers, the newest first, by the time of the platform', async () => {
    const sandbox = await openSandbox();
    must(await sandbox.control('POST', '/clock', { body: { set: '2030-01-01T00:00:00Z' } }));
    const { body: customer } = await sandbox.send('POST', '/customers', { body: person });
    await sandbox.advance(60);
    must(await sandbox.send('GET', '/customers?limit=1'));
    const [second, first, ...none] = await readJournal(sandbox);
    expect(none).toEqual([]);
    expect(first).toMatchObject({
      operationId: 'createCustomer',
      startedAt: '2030-01-01T00:00:00.000Z',
      durationMs: 0,
      request: { method: 'POST', url: 'http://localhost:4010/2025-10-13/customers', body: person },
      response: { status: 201, body: customer },
    });
    expect(first.request.headers['content-type']).toBe('application/json');
    expect(second).toMatchObject({
      operationId: 'listCustomers',
      startedAt: '2030-01-01T00:01:00.000Z',
      response: { status: 200, headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' } },
    });
    expect(second.request).not.toHaveProperty('body');
  });

  test.each<[string, string, string, SendOptions, number]>([
    ['a body that does not fit', 'POST', '/customers', { body: {} }, 400],
    ["a body that isn't JSON", 'POST', '/customers', { text: '{"otp": 12' }, 400],
    ['an unknown id', 'GET', '/customers/Customer:none', {}, 404],
    ['a canned reply', 'GET', '/customers', { headers: { prefer: 'code=403' } }, 403],
    ['HEAD', 'HEAD', '/customers', {}, 200],
  ])('%s is in it', async (_name, method, path, options, status) => {
    const sandbox = await openSandbox();
    expect((await sandbox.send(method, path, options)).status).toBe(status);
    const [entry] = await readJournal(sandbox);
    expect([entry.request.method, entry.response.status, entry.startedAt]).toEqual([
      method,
      status,
      new Date(startOfTime).toISOString(),
    ]);
    if (method === 'HEAD') expect(entry.response).not.toHaveProperty('body');
  });

  test('what belongs to no platform is not: no credentials, or wrong ones', async () => {
    const sandbox = await openSandbox();
    must(await sandbox.send('GET', '/customers', { authorization: null }), 401);
    must(await sandbox.send('GET', '/customers', { authorization: basic('sandbox', 'wrong') }), 401);
    must(await sandbox.send('GET', '/nothing', { authorization: basic('sandbox', 'wrong') }), 404);
    must(await sandbox.send('POST', '/agents/device-codes/AGENT-0000-0000/redeem', { authorization: null }), 404);
    expect(await readJournal(sandbox)).toEqual([]);
  });

  test("an agent's requests are in its platform's, and only there", async () => {
    const sandbox = await openSandbox();
    const [one, other] = [await openPlatform(sandbox), await openPlatform(sandbox)];
    const { agent } = await openAgentStage(one);
    must(await agent.send('GET', ''));
    expect((await readJournal(one))[0].operationId).toBe('getCurrentAgent');
    expect(await readJournal(other)).toEqual([]);
    expect(await readJournal(sandbox)).toEqual([]);
  });
});

describe('as HAR', () => {
  test('HAR 1.2, from the oldest on', async () => {
    const sandbox = await openSandbox();
    must(await sandbox.send('POST', '/customers', { body: person }));
    await sandbox.advance(1);
    must(await sandbox.send('GET', '/customers?limit=1&customerType=INDIVIDUAL'));
    const { log } = await readHar(sandbox);
    expect(log).toMatchObject({ version: '1.2', creator: { name: 'Countersign sandbox', version: '2025-10-13' } });
    const [first, second] = log.entries as [Entry, Entry];
    const sent = JSON.stringify(person);
    expect(first).toMatchObject({
      startedDateTime: new Date(startOfTime).toISOString(),
      time: 0,
      request: { method: 'POST', bodySize: sent.length, postData: { mimeType: 'application/json', text: sent } },
      response: { status: 201, content: { mimeType: 'application/json' } },
      timings: { send: 0, wait: 0, receive: 0 },
      cache: {},
    });
    expect(second.request).toMatchObject({
      url: 'http://localhost:4010/2025-10-13/customers?limit=1&customerType=INDIVIDUAL',
      queryString: [
        { name: 'limit', value: '1' },
        { name: 'customerType', value: 'INDIVIDUAL' },
      ],
      bodySize: 0,
    });
    expect(second.response.content.size).toBe(Buffer.byteLength(second.response.content.text ?? ''));
  });
});

describe('access and bounds', () => {
  test.each([
    ['?limit=0', 'query /limit'],
    ['?limit=1001', 'query /limit'],
    ['?format=xml', 'query /format'],
    ['?page=2', 'query /page'],
  ])('%s: 400', async (query, place) => {
    const sandbox = await openSandbox();
    const { status, body } = await sandbox.control('GET', `/journal${query}`);
    expect([status, body.message]).toEqual([400, expect.stringContaining(place)]);
  });

  test('limit takes the newest', async () => {
    const sandbox = await openSandbox();
    for (const path of ['/config', '/customers', '/tokens']) must(await sandbox.send('GET', path));
    const names = (await readJournal(sandbox, '?limit=2')).map((entry: { operationId: string }) => entry.operationId);
    expect(names).toEqual(['listTokens', 'listCustomers']);
  });

  test('a reset and a snapshot that is put back leave it: it is a record of what was said, and no state', async () => {
    const sandbox = await openSandbox();
    const platform = await openPlatform(sandbox);
    const snapshot = (await platform.control('GET', '/snapshot')).body;
    for (const path of ['/config', '/customers']) {
      must(await platform.send('GET', path));
      must(await platform.control('POST', '/reset'));
    }
    must(await platform.control('PUT', '/snapshot', { body: snapshot }));
    const names = (await readJournal(platform)).map((entry: { operationId: string }) => entry.operationId);
    expect(names).toEqual(['listCustomers', 'getConfig']);
  });

  test('DELETE empties it, and nobody else’s', async () => {
    const sandbox = await openSandbox();
    const platform = await openPlatform(sandbox);
    must(await sandbox.send('GET', '/config'));
    must(await platform.send('GET', '/config'));
    expect(await platform.control('DELETE', '/journal')).toMatchObject({ status: 204, body: undefined });
    expect(await readJournal(platform)).toEqual([]);
    expect(await readJournal(sandbox)).toHaveLength(1);
    must(await platform.send('GET', '/customers'));
    expect(await readJournal(platform)).toHaveLength(1);
  });

  test('journal: false keeps nothing', async () => {
    const sandbox = await openSandbox({ journal: false });
    expect((await sandbox.send('GET', '/config')).status).toBe(200);
    expect(await readJournal(sandbox)).toEqual([]);
  });

  test.each(byLength(['64'], ['some', '64', '0MiB', '17GiB', '1.5GiB', '-1MiB']))(
    '--journal %s: refused',
    async (size) => {
      const started = run('cli/countersign.mjs', ['start', '--data', ':memory:', '--port', '0', `--journal=${size}`]);
      const message = `--journal takes on, off, or a size from 1MiB to 16GiB such as 256MiB, not "${size}".\n`;
      expect([await started.exit, started.output()]).toEqual([2, message]);
    },
  );

  test('a platform may take an eighth of the size that is given', async () => {
    const sandbox = await openSandbox({ journalBytes: 80_000 });
    for (let number = 0; number < 5; number += 1) {
      must(await sandbox.send('GET', `/nothing/${number}?${'x'.repeat(3000)}`), 404);
    }
    const urls = (await readJournal(sandbox)).map(({ request }: { request: { url: string } }) => request.url);
    expect(urls.map((url: string) => new URL(url).pathname.slice(-1))).toEqual(['4', '3']);
  });

  test.each([
    [0, 64],
    [2 ** 64, 64],
    [1024, 64],
    [512, 32],
    [256, 16],
  ])('with %i MiB of memory, the default is %i MiB', (memory, size) => {
    expect(defaultJournalBytes(memory * 1024 * 1024)).toBe(size * 1024 * 1024);
  });

  describe('of several platforms', () => {
    function open(bounds: JournalBounds) {
      const journal = createJournal({ clock: { now: () => 0 }, clockOf: async () => runningClock, bounds });
      const begin = (platformId: string, name: string) => {
        const request = fromRequest(new Request(`http://localhost/${name}`));
        const note = journal.open({ operationId: 'getConfig', request });
        note.platformId = platformId;
        return note;
      };
      const add = (platformId: string, name: string, size = 0) =>
        journal.close(begin(platformId, name), { status: 200, body: 'x'.repeat(size) });
      const names = (platformId: string) =>
        Array.from(journal.read(platformId), ({ url }) => new URL(url).pathname.slice(1));
      return { journal, begin, add, names };
    }

    test('the oldest of a platform go first, by number and by size', async () => {
      const { add, names } = open({ entries: 3, bytes: 10_000, totalBytes: 15_000 });
      for (const name of ['a', 'b', 'c', 'd']) await add('one', name);
      expect(names('one')).toEqual(['d', 'c', 'b']);
      await add('one', 'large', 9000);
      expect(names('one')).toEqual(['large']);
      await add('two', 'beyond any bound', 20_000);
      expect(names('two')).toEqual([]);
    });

    test('the largest gives way, and a quiet one keeps its entries, however long ago it was used', async () => {
      const { journal, add, names } = open({ entries: 1000, bytes: 50_000, totalBytes: 100_000 });
      for (const name of ['a', 'b', 'c']) await add('quiet', name, 2000);
      for (let number = 0; number < 100; number += 1) {
        for (const loud of ['loud', 'louder', 'loudest']) await add(loud, String(number), 9000);
      }
      expect(names('quiet')).toEqual(['c', 'b', 'a']);
      expect(journal.bytes()).toBeLessThanOrEqual(100_000);
      for (const loud of ['loud', 'louder', 'loudest']) expect(names(loud).slice(0, 2)).toEqual(['99', '98']);
    });

    test('none falls below its share, however many others fill the journal', async () => {
      const { journal, add, names } = open({ entries: 1000, bytes: 50_000, totalBytes: 100_000 });
      const others = Array.from({ length: 9 }, (_, index) => `other ${index}`);
      // A share is 9375 bytes: 15 of 16 parts for ten platforms.
      for (let number = 0; number < 8; number += 1) await add('one', String(number), 500);
      const before = names('one');
      for (let number = 0; number < 300; number += 1) await add(others[number % 9] as string, String(number), 3000);
      expect(names('one')).toEqual(before);
      expect(journal.bytes()).toBeLessThanOrEqual(100_000);
      expect(journal.bytes()).toBeGreaterThan(60_000);
    });

    test('a request that is still in progress when its platform ends leaves nothing', async () => {
      const { journal, begin, add, names } = open({ entries: 1000, bytes: 50_000, totalBytes: 100_000 });
      await add('one', 'a');
      const late = begin('one', 'late');
      journal.end('one');
      await journal.close(late, { status: 200 });
      expect([names('one'), journal.bytes()]).toEqual([[], 0]);
      await add('one', 'of a new platform with the same id');
      expect(names('one')).toHaveLength(1);
    });
  });
});
