/**
 * Promise: everything in an exchange that breaks the contract is found once, with its place, rule and value. An
 * exchange that keeps the contract has no finding, even if it is a refused request.
 */
import { describe, expect, it } from 'vitest';
import { toExchange } from '../../conformance/entry.ts';
import { judge, type Verdict } from '../../conformance/judge.ts';
import { createMatcher } from '../../conformance/match.ts';
import { loadContract } from '../../contract/file.ts';
import document from '../../generated/openapi.json' with { type: 'json' };
import { type Traffic, toEntry } from '../support/requests/recordings.ts';

const contract = loadContract();
const example = (name: string) => (document.components.examples as Examples)[name]?.value ?? {};
type Examples = Readonly<Record<string, { readonly value: Readonly<Record<string, unknown>> }>>;

function judgeTraffic(traffic: Traffic, bases: readonly string[] = []): Extract<Verdict, { kind: 'judged' }> {
  const verdict = judge(contract, toExchange(toEntry(traffic)), createMatcher(bases));
  if (verdict.kind !== 'judged') throw new Error(`skipped: ${verdict.reason}`);
  return verdict;
}

/** `place pointer rule` of every breach. */
function found(traffic: Traffic): string[] {
  return judgeTraffic(traffic).breaches.map((breach) => `${breach.in} ${breach.pointer} ${breach.rule}`);
}

const wallet = 'InternalAccount:019305a2-4c50-7a51-8e0f-2b6f7a8c9d01';
const authMethod = {
  id: 'AuthMethod:019305a2-4c50-7a51-8e0f-2b6f7a8c9d02',
  accountId: wallet,
  type: 'EMAIL_OTP',
  nickname: 'ada@example.com',
  createdAt: '2025-10-13T09:00:00.000Z',
  updatedAt: '2025-10-13T09:00:00.000Z',
};
const create = { type: 'EMAIL_OTP', accountId: wallet };
const credential: Traffic = { url: '/auth/credentials', requestBody: create, status: 201, responseBody: authMethod };
const list = { data: [], hasMore: false, totalCount: 0 };
const listed: Traffic = { url: '/customers', status: 200, responseBody: list };
const challengePath = '/auth/credentials/AuthMethod:019305a2-4c50-7a51-8e0f-2b6f7a8c9d02/challenge';
const problem = (status: number, code: string) => ({ status, code, message: 'No.' });
const invalid = { status: 400, responseBody: problem(400, 'INVALID_INPUT') };
const without = (value: Record<string, unknown>, name: string) =>
  Object.fromEntries(Object.entries(value).filter(([key]) => key !== name));

describe("numbers that a double can't keep, and invalid text", () => {
  const reply = (count: string, more = '') => `{"data":[],"hasMore":false,"totalCount":${count}${more}}`;
  const [large, digits] = ['is a number too large to be kept', 'is a number with more digits than can be kept exactly'];
  const unkept: [what: string, text: string, pointers: string[], ...messages: string[]][] = [
    ['a number with more digits than a double has', reply('9000000000000000.4'), ['/totalCount'], digits],
    ['a number too large', reply('1e400'), ['/totalCount'], large],
    ['a number too small', reply('1e-400'), ['/totalCount'], 'is a number too small to be kept'],
    ['a body that is one', '1e400', [''], large],
    [
      'one that is replaced by a later field',
      reply('1e400,"totalCount":0'),
      [''],
      'holds a number that can not be kept',
    ],
    ['two of them', reply('1e400', ',"other":[1,12345678901234567890.5]'), ['/totalCount', '/other/1'], large, digits],
    ['NUL', reply('0', ',"other":"\\u0000"'), ['/other']],
    ['half a surrogate pair', reply('0', ',"other":"\\udfff"'), ['/other']],
  ];

  it.each(unkept)(
    '%s in a reply is found, and the finding shows only numbers that were sent',
    (_what, text, pointers, ...messages) => {
      const { breaches } = judgeTraffic({ ...listed, responseBody: text });
      expect(breaches.map(({ rule, pointer }) => [rule, pointer])).toEqual(
        pointers.map((one) => ['unkept-value', one]),
      );
      expect(breaches.map(({ value }) => value)).toEqual(pointers.map(() => undefined));
      if (messages.length > 0) expect(breaches.map(({ message }) => message)).toEqual(messages);
    },
  );

  it.each(['0', '9007199254740991', '0.5e1'])('%s is kept', (count) => {
    expect(found({ ...listed, responseBody: reply(count) })).toEqual([]);
  });
});

describe('planted violations', () => {
  const planted: [what: string, traffic: Traffic, breach: string][] = [
    [
      'a wrong type',
      { ...listed, responseBody: { ...list, totalCount: '0' } },
      'response.body /totalCount schema/type',
    ],
    [
      'a missing field',
      { ...listed, responseBody: without(list, 'hasMore') },
      'response.body /hasMore schema/required',
    ],
    [
      'a bad date',
      { ...credential, responseBody: { ...authMethod, createdAt: '2025-10-13 09:00:00Z' } },
      'response.body /createdAt schema/format',
    ],
    [
      'an impossible day',
      { ...credential, responseBody: { ...authMethod, createdAt: '2025-02-30T09:00:00Z' } },
      'response.body /createdAt schema/format',
    ],
    [
      'an id of another type',
      { ...credential, responseBody: { ...authMethod, accountId: 'Customer:1' } },
      'response.body /accountId schema/pattern',
    ],
    [
      'a value outside its enum',
      { ...credential, responseBody: { ...authMethod, type: 'SMS' } },
      'response.body /type schema/enum',
    ],
    [
      'a tag of another type, which is a const and an enum of one',
      {
        url: '/transfer-out',
        requestBody: example('createTransferOut.byWire'),
        status: 201,
        responseBody: { ...example('createTransferOut.completed'), type: 'INCOMING' },
      },
      'response.body /type schema/const',
    ],
    ['a status that is not declared', { ...listed, status: 206 }, 'response.status  undocumented-status'],
    [
      'an HTML page of some proxy',
      { ...listed, status: 502, responseBody: '<p>', responseHeaders: { 'content-type': 'text/html' } },
      'response.status  undocumented-status',
    ],
    [
      'a media type',
      { ...listed, responseHeaders: { 'content-type': 'text/html' } },
      'response.headers /Content-Type media-type',
    ],
    [
      'a charset',
      { ...listed, responseHeaders: { 'content-type': 'application/json; charset=latin1' } },
      'response.headers /Content-Type media-type',
    ],
    ['a cut body', { ...listed, responseBody: '{"data":[' }, 'response.body  not-json'],
    [
      'no body where there is one',
      without(listed as never, 'responseBody') as unknown as Traffic,
      'response.body  missing-body',
    ],
    [
      'a body where there is none',
      { method: 'DELETE', url: '/tokens/Token:019305a2-4c50-7a51-8e0f-2b6f7a8c9d02', status: 204, responseBody: {} },
      'response.body  unexpected-body',
    ],
    [
      'a code of another operation',
      { ...listed, status: 400, responseBody: problem(400, 'LAST_CREDENTIAL') },
      'response.body /code schema/enum',
    ],
    [
      'a code of another status',
      { ...listed, status: 403, responseBody: problem(403, 'INVALID_INPUT') },
      'response.body /code schema/enum',
    ],
    [
      'a code that nobody has',
      { ...listed, status: 403, responseBody: problem(403, 'NO_WAY') },
      'response.body /code schema/enum',
    ],
    [
      'a status of a wrong type in the body',
      { ...listed, status: 403, responseBody: { ...problem(403, 'FORBIDDEN'), status: '403' } },
      'response.body /status schema/type',
    ],
    [
      'a status that the body contradicts',
      { ...listed, status: 403, responseBody: problem(400, 'FORBIDDEN') },
      'response.body /status schema/const',
    ],
    [
      'an unknown code of the transport',
      { ...listed, status: 503, responseBody: problem(503, 'FORBIDDEN') },
      'response.body /code schema/enum',
    ],
    [
      'a contract header that is missing',
      { ...listed, status: 401, responseBody: problem(401, 'UNAUTHORIZED') },
      'response.headers /WWW-Authenticate schema/required',
    ],
    [
      'a contract header of a wrong form',
      {
        url: challengePath,
        requestBody: {},
        status: 429,
        responseBody: problem(429, 'RATE_LIMITED'),
        responseHeaders: { 'retry-after': 'soon' },
      },
      'response.headers /Retry-After schema/type',
    ],
    [
      'a parameter that is not declared',
      { ...listed, url: '/customers?page=2' },
      'request.query /page undocumented-parameter',
    ],
    ['a parameter out of its range', { ...listed, url: '/customers?limit=101' }, 'request.query /limit schema/maximum'],
    ['a parameter of a wrong type', { ...listed, url: '/customers?limit=ten' }, 'request.query /limit schema/type'],
    [
      'a parameter given twice',
      { ...listed, url: '/customers?limit=1&limit=2' },
      'request.query /limit repeated-parameter',
    ],
    [
      'a parameter that is missing',
      { url: '/auth/credentials', status: 200, responseBody: { data: [] } },
      'request.query /accountId schema/required',
    ],
    [
      'a path id of a wrong form',
      { url: '/tokens/42', method: 'DELETE', status: 204 },
      'request.path /tokenId schema/pattern',
    ],
    [
      'a request header of a wrong form',
      {
        ...listed,
        url: '/quotes',
        requestBody: {},
        requestHeaders: { 'idempotency-key': 'one' },
        status: 500,
        responseBody: problem(500, 'INTERNAL_ERROR'),
      },
      'request.headers /Idempotency-Key schema/format',
    ],
    [
      'a request of another media type',
      { ...credential, requestHeaders: { 'content-type': 'text/plain' } },
      'request.headers /Content-Type media-type',
    ],
    [
      'a compressed request',
      { ...credential, requestHeaders: { 'content-encoding': 'gzip' } },
      'request.headers /Content-Encoding media-type',
    ],
    ['no request body', { ...credential, method: 'POST', requestBody: undefined }, 'request.body  missing-body'],
    [
      'a wrong discriminator',
      { ...credential, requestBody: { ...create, type: 'SMS' } },
      'request.body /type schema/discriminator',
    ],
    [
      'a path that no operation has',
      { url: '/customer', status: 200, responseBody: {} },
      'request.path  undocumented-path',
    ],
    [
      'a method that the path lacks',
      { url: '/customers', method: 'PUT', status: 200, responseBody: {} },
      'request.method  undocumented-method',
    ],
    [
      'a branch of a union without a tag',
      { url: challengePath, requestBody: {}, status: 200, responseBody: { ...authMethod, createdAt: 'today' } },
      'response.body /createdAt schema/format',
    ],
  ];

  it.each(planted)('%s is found once', (_what, traffic, breach) => {
    // The planted request to /quotes breaks many rules, but only its header matters here.
    const all = found(traffic).filter((text) => !(traffic.url === '/quotes' && text.startsWith('request.body')));
    expect(all).toEqual([breach]);
  });

  it.each([
    [
      'a field that must not be sent',
      { ...credential, requestBody: { ...create, email: 'ada@example.com' } },
      'request.body /email schema/additionalProperties',
    ],
    [
      'a field too many in a closed reply',
      { ...credential, responseBody: { ...authMethod, email: 'ada@example.com' } },
      'response.body /email schema/unevaluatedProperties',
    ],
    [
      'a field too many in the closed branch of a challenge',
      { url: challengePath, requestBody: {}, status: 200, responseBody: { ...authMethod, extra: 1 } },
      'response.body /extra schema/unevaluatedProperties',
    ],
  ] as [string, Traffic, string][])('case 107: %s', (_what, traffic, breach) => {
    expect(found(traffic)).toEqual([breach]);
  });

  it('case 107: other replies are open to new fields', () => {
    expect(found({ ...listed, responseBody: { ...list, took: 3 } })).toEqual([]);
  });

  it('several at once are all found, each where it is', () => {
    const responseBody = { ...without(authMethod, 'nickname'), updatedAt: 5, extra: true };
    expect(found({ ...credential, requestBody: { ...create, email: 'x' }, responseBody }).sort()).toEqual([
      'request.body /email schema/additionalProperties',
      'response.body /extra schema/unevaluatedProperties',
      'response.body /nickname schema/required',
      'response.body /updatedAt schema/type',
    ]);
  });

  it('a body of a million brackets is a finding like any other', () => {
    const deep = '['.repeat(1e6) + ']'.repeat(1e6);
    expect(found({ ...listed, responseBody: `{"data":${deep}}` })).toEqual(['response.body  not-json']);
    expect(found({ ...listed, responseBody: { ...list, note: '['.repeat(1000) } })).toEqual([]);
  });

  it('shows the value, and none if a field is missing', () => {
    const { breaches } = judgeTraffic({ ...listed, responseBody: { ...without(list, 'hasMore'), totalCount: -1 } });
    expect(breaches).toContainEqual(
      expect.objectContaining({ pointer: '/totalCount', value: -1, message: 'must be >= 0' }),
    );
    expect(breaches.find(({ pointer }) => pointer === '/hasMore')).not.toHaveProperty('value');
  });
});

describe('what keeps the contract', () => {
  const kept: [what: string, traffic: Traffic][] = [
    ['a registration', credential],
    ['a list', listed],
    ['HEAD of what can be got, without a body', { ...listed, method: 'HEAD', responseBody: undefined }],
    [
      'a 204 without a body',
      { method: 'DELETE', url: '/tokens/Token:019305a2-4c50-7a51-8e0f-2b6f7a8c9d02', status: 204 },
    ],
    [
      'JSON that says that it is UTF-8',
      { ...listed, responseHeaders: { 'content-type': 'application/json;charset="UTF-8"' } },
    ],
    [
      'an error of the transport on any operation',
      { ...listed, status: 503, responseBody: problem(503, 'STORAGE_UNAVAILABLE') },
    ],
    ['another header of any form', { ...listed, responseHeaders: { 'retry-after': 'soon', 'x-mine': '?' } }],
    ['a body where none is declared, which is left unread', { ...listed, method: 'GET', requestBody: 'not even JSON' }],
    [
      'a header in any letter case',
      {
        ...listed,
        status: 401,
        responseBody: problem(401, 'UNAUTHORIZED'),
        responseHeaders: { 'www-AUTHENTICATE': 'Basic realm="x"' },
      },
    ],
    ['an escaped id', { method: 'DELETE', url: '/tokens/Token%3A019305a2-4c50-7a51-8e0f-2b6f7a8c9d02', status: 204 }],
  ];

  it.each(kept)('%s', (_what, traffic) => {
    expect(judgeTraffic(traffic)).toMatchObject({ breaches: [], isRefusal: false, unrecorded: [] });
  });

  const refused: [what: string, traffic: Traffic][] = [
    ['an unknown parameter', { ...listed, ...invalid, url: '/customers?page=2' }],
    ['a bad body', { ...credential, ...invalid, requestBody: { type: 'SMS' } }],
    ['a path id of a wrong form', { url: '/tokens/42', status: 404, responseBody: problem(404, 'TOKEN_NOT_FOUND') }],
    ['a path that no operation has', { url: '/customer', status: 404, responseBody: problem(404, 'NOT_FOUND') }],
    [
      'a method that the path lacks',
      { url: '/customers', method: 'PUT', status: 405, responseBody: problem(405, 'METHOD_NOT_ALLOWED') },
    ],
    [
      'another media type',
      {
        ...credential,
        requestHeaders: { 'content-type': 'text/plain' },
        status: 415,
        responseBody: problem(415, 'UNSUPPORTED_MEDIA_TYPE'),
      },
    ],
  ];

  it.each(refused)('%s that was refused as documented is counted and no finding', (_what, traffic) => {
    expect(judgeTraffic(traffic)).toMatchObject({ breaches: [], isRefusal: true });
  });

  it('a refusal is judged like any reply', () => {
    const responseBody = { ...problem(400, 'INVALID_INPUT'), message: 7 };
    expect(found({ ...listed, url: '/customers?page=2', status: 400, responseBody })).toEqual([
      'response.body /message schema/type',
    ]);
  });

  it('an invalid request that ends in a 500 should have been refused', () => {
    const traffic = { ...listed, url: '/customers?page=2', status: 500, responseBody: problem(500, 'INTERNAL_ERROR') };
    expect(found(traffic)).toEqual(['request.query /page undocumented-parameter']);
  });
});

describe('addresses', () => {
  const at = (url: string, bases: string[] = [], method = 'GET') => {
    const match = createMatcher(bases)(method, url);
    return match.kind === 'operation' ? match.operation.id : match.kind === 'skipped' ? match.reason : match.kind;
  };

  it.each([
    ['http://localhost:4010/2025-10-13/customers', 'listCustomers'],
    ['https://api.example.com/v1/2025-10-13/customers?limit=1', 'listCustomers'],
    ['https://app.example.com/api/proxy/2025-10-13/agents/me', 'getCurrentAgent'],
    ['https://api.example.com/2025-10-13/agents/Agent:1', 'getAgent'],
    ['https://api.example.com/2025-10-13/customers/', 'unknown-path'],
    ['https://api.example.com/2025-10-13', 'unknown-path'],
    ['https://api.example.com/2024-01-01/customers', 'elsewhere'],
    ['https://cdn.example.com/2025-10-13.js', 'elsewhere'],
    ['data:text/plain,2025-10-13', 'elsewhere'],
    ['not an address', 'elsewhere'],
    ['http://localhost:4010/__sandbox/clock', 'control'],
  ])('by the version: %s is %s', (url, meaning) => {
    expect(at(url)).toBe(meaning);
  });

  it.each([
    ['https://api.example.com/customers', 'listCustomers'],
    ['https://api.example.com/customer', 'unknown-path'],
    ['https://other.example.com/wallets/v2/customers', 'listCustomers'],
    ['https://other.example.com/wallets/v2customers', 'unknown-path'],
    ['https://other.example.com/main.js', 'unknown-path'],
    ['http://api.example.com/customers', 'elsewhere'],
    ['https://third.example.com/2025-10-13/customers', 'elsewhere'],
    ['https://api.example.com/__sandbox/health', 'control'],
  ])('by --base: %s is %s', (url, meaning) => {
    expect(at(url, ['https://api.example.com', 'https://other.example.com/wallets/v2/'])).toBe(meaning);
  });

  it('OPTIONS is a browser that asks, HEAD is GET', () => {
    expect(at('https://a.example/2025-10-13/customers', [], 'OPTIONS')).toBe('preflight');
    expect(at('https://a.example/2025-10-13/customers', [], 'HEAD')).toBe('listCustomers');
    expect(at('https://a.example/2025-10-13/transfer-in', [], 'HEAD')).toBe('unknown-method');
  });
});
