/**
 * Promise: a body is limited in size, depth and number of values, however it arrives. Beyond the limits the client soon
 * receives an error, and no other client waits.
 */
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { type ErrorCode, version } from '../../generated/operations.ts';
import { expectRefusal } from '../support/expect/apiError.ts';
import { openPort, type SandboxOnPort } from '../support/process/server.ts';
import {
  type Answer,
  baseUrl,
  basic,
  openSandbox,
  type SendOptions,
  type TestSandbox,
} from '../support/sandbox/harness.ts';
import { openSignedInWallet } from '../support/scenes/builders.ts';

const mebibyte = 1024 * 1024;
const valid = JSON.stringify({ customerType: 'INDIVIDUAL', fullName: 'Ada' });
const padded = (size: number): string => valid + ' '.repeat(size - valid.length);
const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);

async function countCustomers(sandbox: TestSandbox): Promise<number> {
  return (await sandbox.send('GET', '/customers')).body.totalCount;
}

describe('unwieldy bodies', () => {
  const many = (count: number, item: (index: number) => unknown): string =>
    `{"name":"a","permissions":[${Array.from({ length: count }, (_, index) => JSON.stringify(item(index)))}]}`;

  test.each([
    ['a million brackets', nested(mebibyte / 2)],
    ['65 levels', nested(65)],
    ['brackets never closed', '['.repeat(mebibyte)],
    ['braces', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`],
    ['a long number deep down', `${'['.repeat(100_000)}1234567890123456.5${']'.repeat(100_000)}`],
    ['two deep items to compare', `{"name":"a","permissions":[${nested(9999)},${nested(9999)}]}`],
    ['half a million items', many(500_000, () => 0)],
    ['items that differ', many(100_000, (index) => index)],
    ['a hundred thousand fields', `{${Array.from({ length: 100_000 }, (_, index) => `"${index}":0`)}}`],
    ['a string of quotes', `"${'\\"'.repeat(mebibyte / 2 - 1)}`],
  ])('%s: 400, at once', async (_name, text) => {
    const sandbox = await openSandbox();
    const answer = await sandbox.send('POST', '/tokens', { text });
    expectRefusal(answer, 400, 'INVALID_INPUT');
    expect(JSON.stringify(answer.body).length).toBeLessThan(1000);
    expect(sandbox.log).toEqual([]);
  });

  test.each([
    ['nested more than 64 levels deep', nested(64), nested(65)],
    ['nested more than 64 levels deep', `[${nested(63)},${nested(63)}]`, `[${nested(63)},${nested(64)}]`],
    ['holds more than 10000 values', many(9999, () => 0), many(10_000, () => 0)],
  ])('%s: only beyond the limit', async (says, most, tooMuch) => {
    const sandbox = await openSandbox();
    const messageFor = async (text: string): Promise<string> =>
      expectRefusal(await sandbox.send('POST', '/tokens', { text }), 400, 'INVALID_INPUT').message;
    expect(await messageFor(most)).not.toContain(says);
    expect(await messageFor(tooMuch)).toContain(says);
  });

  test('up to the limits of values and faults the answer still says what is wrong, and stays short', async () => {
    const sandbox = await openSandbox();
    const refused = expectRefusal(
      await sandbox.send('POST', '/tokens', { text: many(9_990, (n) => n) }),
      400,
      'INVALID_INPUT',
    );
    expect(refused.details?.errors).toHaveLength(100);
    expect(refused.message).toContain('permissions');
  });

  test('brackets inside a string are text', async () => {
    const sandbox = await openSandbox();
    const body = { customerType: 'INDIVIDUAL', fullName: `\\"${'[{,'.repeat(80)}` };
    expect(await sandbox.send('POST', '/customers', { body })).toMatchObject({ status: 201, body });
  });
});

describe('size', () => {
  test('a body of 1 MiB to the byte is read, one byte more is 413', async () => {
    const sandbox = await openSandbox();
    expect((await sandbox.send('POST', '/customers', { text: padded(mebibyte) })).status).toBe(201);
    const before = await countCustomers(sandbox);
    const answer = await sandbox.send('POST', '/customers', { text: padded(mebibyte + 1) });
    expect(expectRefusal(answer, 413, 'PAYLOAD_TOO_LARGE').message).toContain('1048576');
    expect(await countCustomers(sandbox)).toBe(before);
  });

  test('nothing of a body that is too large is kept in the journal, whether its length was announced or not', async () => {
    const sandbox = await openSandbox();
    const headers = { authorization: basic('sandbox', 'sandbox'), 'content-type': 'application/json' };
    const text = padded(mebibyte + 1);
    for (const body of [text, new Blob([text]).stream()]) {
      const init = { method: 'POST', headers, body, duplex: 'half' };
      expect((await sandbox.fetch(new Request(`${baseUrl}/customers`, init))).status).toBe(413);
    }
    const { data } = (await sandbox.control('GET', '/journal')).body;
    expect(data.map(({ request }: { request: object }) => 'body' in request)).toEqual([false, false]);
  });

  test('the size counts in bytes, not in characters', async () => {
    const sandbox = await openSandbox();
    const text = JSON.stringify({ customerType: 'INDIVIDUAL', fullName: 'é'.repeat(mebibyte / 2) });
    expectRefusal(await sandbox.send('POST', '/customers', { text }), 413, 'PAYLOAD_TOO_LARGE');
  });

  test("case 22: an empty body with a JSON type on DELETE isn't a body", async () => {
    const sandbox = await openSandbox();
    const { email } = await openSignedInWallet(sandbox);
    const headers = { 'content-type': 'application/json', 'content-length': '0' };
    const plain = await sandbox.send('DELETE', `/auth/credentials/${email.id}`);
    const empty = await sandbox.send('DELETE', `/auth/credentials/${email.id}`, { headers });
    expect([plain.status, empty.status]).toEqual([202, 202]);
  });

  test('a body where none is declared is not looked at', async () => {
    const sandbox = await openSandbox();
    const { email } = await openSignedInWallet(sandbox);
    const options: SendOptions = { text: '{"broken":', headers: { 'content-type': 'text/plain' } };
    expect((await sandbox.send('DELETE', `/auth/credentials/${email.id}`, options)).status).toBe(202);
  });
});

describe('on the wire', () => {
  /** Sends a body in chunks of a size, with or without its length in the head, and reads the reply to its end. */
  const post = (server: SandboxOnPort, body: Buffer, type: string, mode: 'sized' | 'chunked', size: number) =>
    new Promise<Answer>((resolve, reject) => {
      const headers = {
        authorization: basic('sandbox', 'sandbox'),
        'content-type': type,
        ...(mode === 'sized' ? { 'content-length': body.length } : { 'transfer-encoding': 'chunked' }),
      };
      const request = httpRequest(`${server.base}/tokens`, { method: 'POST', headers }, async (response) => {
        const text = Buffer.concat(await response.toArray()).toString('utf8');
        const got = new Headers(response.headers as Record<string, string>);
        resolve({ status: response.statusCode ?? 0, headers: got, body: JSON.parse(text) });
      });
      request.on('error', reject);
      for (let at = 0; at < body.length; at += size) request.write(body.subarray(at, at + size));
      request.end();
    });

  test.each<[name: string, text: string, type: string, status: number, code: ErrorCode | undefined]>([
    ['a valid body', '{"name":"é","permissions":["VIEW"]}', 'application/json', 201, undefined],
    ['an invalid one', '{"name":"é"}', 'application/json', 400, 'INVALID_INPUT'],
    ['broken JSON', '{"name":', 'application/json', 400, 'INVALID_INPUT'],
    ['another type', '{"name":"a","permissions":["VIEW"]}', 'text/plain', 415, 'UNSUPPORTED_MEDIA_TYPE'],
  ])('case 20: %s has the same answer sized and in chunks of one byte', async (_name, text, type, status, code) => {
    const server = await openPort(await openSandbox());
    for (const mode of ['sized', 'chunked'] as const) {
      const answer = await post(server, Buffer.from(text), type, mode, 1);
      expect([mode, answer.status]).toEqual([mode, status]);
      if (code !== undefined) expectRefusal(answer, status, code);
    }
  });

  test.each(['sized', 'chunked'] as const)('case 26: 11 MB %s is 413, and the client receives it', async (mode) => {
    const server = await openPort(await openSandbox());
    const body = Buffer.alloc(11_000_000, ' ');
    for (let time = 0; time < 3; time += 1) {
      expectRefusal(await post(server, body, 'application/json', mode, 65_536), 413, 'PAYLOAD_TOO_LARGE');
    }
  });

  test('case 26: a refusal before the body is read arrives too', async () => {
    const server = await openPort(await openSandbox());
    expect((await post(server, Buffer.alloc(11_000_000, 'a'), 'text/plain', 'chunked', 65_536)).status).toBe(413);
    const head = `POST /${version}/tokens HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 2000000\r\n\r\n`;
    expectRefusal(await server.exchange(head, Buffer.alloc(2_000_000)), 401, 'UNAUTHORIZED');
  });

  describe('a client that waits to be asked for its body (RFC 9110, 10.1.1)', () => {
    const credentials = `Authorization: ${basic('sandbox', 'sandbox')}`;
    /**
     * Sends a head with `Expect: 100-continue`, and the body after the server has asked for it. Returns everything that
     * came back.
     */
    const offer = async (line: string, headers: readonly string[], sent: string): Promise<string> => {
      const server = await openPort(await openSandbox());
      return new Promise((resolve, reject) => {
        let got = '';
        const socket = connect(server.port, '127.0.0.1');
        const lines = [line, 'Host: localhost', 'Content-Type: application/json', 'Expect: 100-continue', ...headers];
        socket.write(`${lines.join('\r\n')}\r\n\r\n`);
        socket.setEncoding('utf8').on('data', (chunk: string) => {
          got += chunk;
          if (got === 'HTTP/1.1 100 Continue\r\n\r\n') socket.write(sent);
          else if (/^\r\n\{.*\}$/ms.test(got.slice(got.lastIndexOf('\r\n\r\n') + 2))) socket.end();
        });
        socket.on('close', () => resolve(got));
        socket.on('error', reject);
      });
    };

    test.each([
      ['more than 1 MiB', `POST /${version}/tokens HTTP/1.1`, [credentials, 'Content-Length: 1048577'], 413],
      [
        'more than a snapshot may have',
        'PUT /__sandbox/snapshot HTTP/1.1',
        [credentials, 'Content-Length: 1073741825'],
        413,
      ],
      [
        'wrong credentials',
        `POST /${version}/tokens HTTP/1.1`,
        ['Authorization: Basic YTpi', 'Content-Length: 10'],
        401,
      ],
      ['an unknown path', `POST /${version}/nothing HTTP/1.1`, [credentials, 'Content-Length: 10'], 404],
      ['a page from elsewhere', `POST /${version}/tokens HTTP/1.1`, ['Origin: null', 'Content-Length: 10'], 403],
    ])('%s: refused at once, and the connection ends', async (_name, line, headers, status) => {
      const got = await offer(line, headers, 'never sent');
      expect(got).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
      expect(got).toMatch(/\r\nConnection: close\r\n/i);
    });

    test.each([
      ['sized', (body: string) => [`Content-Length: ${Buffer.byteLength(body)}`], (body: string) => body],
      [
        'chunked',
        () => ['Transfer-Encoding: chunked'],
        (body: string) => `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
      ],
    ] as const)('what may be read is asked for, once: %s', async (_name, framing, frame) => {
      const got = await offer(`POST /${version}/customers HTTP/1.1`, [credentials, ...framing(valid)], frame(valid));
      expect(got).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 201 /);
      expect(got).toMatch(/\r\nConnection: keep-alive\r\n/i);
    });
  });

  test("a client that goes away in the middle of its body isn't a fault of ours", async () => {
    const sandbox = await openSandbox();
    const server = await openPort(sandbox);
    const head = `POST /${version}/tokens HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${basic('sandbox', 'sandbox')}`;
    await new Promise<void>((resolve) => {
      const socket = connect(server.port, '127.0.0.1', () => {
        socket.write(`${head}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"name":`, () =>
          socket.destroy(),
        );
      });
      socket.on('close', () => resolve());
    });
    // The next answer comes after the server has noticed the end of the previous connection.
    for (let time = 0; time < 5; time += 1) await fetch(`${server.base}/customers`);
    expect(sandbox.log).toEqual([]);
  });
});
