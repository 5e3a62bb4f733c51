/**
 * Promise: a client that sends or reads too slowly holds a connection for a bounded time, and nobody else is held up.
 */
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { listen } from '../../mocks/sandbox/server.ts';
import { basic, openSandbox } from '../support/harness.ts';

// Short, but long enough for a busy machine to answer in: each test waits for one of them to pass, once.
const patience = {
  headersTimeout: 400,
  requestTimeout: 500,
  keepAliveTimeout: 300,
  connectionsCheckingInterval: 20,
  idleTimeout: 1000,
};
type App = Parameters<typeof listen>[0];

async function open(app?: App): Promise<Socket> {
  const server = await listen(app ?? (await openSandbox()), '127.0.0.1', 0, { patience });
  onTestFinished(() => server.stop(0));
  const socket = connect(Number(new URL(server.address).port), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  return socket;
}

const head = `POST /2025-10-13/tokens HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${basic('sandbox', 'sandbox')}\r\n`;

describe('a request that does not come to its end', () => {
  test.each([
    ['the head', 'GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: '],
    ['nothing but a first line', 'GET / HTTP/1.1\r\n'],
    ['the body', `${head}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"name":`],
    ['chunks', `${head}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n`],
  ])('%s: is refused, and the connection ends', async (_name, start) => {
    const socket = await open();
    socket.write(start);
    const answer = await text(socket);
    expect(answer).toMatch(/^HTTP\/1\.1 400 [\s\S]*"The request took too long to arrive\."/);
  });

  test('a body that comes a byte at a time does not win time by it', async () => {
    const socket = await open();
    socket.write(`${head}Content-Type: application/json\r\nContent-Length: 100000\r\n\r\n`);
    const drip = setInterval(() => socket.write(' '), 10);
    onTestFinished(() => clearInterval(drip));
    expect(await text(socket)).toContain('took too long');
  });
});

test('a connection without a request, and one kept after an answer, end', async () => {
  expect(await text(await open())).toMatch(/^$|took too long/);
  const kept = await open();
  kept.write('GET /2025-10-13/customers HTTP/1.1\r\nHost: localhost\r\n\r\n');
  expect(await text(kept)).toMatch(/^HTTP\/1\.1 401 /);
});

test('a client that does not read its answer is given up', async () => {
  let ended: () => void = () => {};
  const wasEnded = new Promise<void>((resolve) => {
    ended = resolve;
  });
  const endless = new ReadableStream({
    pull: (controller) => controller.enqueue(new Uint8Array(1024 * 1024)),
    cancel: () => ended(),
  });
  const socket = await open({ fetch: () => new Response(endless) });
  socket.pause();
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await wasEnded;
});
