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
  lingerTimeout: 100,
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

test('a client that sends slowly and reads nothing loses its socket soon after the refusal', async () => {
  const server = await listen(await openSandbox(), '127.0.0.1', 0, { patience });
  onTestFinished(() => server.stop(0));
  const port = Number(new URL(server.address).port);
  const closed = Array.from({ length: 5 }, () => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    onTestFinished(() => void socket.destroy());
    socket.pause();
    socket.write('GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ');
    // It goes on after the refusal, so the idle timeout never ends it.
    const drip = setInterval(() => socket.write('a'), 10);
    return new Promise<string>((resolve) => {
      socket
        .on('error', () => {})
        .once('close', () => {
          clearInterval(drip);
          resolve('closed');
        });
    });
  });
  expect(await Promise.all(closed)).toEqual(closed.map(() => 'closed'));
});

test('a request that arrived while the process stood still is answered, also if the connection was idle for too long', async () => {
  const short = {
    ...patience,
    keepAliveTimeout: 100,
    idleTimeout: 60_000,
    requestTimeout: 60_000,
    headersTimeout: 60_000,
  };
  const server = await listen(await openSandbox(), '127.0.0.1', 0, { patience: short });
  onTestFinished(() => server.stop(0));
  const socket = connect(Number(new URL(server.address).port), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  const request = 'GET /2025-10-13/customers HTTP/1.1\r\nHost: localhost\r\n\r\n';
  let received = '';
  const answers = (count: number) =>
    new Promise<void>((resolve, reject) => {
      const look = () => {
        if (received.split('HTTP/1.1 401 ').length > count) resolve();
      };
      socket.on('error', reject).on('close', () => reject(new Error(`closed after ${received}`)));
      socket.on('data', (bytes: Buffer) => {
        received += bytes.toString('latin1');
        look();
      });
    });
  const first = answers(1);
  socket.write(request);
  await first;
  const second = answers(2);
  // The bytes are at the server before the process stands still, and the time for an idle connection ends meanwhile. Node adds a
  // second to that time.
  socket.write(request);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1500);
  await second;
});

test('connections have a bound: one more is closed at once, the others stay, and a place is given back', async () => {
  const server = await listen(await openSandbox(), '127.0.0.1', 0, { maxConnections: 2 });
  onTestFinished(() => server.stop(0));
  const open = () => {
    const socket = connect(Number(new URL(server.address).port), '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    return socket.on('error', () => {});
  };
  const ask = (socket: Socket) => {
    const answered = new Promise<string>((resolve) => {
      socket.once('data', (bytes: Buffer) => resolve(bytes.toString('latin1').slice(0, 12)));
      socket.once('close', () => resolve('closed'));
    });
    socket.write('GET /2025-10-13/customers HTTP/1.1\r\nHost: localhost\r\n\r\n');
    return answered;
  };
  const [first, second] = [open(), open()];
  expect([await ask(first), await ask(second)]).toEqual(['HTTP/1.1 401', 'HTTP/1.1 401']);
  expect(await ask(open())).toBe('closed');
  expect(await ask(first)).toBe('HTTP/1.1 401');
  second.destroy();
  await expect.poll(() => ask(open())).toBe('HTTP/1.1 401');
});

test('a client that waits for long work keeps its connection, however long the work takes', async () => {
  const late = () =>
    new Promise<Response>((resolve) => {
      setTimeout(() => resolve(new Response('late')), 2 * patience.idleTimeout);
    });
  const socket = await open({ fetch: late });
  socket.write('GET /__sandbox/ledger HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 [\s\S]*late/);
});

test('a large snapshot may take longer to be read than other bodies', async () => {
  const sandbox = await openSandbox();
  const { body } = await sandbox.control('GET', '/snapshot');
  const snapshot = Buffer.from(JSON.stringify(body));
  const { fetch = sandbox.fetch } = sandbox.onPort;
  const socket = await open({ fetch, onPort: sandbox.onPort });
  socket.write(
    `PUT /__sandbox/snapshot HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${basic('sandbox', 'sandbox')}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${snapshot.length}\r\nConnection: close\r\n\r\n`,
  );
  const half = snapshot.length >> 1;
  socket.write(snapshot.subarray(0, half));
  setTimeout(() => socket.write(snapshot.subarray(half)), 1.6 * patience.requestTimeout);
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 204 /);
});
