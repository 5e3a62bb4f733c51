/** Promise: the command and the call that the console shows repeat the exchange exactly, whatever its content. */
import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { operationOf, type Sent, writeClientCall, writeCurl } from '../../console/parts/callCode.ts';
import { formatAmount, formatWait, isId, parseAmount } from '../../console/parts/format.ts';
import type { OperationFacts } from '../../generated/operations.ts';

const base = 'http://localhost:4010/2025-10-13';

/** The arguments that a shell passes to curl. */
function argumentsOf(command: string): string[] {
  const script = `curl() { for one in "$@"; do printf '%s\\0' "$one"; done; }\n${command}`;
  return execFileSync('sh', ['-c', script], { encoding: 'utf8' }).split('\0').slice(0, -1);
}

const hostile = `'; touch /tmp/x; echo "$(id)" \`id\` \\ $HOME`;

describe('a command', () => {
  test('has method, user, the headers that mean something, body and address, each as it was', () => {
    const request: Sent = {
      method: 'POST',
      url: `${base}/quotes?note=${encodeURIComponent(hostile)}'`,
      headers: { 'idempotency-key': hostile, 'user-agent': 'app', accept: '*/*', authorization: 'Basic x', host: 'h' },
      body: { description: hostile },
    };
    expect(argumentsOf(writeCurl(request, 'sandbox:sandbox', false))).toEqual([
      '-X',
      'POST',
      '-u',
      'sandbox:sandbox',
      '-H',
      `idempotency-key: ${hostile}`,
      '-H',
      'Content-Type: application/json',
      '-d',
      JSON.stringify(request.body, null, 2),
      request.url,
    ]);
  });

  test('of an agent asks for its access token', () => {
    const request: Sent = { method: 'GET', url: `${base}/agents/me`, headers: {} };
    expect(argumentsOf(writeCurl(request, 'sandbox:sandbox', true))).toEqual([
      '-H',
      'Authorization: Bearer ACCESS_TOKEN',
      `${base}/agents/me`,
    ]);
  });
});

test('a call of the client names the path of the operation, its parameters decoded, and the body', () => {
  const request: Sent = {
    method: 'POST',
    url: `${base}/auth/credentials/AuthMethod%3A1/verify?a=1`,
    headers: { 'request-id': 'Request:1', host: 'h' },
    body: { type: 'OAUTH' },
  };
  const operation = operationOf({ operationId: 'verifyCredential' }) as OperationFacts;
  const options = {
    params: { path: { id: 'AuthMethod:1' }, query: { a: '1' }, header: { 'request-id': 'Request:1' } },
    body: { type: 'OAUTH' },
  };
  expect(writeClientCall(request, operation)).toBe(
    `const { data, error } = await client.POST('/auth/credentials/{id}/verify', ${JSON.stringify(options, null, 2)});`,
  );
  const bare = operationOf({ operationId: 'getConfig' }) as OperationFacts;
  expect(writeClientCall({ method: 'GET', url: `${base}/config`, headers: {} }, bare)).toBe(
    `const { data, error } = await client.GET('/config');`,
  );
});

test.each([
  [123456, 'USD', '1,234.56 USD'],
  [5, 'USD', '0.05 USD'],
  [-1000, 'USD', '−10.00 USD'],
  [250000000, 'USDB', '250.000000 USDB'],
  [9007199254740991, 'BTC', '90,071,992.54740991 BTC'],
])('%d of %s reads %s', (amount, currency, text) => {
  expect(formatAmount(amount, currency)).toBe(text);
});

test.each([
  ['25.50', 'USD', 2550],
  ['1,000', 'USD', 100000],
  ['0.000001', 'USDB', 1],
  ['1.234', 'USD', undefined],
  ['-1', 'USD', undefined],
  ['0', 'USD', undefined],
  ['ten', 'USD', undefined],
  ['99999999999999', 'USDB', undefined],
])('%s typed for %s is %s', (text, currency, amount) => {
  expect(parseAmount(text, currency)).toBe(amount);
});

test('waits are in the two largest units, and ids are distinguished from other texts', () => {
  expect([0, 900, 125_000, 90_061_000].map(formatWait)).toEqual(['now', 'in 1 s', 'in 2 min 5 s', 'in 1 d 1 h']);
  expect(['Customer:1', 'Quote:a-b', 'Nothing:1', 'Customer:', 'Customer:<b>', '<img>'].map(isId)).toEqual([
    true,
    true,
    false,
    false,
    false,
    false,
  ]);
});
