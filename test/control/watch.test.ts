/**
 * Promise: a read through `/__sandbox/watch` gets what the interface would answer, and leaves no trace: it uses up no
 * fault, is in no journal, event or operation's metric, and the platform goes on as if nobody had read
 * (docs/reference/control-surface.md).
 */
import { describe, expect, test } from 'vitest';
import { basePath, watchPath } from '../../contract/match.ts';
import { operations } from '../../generated/operations.ts';
import { expectRefusal } from '../support/expect/apiError.ts';
import { authorizationFor, openTargets, pathOf } from '../support/requests/targets.ts';
import { type Answer, basic, data, must, openSandbox, type TestSandbox } from '../support/sandbox/harness.ts';
import { openPlatform } from '../support/sandbox/platforms.ts';
import { openOwner, quote } from '../support/scenes/transfers.ts';

type Options = Parameters<TestSandbox['control']>[2];

/** Sends a request through the door; `path` is relative to the interface's base address. */
const watch = (sandbox: TestSandbox, path: string, options?: Options, method = 'GET') =>
  sandbox.control(method, `/watch${basePath}${path}`, options);

const shown = ({ status, headers, body }: Answer) => [status, Object.fromEntries(headers), body];
const sameId = { 'X-Request-Id': 'same' };
const journal = async (sandbox: TestSandbox): Promise<unknown[]> =>
  (await sandbox.control('GET', '/journal')).body.data;
const snapshot = async (sandbox: TestSandbox) => (await sandbox.control('GET', '/snapshot')).body;
const plant = async (sandbox: TestSandbox, ...rules: object[]) =>
  must(await sandbox.control('PUT', '/faults', { body: { rules } }));
const planted = async (sandbox: TestSandbox) => (await sandbox.control('GET', '/faults')).body.rules;

const reads = operations.filter(({ method }) => method === 'GET');

describe('each read of the interface', () => {
  test('gets the same reply, and changes nothing, not even by a lookup that is kept', async () => {
    const sandbox = await openSandbox();
    const targets = await openTargets(sandbox);
    for (const operation of reads) {
      const before = [await snapshot(sandbox), await journal(sandbox)];
      const authorization = authorizationFor(operation, targets);
      const options = { headers: sameId, ...(authorization === undefined ? {} : { authorization }) };
      const path = pathOf(operation, targets);
      const watched = [await watch(sandbox, path, options), await watch(sandbox, path, options)];
      expect([await snapshot(sandbox), await journal(sandbox)], operation.id).toEqual(before);
      const asked = await sandbox.send('GET', path, options);
      expect(asked.status, operation.id).toBe(200);
      for (const answer of watched) expect(shown(answer), operation.id).toEqual(shown(asked));
    }
  });

  test('is refused like there: credentials, permissions, what is not found, the query, the path, Accept', async () => {
    const sandbox = await openSandbox();
    const body = { name: 'No view', permissions: ['TRANSACT' as const] };
    const { clientId, clientSecret } = data(await sandbox.client.POST('/tokens', { body }));
    const cases: [path: string, options: Options, status: number][] = [
      ['/customers', { authorization: null }, 401],
      ['/customers', { authorization: basic('sandbox', 'wrong') }, 401],
      ['/customers', { authorization: 'Bearer nothing' }, 401],
      ['/agents/me', {}, 401],
      ['/customers', { authorization: basic(clientId, clientSecret) }, 403],
      ['/customers/Customer:0199e0a4-2f00-7a31-8f5e-6d0b5c2a1eff', {}, 404],
      ['/customers/kyc-link', {}, 404],
      ['/nothing', {}, 404],
      ['/customers?limit=0&colour=blue', {}, 400],
      ['/customers?limit=%zz', {}, 400],
      ['/customers/%zz', {}, 400],
      ['/customers', { headers: { accept: 'text/html' } }, 406],
      ['/customers', { headers: { prefer: 'code=403' } }, 403],
      ['/customers', { headers: { prefer: 'code=999' } }, 400],
    ];
    for (const [path, options = {}, status] of cases) {
      const given = { ...options, headers: { ...sameId, ...options.headers } };
      const asked = await sandbox.send('GET', path, given);
      expect([path, asked.status]).toEqual([path, status]);
      expect(shown(await watch(sandbox, path, given))).toEqual(shown(asked));
    }
  });

  test('shows what is due as done, which then has happened at its own time', async () => {
    const [watched, other] = [await openSandbox(), await openSandbox()];
    for (const sandbox of [watched, other]) {
      const owner = await openOwner('000', {}, sandbox);
      const { id } = await quote(owner);
      await sandbox.advance(600);
      if (sandbox === watched) expect((await watch(sandbox, `/quotes/${id}`)).body.status).toBe('EXPIRED');
      expect((await sandbox.send('GET', `/quotes/${id}`)).body.status).toBe('EXPIRED');
    }
    expect(await snapshot(watched)).toEqual(await snapshot(other));
  });
});

describe('a fault', () => {
  test.each([{ status: 503 }, { drop: 'before' }, { drop: 'after' }, { delayMs: 60_000 }])(
    'of %j is left for the app, and acts on its next request although the reply was read before',
    async (what) => {
      const delays: number[] = [];
      const sandbox = await openSandbox({ wait: async (milliseconds) => void delays.push(milliseconds) });
      const rules = [{ operation: 'listCustomers', ...what, times: 1 }];
      await plant(sandbox, ...rules);
      for (let number = 0; number < 3; number += 1) must(await watch(sandbox, '/customers'), 200);
      expect([await planted(sandbox), delays]).toEqual([rules, []]);
      const app = await sandbox.send('GET', '/customers').then(
        ({ status }) => status,
        () => 'dropped',
      );
      expect([app, delays]).toEqual([what.status ?? (what.drop ? 'dropped' : 200), what.delayMs ? [what.delayMs] : []]);
      expect(await planted(sandbox)).toEqual([]);
    },
  );
});

describe('no trace', () => {
  test('in the metrics of an operation, of kept replies or of ids; the log calls it by its own name', async () => {
    const lines: (string | null)[] = [];
    const log = {
      info: () => {},
      error: () => {},
      request: (line: { operation: string | null }) => void lines.push(line.operation),
    };
    const sandbox = await openSandbox({ log });
    const metrics = async () => (await sandbox.control('GET', '/metrics', { authorization: null })).body as string;
    for (let number = 0; number < 3; number += 1) must(await watch(sandbox, '/customers'));
    must(await watch(sandbox, '/customers', {}, 'HEAD'));
    expect(new Set(lines)).toEqual(new Set([`GET ${watchPath}`]));
    const text = await metrics();
    expect(text).not.toContain('listCustomers');
    expect(text).toContain(`countersign_requests_total{operation="GET ${watchPath}",status="200",code=""} 4`);
    expect(text).toContain('countersign_reply_cache_hits_total 0');
    const { headers } = await sandbox.send('GET', '/customers');
    expect(headers.get('x-request-id')).toMatch(/^[0-9a-f]{16}-1$/);
  });

  test('in the events', async () => {
    const sandbox = await openSandbox();
    const headers = { authorization: basic('sandbox', 'sandbox') };
    const { body } = await sandbox.fetch(new Request('http://localhost:4010/__sandbox/events', { headers }));
    const reader = (body as ReadableStream<Uint8Array>).getReader();
    await reader.read();
    must(await watch(sandbox, '/customers'));
    must(await watch(sandbox, '/customers/none'), 404);
    must(await sandbox.send('GET', '/config'));
    const first = new TextDecoder().decode((await reader.read()).value);
    await reader.cancel();
    expect(first).toContain('"operationId":"getConfig"');
  });
});

describe('the door', () => {
  test('takes GET and HEAD only, and OPTIONS says so', async () => {
    const sandbox = await openSandbox();
    const before = await snapshot(sandbox);
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      const body = method === 'POST' ? { body: { customerType: 'INDIVIDUAL' } } : {};
      const refused = await watch(sandbox, '/customers', body, method);
      expectRefusal(refused, 405, 'METHOD_NOT_ALLOWED');
      expect(refused.headers.get('allow')).toBe('GET, HEAD, OPTIONS');
    }
    const options = await watch(sandbox, '/customers', {}, 'OPTIONS');
    expect([options.status, options.headers.get('allow')]).toEqual([204, 'GET, HEAD, OPTIONS']);
    const head = await watch(sandbox, '/customers', {}, 'HEAD');
    expect([head.status, Number(head.headers.get('content-length')) > 0, head.body]).toEqual([200, true, undefined]);
    expect(await snapshot(sandbox)).toEqual(before);
  });

  test.each(['GET', 'POST'])('has no %s of what can only be sent', async (method) => {
    const sandbox = await openSandbox();
    const refused = await watch(sandbox, '/quotes', method === 'POST' ? { body: {} } : {}, method);
    expectRefusal(refused, 405, 'METHOD_NOT_ALLOWED');
    expect(refused.headers.get('allow')).toBe('OPTIONS');
  });

  test('is only below its own address, and leads nowhere else', async () => {
    const sandbox = await openSandbox();
    for (const path of ['', '/', '/customers', '/2024-01-01/customers', `${basePath}x/customers`, '/__sandbox/clock']) {
      expectRefusal(await sandbox.control('GET', `/watch${path}`), 404, 'NOT_FOUND');
    }
    expectRefusal(await sandbox.control('GET', `/watch${basePath}`), 404, 'NOT_FOUND');
    expectRefusal(await sandbox.control('GET', `/watch/__sandbox/watch${basePath}/customers`), 404, 'NOT_FOUND');
  });

  test('shows a token its own platform only', async () => {
    const sandbox = await openSandbox();
    const other = await openPlatform(sandbox);
    const { id } = (await other.send('POST', '/customers', { body: { customerType: 'INDIVIDUAL' } })).body;
    expect((await watch(other, `/customers/${id}`)).status).toBe(200);
    expectRefusal(await watch(sandbox, `/customers/${id}`), 404, 'USER_NOT_FOUND');
  });
});
