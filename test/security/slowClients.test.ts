/**
 * Promise: a client that sends or reads too slowly holds a connection only for a limited time, and no other client
 * waits.
 */
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { listen } from '../support/process/fetchApp.ts';
import { basic, openSandbox } from '../support/sandbox/harness.ts';

// Short, but long enough for an answer on a busy machine. Each test waits once until one of them has passed.
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

// The waits of a test run at the same time.
test('a request that never ends is refused, and the connection ends', async () => {
  const rows = [
    ['the head', 'GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: '],
    ['only a first line', 'GET / HTTP/1.1\r\n'],
    ['the body', `${head}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"name":`],
    ['chunks', `${head}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n`],
  ] as const;
  const answers = rows.map(async ([name, start]) => {
    const socket = await open();
    socket.write(start);
    return [name, await text(socket)];
  });
  // A body that comes byte by byte doesn't get more time.
  const dripping = await open();
  dripping.write(`${head}Content-Type: application/json\r\nContent-Length: 100000\r\n\r\n`);
  const drip = setInterval(() => dripping.write(' '), 10);
  onTestFinished(() => clearInterval(drip));

  const tooLong = expect.stringMatching(/^HTTP\/1\.1 400 [\s\S]*"The request took too long to arrive\."/);
  expect(await Promise.all(answers)).toEqual(rows.map(([name]) => [name, tooLong]));
  expect(await text(dripping)).toEqual(tooLong);
});

test('a connection without a request, and one kept after an answer, end', async () => {
  const [idle, kept] = await Promise.all([open(), open()]);
  kept.write('GET /2025-10-13/customers HTTP/1.1\r\nHost: localhost\r\n\r\n');
  const [nothing, answered] = await Promise.all([text(idle), text(kept)]);
  expect(nothing).toMatch(/^$|took too long/);
  expect(answered).toMatch(/^HTTP\/1\.1 401 /);
});

test('a client that never reads its reply loses the connection', async () => {
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
