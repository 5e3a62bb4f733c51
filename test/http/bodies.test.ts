/**
 * Promise: a body is JSON in UTF-8, declared as such, and read exactly. Any other body is refused in the contract's
 * error shape, and has no effect.
 */
import { describe, expect, test } from 'vitest';
import { expectRefusal, faultPlaces } from '../support/expect/apiError.ts';
import { type Answer, baseUrl, basic, openSandbox, type TestSandbox } from '../support/sandbox/harness.ts';

const valid = JSON.stringify({ customerType: 'INDIVIDUAL', fullName: 'Ada' });
const bytes = (...values: number[]): Uint8Array<ArrayBuffer> => Uint8Array.from(values);
const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);

async function countCustomers(sandbox: TestSandbox): Promise<number> {
  return (await sandbox.send('GET', '/customers')).body.totalCount;
}

describe("what isn't JSON", () => {
  const cases: [name: string, text: string | Uint8Array<ArrayBuffer>][] = [
    ['a truncated body', '{"customerType":'],
    ['only white space', ' \r\n\t'],
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

describe("JSON that isn't a request", () => {
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
