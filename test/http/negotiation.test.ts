/**
 * Promise: every reply is JSON and declares it. A client that accepts JSON in any spelling gets it; a client that
 * refuses JSON gets 406.
 */
import { describe, expect, test } from 'vitest';
import { expectRefusal } from '../support/expect/apiError.ts';
import { must, openSandbox } from '../support/sandbox/harness.ts';

describe('Accept', () => {
  test.each([
    'application/json',
    '*/*',
    'application/*',
    'APPLICATION/JSON',
    'application/json;charset=utf-8',
    'application/json; charset="UTF-8"; q=0.5',
    'application/json, text/plain, */*',
    'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
    'text/plain;q=1, application/json;q=0.001',
    'application/problem+json, application/json',
    '*/*;q=0, application/json',
    'application/json;q=1.0,,',
  ])('case 16: %s is answered with JSON', async (accept) => {
    const sandbox = await openSandbox();
    const answer = await sandbox.send('GET', '/auth/sessions?accountId=InternalAccount:none', { headers: { accept } });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json']);
    expect(answer.body).toEqual({ data: [], hasMore: false, totalCount: 0 });
  });

  test.each([
    'application/json;q=0, */*;q=0.1',
    'application/json;q=0',
    'application/json;q=0.0, text/html',
    'application/*;q=0, */*',
    '*/*;q=0',
    'text/html',
    'application/xml',
    'application/vnd.api+json',
    'garbage',
  ])('case 17: %s is 406, whatever the operation', async (accept) => {
    const sandbox = await openSandbox();
    const headers = { accept };
    expectRefusal(await sandbox.send('GET', '/customers', { headers }), 406, 'NOT_ACCEPTABLE');
    const body = { name: 'a', permissions: ['VIEW'] };
    expectRefusal(await sandbox.send('POST', '/tokens', { body, headers }), 406, 'NOT_ACCEPTABLE');
  });

  test('case 17: what is not acceptable has no effect', async () => {
    const sandbox = await openSandbox();
    const body = { customerType: 'INDIVIDUAL' };
    const before = (await sandbox.send('GET', '/customers')).body;
    must(await sandbox.send('POST', '/customers', { body, headers: { accept: 'text/html' } }), 406);
    expect((await sandbox.send('GET', '/customers')).body).toEqual(before);
  });

  test('without Accept the answer is JSON', async () => {
    const answer = await (await openSandbox()).send('GET', '/customers');
    expect(answer.headers.get('content-type')).toBe('application/json');
  });
});

describe('every reply', () => {
  test('has the length of its bytes, and is kept by no cache', async () => {
    const sandbox = await openSandbox();
    const created = await sandbox.send('POST', '/customers', {
      body: { customerType: 'INDIVIDUAL', fullName: 'Zoë 😀' },
    });
    const bytes = Buffer.byteLength(JSON.stringify(created.body));
    expect(created.headers.get('content-length')).toBe(String(bytes));
    expect(created.headers.get('cache-control')).toBe('no-store');
  });

  test('without content says nothing of content', async () => {
    const sandbox = await openSandbox();
    const answer = await sandbox.control('POST', '/reset');
    expect([answer.status, answer.body, answer.headers.get('content-type')]).toEqual([204, undefined, null]);
  });
});
