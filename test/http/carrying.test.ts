/**
 * Promise: requests and replies pass through Node's HTTP server unchanged (mocks/exchange/node.ts). Content comes in
 * pieces, and a failed transfer is never taken for a complete one. A complete body counts even if its sender has gone.
 */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type ExchangeHandler, noAnswer, type Reply } from '../../mocks/exchange/exchange.ts';
import { fromIncoming, writeReply } from '../../mocks/exchange/node.ts';
import { toFetch } from '../../mocks/exchange/web.ts';

async function open(answer: (incoming: IncomingMessage) => Reply | Promise<Reply>): Promise<number> {
  const server: Server = createServer((incoming, outgoing) => void writeReply(answer(incoming), incoming, outgoing));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** Everything that comes back over a new connection. */
async function exchange(port: number, bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(bytes);
  return text(socket);
}

const get = (method = 'GET') => `${method} / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`;
const bytes = (content: string) => new TextEncoder().encode(content);

describe('content', () => {
  async function* pieces(...given: (string | Error)[]): AsyncIterable<Uint8Array> {
    for (const piece of given) {
      if (piece instanceof Error) throw piece;
      yield bytes(piece);
    }
  }
  const replyOf = (content: Reply['content']): Reply => ({ status: 200, headers: { 'X-A': 'a' }, content });

  test.each<[name: string, content: () => Reply['content'], shown: string]>([
    ['none', () => undefined, ''],
    ['text', () => 'é', 'é'],
    ['bytes', () => bytes('ab'), 'ab'],
    ['a stream', () => pieces('a', 'b'), 'ab'],
    ['a stream of nothing', () => pieces(), ''],
  ])('%s', async (_name, content, shown) => {
    const port = await open(() => replyOf(content()));
    const response = await fetch(`http://127.0.0.1:${port}`);
    expect([response.status, response.headers.get('x-a'), await response.text()]).toEqual([200, 'a', shown]);
    expect(await exchange(port, get('HEAD'))).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*\r\n\r\n$/);
    const inProcess = toFetch(async () => replyOf(content()));
    expect(await (await inProcess(new Request('http://localhost'))).text()).toBe(shown);
    expect(await (await inProcess(new Request('http://localhost', { method: 'HEAD' }))).text()).toBe('');
  });

  test('a stream that fails breaks the connection off, before its end and before its beginning', async () => {
    for (const given of [['a', new Error('planted')], [new Error('planted')]]) {
      const answer: ExchangeHandler = async () => replyOf(pieces(...given));
      const port = await open(() => replyOf(pieces(...given)));
      await expect(fetch(`http://127.0.0.1:${port}`).then((response) => response.text())).rejects.toThrow();
      const response = await toFetch(answer)(new Request('http://localhost'));
      await expect(response.text()).rejects.toThrow('planted');
    }
  });

  test('a stream is released when nobody reads it any more', async () => {
    let ended: () => void = () => {};
    const wasEnded = new Promise<void>((resolve) => {
      ended = resolve;
    });
    async function* endless(): AsyncIterable<Uint8Array> {
      try {
        for (;;) yield bytes('a'.repeat(1024));
      } finally {
        ended();
      }
    }
    const response = await toFetch(async () => replyOf(endless()))(new Request('http://localhost'));
    const reader = response.body?.getReader();
    await reader?.read();
    await reader?.cancel();
    await wasEnded;
  });

  test('without an answer, or with one that fails, no byte is sent', async () => {
    expect(await exchange(await open(() => noAnswer), get())).toBe('');
    expect(await exchange(await open(() => Promise.reject(new Error('planted'))), get())).toBe('');
  });
});

describe('a body whose sender has gone before anybody reads', () => {
  /** The result of reading after the connection has ended. */
  const readLate = async (sent: string): Promise<string> => {
    let read: (content: Promise<string>) => void = () => {};
    const wasRead = new Promise<string>((resolve) => {
      read = resolve;
    });
    const port = await open(async (incoming) => {
      await new Promise<void>((resolve) => incoming.once('close', resolve));
      const body = fromIncoming(incoming)?.body;
      read((body?.read(100) ?? Promise.reject(new Error('no body'))).then((some) => new TextDecoder().decode(some)));
      return noAnswer;
    });
    const socket = connect(port, '127.0.0.1');
    socket.write(`POST / HTTP/1.1\r\nHost: localhost\r\n${sent}`, () => socket.destroy());
    return wasRead;
  };

  test.each([
    ['sized', 'Content-Length: 2\r\n\r\n{}'],
    ['in chunks', 'Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n1\r\n}\r\n0\r\n\r\n'],
  ])('is read, if all of it came: %s', async (_name, sent) => {
    expect(await readLate(sent)).toBe('{}');
  });

  test.each([
    ['sized', 'Content-Length: 3\r\n\r\n{}'],
    ['in chunks', 'Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n1\r\n}\r\n'],
  ])('is none, if it broke off: %s', async (_name, sent) => {
    await expect(readLate(sent)).rejects.toThrow('The connection ended before the body was complete');
  });
});
