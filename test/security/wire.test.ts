/**
 * Promise: bytes that two servers could read differently are refused and end the connection. Nothing in a request can
 * add a header to its reply.
 */
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { openPort } from '../support/process/server.ts';
import { basic, openSandbox } from '../support/sandbox/harness.ts';

const path = '/2025-10-13/customers';
const common = `Host: localhost\r\nAuthorization: ${basic('sandbox', 'sandbox')}\r\n`;
const hidden = `GET ${path}?hidden=1 HTTP/1.1\r\nHost: localhost\r\n\r\n`;

async function send(bytes: string): Promise<string[]> {
  const { port } = await openPort(await openSandbox());
  const socket = connect(port, '127.0.0.1', () => socket.write(bytes, 'latin1'));
  const answer = await text(socket);
  return [...answer.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status = '']) => status);
}

describe('requests that hide another request', () => {
  test.each([
    ['both lengths', `Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${hidden}`],
    ['both, the other way', `Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n${hidden}`],
    ['two lengths', `Content-Length: 0\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`],
    ['two lengths in one', `Content-Length: 0, ${hidden.length}\r\n\r\n${hidden}`],
    ['a length with a sign', `Content-Length: +0\r\n\r\n${hidden}`],
    ['a negative length', `Content-Length: -1\r\n\r\n${hidden}`],
    ['a length in hexadecimal', `Content-Length: 0x10\r\n\r\n${hidden}`],
    ['a space before the colon', `Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n${hidden}`],
    ['chunked before another coding', `Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n${hidden}`],
    ['a coding nobody knows', `Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${hidden}`],
    ['a bare LF at the end of a line', `X-A: a\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${hidden}`],
    ['a bare CR in a value', `X-A: a\rContent-Length: 0\r\n\r\n${hidden}`],
    ['NUL in a value', `X-A: a\u0000b\r\n\r\n${hidden}`],
    ['a folded line', `X-A: a\r\n Transfer-Encoding: chunked\r\n\r\n${hidden}`],
    ['an invalid chunk size', `Transfer-Encoding: chunked\r\n\r\n-1\r\n${hidden}`],
  ])('%s: one refusal, and the connection ends', async (_name, rest) => {
    const statuses = await send(`POST ${path} HTTP/1.1\r\n${common}${rest}`);
    expect(statuses).toEqual(['400']);
  });

  test.each([
    ['GET /2025-10-13/customers\r\n\r\n'],
    ['GET / HTTP/0.9\r\n\r\n'],
    ['GET / HTTP/2.0\r\n\r\n'],
    ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ])('another version of HTTP: %j', async (bytes) => {
    expect((await send(bytes)).every((status) => ['400', '505'].includes(status))).toBe(true);
  });

  test('requests one behind the other are answered in their order, each by itself', async () => {
    const one = (query: string) => `GET ${path}${query} HTTP/1.1\r\n${common}`;
    const bytes = `${one('')}\r\n${one('?a=1')}\r\nDELETE ${path} HTTP/1.1\r\n${common}Connection: close\r\n\r\n`;
    expect(await send(bytes)).toEqual(['200', '400', '405']);
  });
});

describe("limits of a request's head", () => {
  test.each([
    ['an address of 100 KB', `GET ${path}?a=${'a'.repeat(100_000)} HTTP/1.1\r\n${common}\r\n`],
    ['a header of 100 KB', `GET ${path} HTTP/1.1\r\n${common}X-A: ${'a'.repeat(100_000)}\r\n\r\n`],
    ['5000 headers', `GET ${path} HTTP/1.1\r\n${common}${'a: b\r\n'.repeat(5000)}\r\n`],
    ['endless headers', `GET ${path} HTTP/1.1\r\n${'a: b\r\n'.repeat(3000)}`],
  ])('%s: 400', async (_name, bytes) => {
    expect(await send(bytes)).toEqual(['400']);
  });

  test.each([
    ['1000 parameters', `${path}?${Array.from({ length: 1000 }, (_, index) => `a${index}=1`).join('&')}`],
    ['one a thousand times', `${path}?${'limit=1&'.repeat(1000)}`],
  ])('%s: 400, and the answer stays short', async (_name, address) => {
    const server = await openPort(await openSandbox());
    const answer = await server.request(`GET ${address} HTTP/1.1`);
    expect(answer.status).toBe(400);
    expect(JSON.stringify(answer.body).length).toBeLessThan(16_000);
  });
});

test.each(['%0d%0aX-Injected:%201', '%0aX-Injected: 1', '%0d%0a%0d%0a<script>'])(
  "line ends in path, query and headers don't start a header of the reply: %s",
  async (payload) => {
    const server = await openPort(await openSandbox());
    const escaped = payload.replaceAll(' ', '%20');
    const lines = [`GET ${path}/${escaped} HTTP/1.1`, `GET ${path}?a=${escaped} HTTP/1.1`, `GET /${escaped} HTTP/1.1`];
    for (const line of lines) {
      const answer = await server.request(line, `X-Request-Id: ${payload}`, `Prefer: example=${payload}`);
      expect(answer.headers.has('x-injected')).toBe(false);
      expect(answer.status).toBeGreaterThanOrEqual(400);
    }
  },
);

test.each([
  '/reference/../package.json',
  '/reference/%2e%2e/package.json',
  '/reference/..%2fpackage.json',
  '/reference/..%5cpackage.json',
  '/reference/%2e%2e%2f%2e%2e%2fetc/passwd',
  '/reference//etc/passwd',
  '/reference/page.js%00.html',
  '/reference/page.js/../../../package.json',
])('%s serves no other file', async (address) => {
  const server = await openPort(await openSandbox());
  const answer = await server.request(`GET ${address} HTTP/1.1`);
  expect([400, 404]).toContain(answer.status);
});
