/**
 * Promise: the sandbox and the conformance kit read a request in the same way. The kit has no finding for a request
 * that the sandbox accepts. For a request that is refused because of its form, the kit finds the matching rule, and
 * both name the same faults at the same places.
 */
import { describe, expect, test } from 'vitest';
import { judge } from '../../conformance/judge.ts';
import type { RuleId } from '../../conformance/rules/rule.ts';
import { readRequestBody } from '../../contract/body.ts';
import { toFaults } from '../../contract/faults.ts';
import { loadContract, readBundle } from '../../contract/file.ts';
import { basePath } from '../../contract/match.ts';
import { narrowUnions } from '../../contract/unions.ts';
import { exchangeOf } from '../../traffic/record.ts';
import { openPort } from '../support/process/server.ts';
import { type Answer, basic, openSandbox } from '../support/sandbox/harness.ts';

const contract = loadContract();

/** A request as it is sent; `target` is the path below the base address. */
interface Sent {
  readonly method: string;
  readonly target: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

const origin = 'http://localhost';
const credentials = { Host: 'localhost', Authorization: basic('sandbox', 'sandbox') };

async function ask({ method, target, headers = {}, body }: Sent): Promise<Answer> {
  const port = await openPort(await openSandbox());
  const bytes = Buffer.from(body ?? '');
  const lines = Object.entries({ ...credentials, Connection: 'close', ...headers });
  if (body !== undefined) lines.push(['Content-Length', String(bytes.length)]);
  const head = [`${method} ${basePath}${target} HTTP/1.1`, ...lines.map((line) => line.join(': '))];
  return port.exchange(`${head.join('\r\n')}\r\n\r\n`, bytes);
}

/** The kit's findings for the request. The reply is a documented error, so that the kit judges only the request. */
function breachesOf({ method, target, headers = {}, body }: Sent) {
  const reply = { status: 500, code: 'INTERNAL_ERROR', message: 'No.' };
  const capture = {
    startedAt: 0,
    durationMs: 0,
    method,
    url: origin + basePath + target,
    requestHeaders: Object.entries({ ...credentials, ...headers }),
    requestBody: body === undefined ? undefined : Buffer.from(body),
    status: 500,
    responseHeaders: [['Content-Type', 'application/json']] as const,
    responseBody: JSON.stringify(reply),
  };
  const verdict = judge(contract, exchangeOf(capture));
  if (verdict.kind === 'skipped') throw new Error(`skipped: ${verdict.reason}`);
  return verdict.breaches;
}

/** Statuses for requests that aren't in the contract's form, with the kit's rule if it is always the same. */
const told: Readonly<Record<number, RuleId | undefined>> = {
  400: undefined,
  404: undefined,
  405: 'undocumented-method',
  413: 'body-too-large',
  415: 'media-type',
};

async function expectAgreement(sent: Sent, status: number, rules: readonly RuleId[]): Promise<void> {
  const answer = await ask(sent);
  const breaches = breachesOf(sent);
  expect([answer.status, breaches.map(({ rule }) => rule)]).toEqual([status, rules]);
  const only = told[status];
  if (only !== undefined) expect(rules).toEqual([only]);
  if (status !== 400) return;
  const places = breaches.map((breach) => `${breach.in.replace('request.', '').replace('headers', 'header')}`);
  const found = breaches.map(({ pointer, message }, index) => ({ in: places[index], pointer, message }));
  expect(answer.body.details.errors).toEqual(found);
}

type Row = [name: string, target: string, status: number, ...rules: RuleId[]];

const addresses: readonly Row[] = [
  ['a list', '/customers', 200],
  ['a filter', '/customers?limit=5', 200],
  ['a literal with an escape', '/%63ustomers', 200],
  ['a literal that looks like an id', '/agents/approvals', 200],
  ['a question mark in the query', '/customers?platformCustomerId=a?b', 200],
  ['a slash and dots in the query', '/customers?platformCustomerId=/../x', 200],
  ['a trailing slash', '/customers/', 404, 'undocumented-path'],
  ['two slashes', '//customers', 404, 'undocumented-path'],
  ['an empty segment', '/customers//internal-accounts', 404, 'undocumented-path'],
  ['other letters', '/Customers', 404, 'undocumented-path'],
  ['an encoded slash in a literal', '/customers%2Finternal-accounts', 404, 'undocumented-path'],
  ['a matrix parameter', '/customers;x=1', 404, 'undocumented-path'],
  ['dots', '/agents/../customers', 404, 'undocumented-path'],
  ['encoded dots', '/agents/%2e%2E/customers', 404, 'undocumented-path'],
  ['half encoded dots', '/agents/.%2e/customers', 404, 'undocumented-path'],
  ['a single dot', '/./customers', 404, 'undocumented-path'],
  ['dots at the end', '/customers/..', 404, 'undocumented-path'],
  ['words for an id', '/customers/kyc-link', 404, 'undocumented-path'],
  ['encoded words for an id', '/customers/kyc%2Dlink', 404, 'undocumented-path'],
  ['no path', '', 404, 'undocumented-path'],
  ['an id of another type', '/customers/InternalAccount:a', 404, 'schema/pattern'],
  ['an id with an encoded slash', '/customers/Customer:a%2Fb', 404, 'schema/pattern'],
  ['an id that is encoded twice', '/customers/Customer%253Aa', 404, 'schema/pattern'],
  ['NUL in an id', '/customers/Customer:%00', 404, 'schema/pattern'],
  ['a broken escape', '/customers/%ZZ', 400, 'malformed-address'],
  ['a broken escape in no path', '/%ZZ', 400, 'malformed-address'],
  ['half an escape', '/customers/Customer:a%4', 400, 'malformed-address'],
  ['an escape that is not UTF-8', '/customers/%C0%80', 400, 'malformed-address'],
  ['half a surrogate pair', '/customers/%ED%A0%80', 400, 'malformed-address'],
  ['a broken escape in the query', '/customers?limit=%Z', 400, 'malformed-address'],
];

const queries: readonly Row[] = [
  ['an unknown parameter', '/customers?page=2', 400, 'undocumented-parameter'],
  ['an unknown one twice', '/customers?page=2&page=3', 400, 'undocumented-parameter'],
  ['__proto__', '/customers?__proto__=1', 400, 'undocumented-parameter'],
  ['a slash in a name', '/customers?a/b~=1', 400, 'undocumented-parameter'],
  ['other letters', '/customers?Limit=5', 400, 'undocumented-parameter'],
  ['one twice', '/customers?limit=5&limit=6', 400, 'repeated-parameter'],
  ['one twice, the first out of range', '/customers?limit=0&limit=6', 400, 'repeated-parameter'],
  ['a required one twice', '/auth/credentials?accountId=a&accountId=b', 400, 'repeated-parameter'],
  ['NUL', '/customers?platformCustomerId=a%00', 400, 'unkept-value'],
  ['NUL in a required one', '/auth/credentials?accountId=%00', 400, 'unkept-value'],
  ['a missing one', '/auth/credentials', 400, 'schema/required'],
  ['a sign', '/customers?limit=%2B5', 400, 'schema/type'],
  ['a leading zero', '/customers?limit=05', 400, 'schema/type'],
  ['an exponent', '/customers?limit=1e1', 400, 'schema/type'],
  ['a fraction', '/customers?limit=5.0', 400, 'schema/type'],
  ['a space', '/customers?limit=5+', 400, 'schema/type'],
  ['nothing', '/customers?limit=', 400, 'schema/type'],
  ['a name alone', '/customers?limit', 400, 'schema/type'],
  ['out of range', '/customers?limit=101', 400, 'schema/maximum'],
  ['a value outside its enum', '/customers?customerType=CAT', 400, 'schema/enum'],
  ['an impossible day', '/customers?createdAfter=2025-02-30T00:00:00Z', 400, 'schema/format'],
];

test.each([...addresses, ...queries])('%s: GET %s is %i for both', async (_name, target, status, ...rules) => {
  await expectAgreement({ method: 'GET', target }, status, rules);
});

describe('methods', () => {
  test.each<[method: string, target: string, status: number, ...rules: RuleId[]]>([
    ['HEAD', '/customers', 200],
    ['HEAD', '/customers/nobody', 404, 'schema/pattern'],
    ['HEAD', '/transfer-in', 405, 'undocumented-method'],
    ['PUT', '/customers', 405, 'undocumented-method'],
    ['DELETE', '/agents/me', 405, 'undocumented-method'],
    ['PUT', '/customers/kyc-link', 404, 'undocumented-path'],
    ['PUT', '/customers/%ZZ', 400, 'malformed-address'],
  ])('%s %s is %i for both', async (method, target, status, ...rules) => {
    await expectAgreement({ method, target }, status, rules);
  });
});

const json = { 'Content-Type': 'application/json' };
const good = '{"customerType":"INDIVIDUAL"}';
const named = (name: string): string => `{"customerType":"INDIVIDUAL","fullName":${name}}`;
const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);

describe('bodies', () => {
  type BodyRow = [name: string, body: string | Uint8Array, status: number, ...rules: RuleId[]];
  test.each<BodyRow>([
    ['a good one', good, 201],
    ['a byte order mark in front', `\ufeff${good}`, 201],
    ['white space around it', ` \r\n${good}\t`, 201],
    ['none', '', 400, 'missing-body'],
    ['only white space', ' ', 400, 'not-json'],
    ['a cut one', '{"customerType":', 400, 'not-json'],
    ['bytes that are not UTF-8', Uint8Array.of(0x22, 0xff, 0x22), 400, 'not-json'],
    ['65 levels', nested(65), 400, 'not-json'],
    ['a million brackets', nested(500_000), 400, 'not-json'],
    ['10001 values', `[${'0,'.repeat(10_000)}0]`, 400, 'not-json'],
    ['1 MiB', good + ' '.repeat(1024 * 1024 - good.length), 201],
    ['a byte more', good + ' '.repeat(1024 * 1024 - good.length + 1), 413, 'body-too-large'],
    ['a number too large', named('1e400'), 400, 'unkept-value'],
    ['two numbers that are not kept', `{"a":1e400,"b":[9007199254740993]}`, 400, 'unkept-value', 'unkept-value'],
    ['NUL', named('"\\u0000"'), 400, 'unkept-value'],
    ['half a surrogate pair', named('"\\ud800"'), 400, 'unkept-value'],
    ['half a surrogate pair for a name', '{"\\ud800":1}', 400, 'unkept-value'],
    ['null', 'null', 400, 'schema/type'],
    ['a list', '[]', 400, 'schema/type'],
    ['a wrong type', named('5'), 400, 'schema/type'],
    ['an unknown field', '{"customerType":"INDIVIDUAL","a/b~c":1}', 400, 'schema/additionalProperties'],
    ['__proto__', '{"customerType":"INDIVIDUAL","__proto__":{}}', 400, 'schema/additionalProperties'],
    ['no tag', '{}', 400, 'schema/discriminator'],
    ['a wrong tag', '{"customerType":"CAT"}', 400, 'schema/discriminator'],
  ])('%s', async (_name, body, status, ...rules) => {
    await expectAgreement({ method: 'POST', target: '/customers', headers: json, body }, status, rules);
  });

  test.each<[name: string, headers: Record<string, string>, status: number, ...rules: RuleId[]]>([
    ['other letters', { 'content-type': 'Application/JSON' }, 201],
    ['UTF-8 in quotes', { 'Content-Type': 'application/json;charset="UTF-8"' }, 201],
    ['no type', {}, 415, 'media-type'],
    ['text', { 'Content-Type': 'text/plain' }, 415, 'media-type'],
    ['another charset', { 'Content-Type': 'application/json; charset=utf-16' }, 415, 'media-type'],
    ['two types', { 'Content-Type': 'application/json, application/json' }, 415, 'media-type'],
    ['nonsense', { 'Content-Type': 'json' }, 415, 'media-type'],
    ['gzip', { ...json, 'Content-Encoding': 'gzip' }, 415, 'media-type'],
    ['no coding, said so', { ...json, 'Content-Encoding': 'Identity' }, 201],
  ])('as %s', async (_name, headers, status, ...rules) => {
    await expectAgreement({ method: 'POST', target: '/customers', headers, body: good }, status, rules);
  });

  test("none at all isn't a matter of its coding", async () => {
    const headers = { 'Content-Encoding': 'gzip', 'Content-Type': 'text/plain' };
    await expectAgreement({ method: 'POST', target: '/customers', headers, body: '' }, 400, ['missing-body']);
  });

  test('one where none is declared is left unread (D53)', async () => {
    const headers = { 'Content-Type': 'text/plain' };
    await expectAgreement({ method: 'GET', target: '/customers', headers, body: '{' }, 200, []);
  });
});

test('a header of a wrong form, beside a parameter and a body with faults: all of them, in one order', async () => {
  const headers = { ...json, 'Idempotency-Key': 'one' };
  const sent = { method: 'POST', target: '/quotes?x=1', headers, body: '{"source":5}' };
  const rules = breachesOf(sent).map(({ rule }) => rule);
  expect(rules.slice(0, 2)).toEqual(['undocumented-parameter', 'schema/format']);
  expect(rules.length).toBeGreaterThan(2);
  await expectAgreement(sent, 400, rules);
});

test('a field that a condition of its closed object refuses is reported once, and not as one too many', () => {
  const Thing = {
    type: 'object',
    properties: { kind: { type: 'string' } },
    if: { required: ['kind'] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { properties: { count: { type: 'integer' }, more: { properties: { size: { minimum: 1 } } } } },
    unevaluatedProperties: false,
  };
  const planted = loadContract({ ...readBundle(), components: { schemas: { Thing } } });
  const told = (value: unknown) =>
    toFaults('body', planted.checkSchema('#/components/schemas/Thing', value)).map(({ pointer }) => pointer);
  expect(told({ kind: 'a', count: 1, more: { size: 1 } })).toEqual([]);
  expect(told({ kind: 'a', count: '1' })).toEqual(['/count']);
  expect(told({ kind: 'a', more: { size: 0 } })).toEqual(['/more/size']);
  expect(told({ kind: 'a', other: 1 })).toEqual(['/other']);
});

test('of a union, the branch with the fewest faults reports them; of two such branches, the first', () => {
  const branches = { Two: { required: ['a', 'b'] }, One: { required: ['c'] }, Also: { required: ['d'] } };
  const Any = { oneOf: Object.keys(branches).map((name) => ({ $ref: `#/components/schemas/${name}` })) };
  const planted = loadContract({ ...readBundle(), components: { schemas: { ...branches, Any } } });
  const errors = narrowUnions(planted, planted.checkSchema('#/components/schemas/Any', {}));
  expect(toFaults('body', errors).map(({ pointer }) => pointer)).toEqual(['/c']);
});

test.each(['text', 'bytes'])('the size of a body that is %s counts in bytes of UTF-8', (form) => {
  const bounds = { bytes: 8, depth: 1, values: 1 };
  const kinds = ['"ééé"', '"éééé"'].map((text) => {
    const content = form === 'text' ? text : new TextEncoder().encode(text);
    return readRequestBody({ contentType: 'application/json', contentEncoding: null, content }, bounds).kind;
  });
  expect(kinds).toEqual(['json', 'broken']);
});
