/**
 * Promise: a body is JSON in UTF-8, declared as such, of bounded size and shape; anything else is refused in the one
 * error shape whichever way it arrives, and nothing comes of it.
 */
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { type ErrorCode, version } from '../../generated/operations.ts';
import { expectRefusal, faultPlaces } from '../support/apiError.ts';
import { openSignedInWallet } from '../support/builders.ts';
import { type Answer, baseUrl, basic, openSandbox, type SendOptions, type TestSandbox } from '../support/harness.ts';
import { openPort, type SandboxOnPort } from '../support/server.ts';

const mebibyte = 1024 * 1024;
const valid = JSON.stringify({ customerType: 'INDIVIDUAL', fullName: 'Ada' });
const bytes = (...values: number[]): Uint8Array<ArrayBuffer> => Uint8Array.from(values);
const padded = (size: number): string => valid + ' '.repeat(size - valid.length);
const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);

async function countCustomers(sandbox: TestSandbox): Promise<number> {
  return (await sandbox.send('GET', '/customers')).body.totalCount;
}

describe('what is no JSON', () => {
  const cases: [name: string, text: string | Uint8Array<ArrayBuffer>][] = [
    ['a truncated body', '{"customerType":'],
    ['nothing but white space', ' \r\n\t'],
    ['two values', `${valid}${valid}`],
    ['a trailing comma', '{"customerType":"INDIVIDUAL",}'],
    ['single quotes', "{'customerType':'INDIVIDUAL'}"],
    ['a comment', `${valid}//`],
    ['NaN', 'NaN'],
    ['undefined', 'undefined'],
    ['a form', 'customerType=INDIVIDUAL'],
    ['a number with a leading zero', '{"amount":01}'],
    ['a raw line break in a string', '{"customerType":"INDIVI\nDUAL"}'],
    ['a raw NUL', '{"customerType":"INDIVIDUAL"}\u0000'],
    ['an unknown escape', '{"customerType":"\\x41"}'],
    ['invalid UTF-8', bytes(0x7b, 0x22, 0xff, 0x22, 0x7d)],
    ['an overlong slash', bytes(0x22, 0xc0, 0xaf, 0x22)],
    ['half a surrogate pair in UTF-8', bytes(0x22, 0xed, 0xa0, 0x80, 0x22)],
    ['UTF-16 with a byte order mark', Uint8Array.from(Buffer.from(`\ufeff${valid}`, 'utf16le'))],
    ['UTF-16 without', Uint8Array.from(Buffer.from(valid, 'utf16le'))],
    ['Latin-1', Uint8Array.from(Buffer.from('{"fullName":"é"}', 'latin1'))],
    ['gzip', bytes(0x1f, 0x8b, 0x08, 0x00)],
  ];

  test.each(cases)('case 25: %s is 400 for the body as a whole', async (_name, text) => {
    const sandbox = await openSandbox();
    const before = await countCustomers(sandbox);
    const body = expectRefusal(await sandbox.send('POST', '/customers', { text }), 400, 'INVALID_INPUT');
    expect(faultPlaces(body)).toEqual(['body ']);
    expect(await countCustomers(sandbox)).toBe(before);
  });

  test('the message says where, and repeats nothing of the body', async () => {
    const sandbox = await openSandbox();
    const text = '{"name":"s3cret", oops}';
    const body = expectRefusal(await sandbox.send('POST', '/tokens', { text }), 400, 'INVALID_INPUT');
    expect(body.message).toContain('position 18');
    expect(JSON.stringify(body)).not.toMatch(/s3cret|oops/);
  });
});

describe('JSON that is no request', () => {
  test.each(['null', '[]', '5', '"text"', 'true', '[{}]', 'nested'])('case 25: %s is 400', async (text) => {
    const sandbox = await openSandbox();
    const options = { text: text === 'nested' ? nested(64) : text };
    const body = expectRefusal(await sandbox.send('POST', '/tokens', options), 400, 'INVALID_INPUT');
    expect(faultPlaces(body)).toEqual(['body ']);
  });

  test('case 25: an empty body where one is required is 400, with a media type and without', async () => {
    const sandbox = await openSandbox();
    for (const headers of [{}, { 'content-type': 'application/json' }]) {
      const body = expectRefusal(await sandbox.send('POST', '/tokens', { headers }), 400, 'INVALID_INPUT');
      expect(faultPlaces(body)).toEqual(['body ']);
    }
  });

  test('every fault is listed at once, each with its place', async () => {
    const sandbox = await openSandbox();
    const body = { permissions: ['VIEW', 'VIEW', 'ADMIN'], name: '', 'a/b~c': 1 };
    const refused = expectRefusal(await sandbox.send('POST', '/tokens?x=1', { body }), 400, 'INVALID_INPUT');
    const places = ['body /a~1b~0c', 'body /name', 'body /permissions', 'body /permissions/2', 'query /x'];
    expect(faultPlaces(refused)).toEqual(places);
  });

  test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
    'a field called %s is unknown',
    async (name) => {
      const sandbox = await openSandbox();
      const text = `{"name":"a","permissions":["VIEW"],"${name}":{"admin":true}}`;
      const refused = expectRefusal(await sandbox.send('POST', '/tokens', { text }), 400, 'INVALID_INPUT');
      expect(faultPlaces(refused)).toEqual([`body /${name}`]);
      expect(({} as { admin?: boolean }).admin).toBeUndefined();
    },
  );

  test.each([
    ['NUL', '"\\u0000"'],
    ['half a surrogate pair', '"\\ud800"'],
    ['the other half', '"a\\udc00"'],
    ['the halves the wrong way round', '"\\udc00\\ud800"'],
  ])('%s in a string is 400 at its place', async (_name, text) => {
    const sandbox = await openSandbox();
    const body = `{"customerType":"INDIVIDUAL","fullName":${text}}`;
    const refused = expectRefusal(await sandbox.send('POST', '/customers', { text: body }), 400, 'INVALID_INPUT');
    expect(faultPlaces(refused)).toEqual(['body /fullName']);
    const asKey = `{"customerType":"INDIVIDUAL",${text}:1}`;
    expectRefusal(await sandbox.send('POST', '/customers', { text: asKey }), 400, 'INVALID_INPUT');
  });

  test('what only looks like them is kept', async () => {
    const sandbox = await openSandbox();
    const text = '{"customerType":"INDIVIDUAL","fullName":"\\\\u0000 \\\\ud800 \\ud83d\\ude00"}';
    const answer = await sandbox.send('POST', '/customers', { text });
    expect([answer.status, answer.body.fullName]).toEqual([201, '\\u0000 \\ud800 😀']);
  });
});

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

describe('numbers', () => {
  const fund = async (sandbox: TestSandbox, amount: string): Promise<Answer> => {
    const { data } = (await sandbox.send('GET', '/customers/internal-accounts')).body;
    return sandbox.send('POST', `/sandbox/internal-accounts/${data[0].id}/fund`, { text: `{"amount":${amount}}` });
  };

  test.each(['100', '1e2', '100.0', '1000e-1', '1.00000000000000000000e2'])(
    '%s is the whole number 100',
    async (text) => {
      const sandbox = await openSandbox();
      const { data } = (await sandbox.send('GET', '/customers/internal-accounts')).body;
      const answer = await fund(sandbox, text);
      expect([answer.status, answer.body.balance.amount]).toEqual([200, data[0].balance.amount + 100]);
    },
  );

  test.each([
    '100.5',
    '100.00000000000000001',
    '99999999999.99999999',
    '1e400',
    '-1e400',
    '1e-400',
    '100000000000.0000000001',
    '9007199254740993',
    '36893488147419103232',
    '"100"',
  ])('%s is 400 and nothing is rounded', async (text) => {
    const sandbox = await openSandbox();
    const before = (await sandbox.send('GET', '/customers/internal-accounts')).body;
    expectRefusal(await fund(sandbox, text), 400, 'INVALID_INPUT');
    expect((await sandbox.send('GET', '/customers/internal-accounts')).body).toEqual(before);
  });
});

describe('media type', () => {
  const send = (sandbox: TestSandbox, headers: Record<string, string>) =>
    sandbox.send('POST', '/customers', { text: valid, headers });

  test.each([
    'application/json',
    'Application/JSON',
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
    'application/json ; profile=x',
  ])('%s is JSON', async (type) => {
    expect((await send(await openSandbox(), { 'content-type': type })).status).toBe(201);
  });

  test.each([
    'undefined',
    '',
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonp',
    'application/merge-patch+json',
    'application/json, application/json',
    'application/json; charset=utf-16',
    'application/json; charset=latin1',
    '*/*',
    'json',
  ])('case 19: "%s" is 415', async (type) => {
    const sandbox = await openSandbox();
    const before = await countCustomers(sandbox);
    expectRefusal(await send(sandbox, { 'content-type': type }), 415, 'UNSUPPORTED_MEDIA_TYPE');
    expect(await countCustomers(sandbox)).toBe(before);
  });

  test.each(['gzip', 'br', 'deflate, gzip', 'nonsense'])('Content-Encoding: %s is 415', async (coding) => {
    const answer = await send(await openSandbox(), { 'content-encoding': coding });
    expectRefusal(answer, 415, 'UNSUPPORTED_MEDIA_TYPE');
    expect(answer.headers.get('accept-encoding')).toBe('identity');
  });

  test('Content-Encoding: identity changes nothing', async () => {
    expect((await send(await openSandbox(), { 'content-encoding': 'identity' })).status).toBe(201);
  });

  test('without Content-Type it is 415', async () => {
    const sandbox = await openSandbox();
    const body = Buffer.from(valid);
    const headers = { authorization: basic('sandbox', 'sandbox') };
    const response = await sandbox.fetch(new Request(`${baseUrl}/customers`, { method: 'POST', headers, body }));
    expect(response.status).toBe(415);
  });

  test('a byte order mark in front of UTF-8 is passed over (RFC 8259, 8.1)', async () => {
    const sandbox = await openSandbox();
    expect((await sandbox.send('POST', '/customers', { text: `\ufeff${valid}` })).status).toBe(201);
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

  test('the size counts in bytes, not in characters', async () => {
    const sandbox = await openSandbox();
    const text = JSON.stringify({ customerType: 'INDIVIDUAL', fullName: 'é'.repeat(mebibyte / 2) });
    expectRefusal(await sandbox.send('POST', '/customers', { text }), 413, 'PAYLOAD_TOO_LARGE');
  });

  test('case 22: an empty body with a JSON type on DELETE is no body', async () => {
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
  /** Sends a body in chunks of a size, with its length announced or not, and reads the reply to its end. */
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
    const head = `POST /${version}/tokens HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 2000000\r\n\r\n`;
    expectRefusal(await server.exchange(head, Buffer.alloc(2_000_000)), 401, 'UNAUTHORIZED');
  });

  test('a client that goes away in the middle of its body is no fault of ours', async () => {
    const sandbox = await openSandbox();
    const server = await openPort(sandbox);
    const head = `POST /${version}/tokens HTTP/1.1\r\nHost: a\r\nAuthorization: ${basic('sandbox', 'sandbox')}`;
    await new Promise<void>((resolve) => {
      const socket = connect(server.port, '127.0.0.1', () => {
        socket.write(`${head}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"name":`, () =>
          socket.destroy(),
        );
      });
      socket.on('close', () => resolve());
    });
    // The next answer comes after the server has seen the end of the connection before it.
    for (let time = 0; time < 5; time += 1) await fetch(`${server.base}/customers`);
    expect(sandbox.log).toEqual([]);
  });
});
