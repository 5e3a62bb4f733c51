/**
 * Promise: `fetch` in process and a port give the same reply to a request: status, headers and content
 * (mocks/exchange). Requests that only one of them can send are understood too.
 */
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { fromRequest } from '../../mocks/exchange/web.ts';
import { createSandbox } from '../../mocks/sandbox/app.ts';
import { listen } from '../../mocks/sandbox/node/listening/server.ts';
import { openSqlite } from '../../mocks/sandbox/node/sqlite/sqlite.ts';
import { seededChance } from '../../mocks/sandbox/tools/chance.ts';
import { openPort } from '../support/process/server.ts';
import {
  type Answer,
  basic,
  must,
  openSandbox,
  type SendOptions,
  sandboxOver,
  startOfTime,
} from '../support/sandbox/harness.ts';

const page = { origin: 'http://localhost:3000' };
const preflight = { ...page, 'access-control-request-method': 'POST', 'access-control-request-headers': 'x-a' };

/** Without the headers that a connection adds. */
const shownOf = ({ status, headers, body }: Answer) => [
  status,
  [...headers].filter(([name]) => !/^(connection|date|keep-alive)$/.test(name)),
  body,
];

/** One sandbox, in process and on a port. */
async function openBoth() {
  const store = await openSqlite(':memory:');
  onTestFinished(() => store.close());
  const log = { info: () => {}, error: () => {} };
  const app = await createSandbox({ store, clock: { now: () => startOfTime }, chance: seededChance(1), log });
  const server = await listen(app, '127.0.0.1', 0);
  onTestFinished(() => server.stop(0));
  const inProcess = sandboxOver(app.fetch);
  const onPort = sandboxOver((request) => {
    const { pathname, search } = new URL(request.url);
    return fetch(new Request(server.address + pathname + search, request));
  });
  return { inProcess, onPort };
}

describe('in process and on a port', () => {
  const body = { customerType: 'NOBODY' };
  const rows: [method: string, path: string, options: SendOptions][] = [
    ['GET', '/customers', {}],
    ['GET', '/customers?limit=1', { headers: page }],
    ['GET', '/customers?limit=0&nothing=1', {}],
    ['GET', '/customers', { authorization: null }],
    ['GET', '/customers', { headers: { accept: 'text/html' } }],
    ['GET', '/customers', { headers: { prefer: 'code=401' } }],
    ['HEAD', '/customers', {}],
    ['OPTIONS', '/customers', { authorization: null, headers: page }],
    ['OPTIONS', '/customers', { authorization: null, headers: preflight }],
    ['POST', '/customers', { body }],
    ['POST', '/customers', { text: '' }],
    ['POST', '/customers', { body, headers: { 'content-type': 'text/plain' } }],
    ['PUT', '/customers', { body }],
    ['DELETE', '/auth/sessions/Session:none', {}],
    ['GET', '/nothing/%ZZ', {}],
    ['GET', '/nothing', { headers: page }],
  ];
  test.each(rows)('%s %s %j is answered alike', async (method, path, options) => {
    const { inProcess, onPort } = await openBoth();
    const sent = { ...options, headers: { 'X-Request-Id': 'same', ...options.headers } };
    const [first, second] = [await inProcess.send(method, path, sent), await onPort.send(method, path, sent)];
    expect(shownOf(second)).toEqual(shownOf(first));
  });

  test.each(['/health', '/clock', '/metrics/nothing'])('GET /__sandbox%s too', async (path) => {
    const { inProcess, onPort } = await openBoth();
    const sent = { headers: { 'X-Request-Id': 'same' } };
    expect(shownOf(await onPort.control('GET', path, sent))).toEqual(
      shownOf(await inProcess.control('GET', path, sent)),
    );
  });

  test('a connection that a fault rule drops has no answer: fetch fails, and a port sends no byte', async () => {
    const { inProcess, onPort } = await openBoth();
    const rules = [{ operation: 'listCustomers', drop: 'after', times: 2 }];
    must(await inProcess.control('PUT', '/faults', { body: { rules } }));
    await expect(inProcess.send('GET', '/customers')).rejects.toThrow(/dropped by a fault rule/);
    await expect(onPort.send('GET', '/customers')).rejects.toThrow(/fetch failed/);
    expect((await onPort.send('GET', '/customers')).status).toBe(200);
  });
});

describe('a GET on a port', () => {
  const credentials = `Authorization: ${basic('sandbox', 'sandbox')}\r\n`;
  test.each([
    ['a body', 'Content-Length: 2\r\n\r\n{}', 200],
    ['a chunked body', 'Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n', 200],
    ['a header twice', 'Accept: text/html\r\nAccept: */*\r\n\r\n', 200],
    ['one twice that refuses JSON', 'Accept: text/html\r\nAccept: text/css\r\n\r\n', 406],
    ['credentials twice', `${credentials}\r\n`, 401],
    ['__proto__ for a header', '__proto__: x\r\n\r\n', 200],
  ])('with %s', async (_name, rest, status) => {
    const { port } = await openPort(await openSandbox());
    const socket = connect(port, '127.0.0.1');
    socket.write(`GET /2025-10-13/customers HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${credentials}${rest}`);
    expect(await text(socket)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  });

  test('has its headers in our spelling and order, whatever it asks for', async () => {
    const { port } = await openPort(await openSandbox());
    const namesOf = async (line: string) => {
      const socket = connect(port, '127.0.0.1');
      socket.write(`${line} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${credentials}\r\n`);
      const [head = ''] = (await text(socket)).split('\r\n\r\n');
      return [...head.matchAll(/^([\w-]+): /gm)].map(([, name]) => name);
    };
    const common = ['Content-Type', 'Content-Length', 'Cache-Control'];
    const last = ['X-Request-Id', 'Access-Control-Expose-Headers', 'Vary', 'Date', 'Connection'];
    for (const path of ['/2025-10-13/customers', '/2025-10-13/customers/a%3Ab', '/__sandbox/clock', '/nothing']) {
      expect(await namesOf(`GET ${path}`), path).toEqual([...common, ...last]);
    }
    expect(await namesOf('PATCH /2025-10-13/customers')).toEqual([...common, 'Allow', ...last]);
  });
});

describe('a body that is left over', () => {
  test('does not stand in the way of the next request on its connection', async () => {
    const { port } = await openPort(await openSandbox());
    const socket = connect(port, '127.0.0.1');
    const piece = 'x'.repeat(64 * 1024);
    const lines = (line: string, ...more: string[]) => `${[line, 'Host: localhost', ...more].join('\r\n')}\r\n\r\n`;
    // The first is refused for its credentials, before its body is read; the second for its length, in the middle of
    // its body.
    socket.write(lines('POST /2025-10-13/tokens HTTP/1.1', 'Content-Length: 2097152'));
    for (let sent = 0; sent < 2097152; sent += piece.length) socket.write(piece);
    const credentials = `Authorization: ${basic('sandbox', 'sandbox')}`;
    socket.write(lines('POST /2025-10-13/tokens HTTP/1.1', credentials, 'Transfer-Encoding: chunked'));
    for (let count = 0; count < 32; count += 1) socket.write(`10000\r\n${piece}\r\n`);
    socket.write('0\r\n\r\n');
    socket.write(lines('GET /2025-10-13/customers HTTP/1.1', credentials, 'Connection: close'));
    const statuses = [...(await text(socket)).matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => status);
    expect(statuses).toEqual(['401', '413', '200']);
  });
});

describe('a web request as an exchange', () => {
  test.each([
    ['http://localhost:4010/a/b?c=d#e', 'http://localhost:4010', '/a/b?c=d'],
    ['http://localhost', 'http://localhost', '/'],
    ['http://[::1]:80/?x', 'http://[::1]', '/?x'],
    ['https://a.example/%C3%A9?#', 'https://a.example', '/%C3%A9?'],
    ['data:text/plain,x', '', '/data:text/plain,x'],
  ])('%s', (url, origin, address) => {
    expect(fromRequest(new Request(url))).toMatchObject({ origin, address, body: null });
  });

  test('tells a missing header from an empty one, and joins several', () => {
    const headers = new Headers([
      ['x-empty', ''],
      ['x-two', 'a'],
      ['X-Two', 'b'],
    ]);
    const sent = fromRequest(new Request('http://localhost', { headers })).headers;
    expect(['x-none', 'X-Empty', 'x-two'].map((name) => [sent.get(name), sent.has(name)])).toEqual([
      [null, false],
      ['', true],
      ['a, b', true],
    ]);
    expect([...sent]).toEqual([...headers]);
  });
});
