/**
 * Promise: the operator sees which requests belong to no platform because of their credentials, and why, in bounded
 * memory and without a secret (docs/reference/journal.md).
 */
import { describe, expect, test } from 'vitest';
import { createRefusals } from '../../mocks/sandbox/telemetry/refusals.ts';
import { basic, data, must, openSandbox, type SendOptions, type TestSandbox } from '../support/sandbox/harness.ts';
import { openPlatform } from '../support/sandbox/platforms.ts';
import { openLogging } from '../support/sandbox/requestLog.ts';
import { openAgentStage } from '../support/scenes/agents.ts';

async function readRefused(sandbox: TestSandbox) {
  const { status, body } = await sandbox.control('GET', '/refused-credentials', { authorization: null });
  expect(status).toBe(200);
  return body;
}

const unicode = Buffer.from('caf\u00e9', 'latin1').toString('base64');
const startOfTime = '2025-10-13T09:00:00.000Z';

describe('each reason', () => {
  test.each<[reason: string, path: string, authorization: string | null, status: number, clientId?: string]>([
    ['MISSING', '/customers', null, 401],
    ['MISSING', '/agents/me', null, 401],
    ['MISSING', '/nothing', null, 404],
    ['WRONG_SCHEME', '/customers', 'Bearer sandbox', 401],
    ['WRONG_SCHEME', '/agents/me', basic('sandbox', 'sandbox'), 401],
    ['WRONG_SCHEME', '/customers', 'sandbox:sandbox', 401],
    ['MALFORMED', '/customers', 'Basic sandbox:sandbox', 401],
    ['MALFORMED', '/customers', 'Basic', 401],
    ['MALFORMED', '/customers', `Basic ${btoa('sandbox')}`, 401],
    ['MALFORMED', '/customers', `Basic ${unicode}`, 401],
    ['MALFORMED', '/agents/me', 'Bearer', 401],
    ['UNKNOWN_CLIENT_ID', '/customers', basic('sandbx', 'sandbox'), 401, 'sandbx'],
    ['UNKNOWN_CLIENT_ID', '/customers', basic('', 'sandbox'), 401],
    ['WRONG_SECRET', '/customers', basic('sandbox', 'sandbx'), 401, 'sandbox'],
    ['WRONG_SECRET', '/customer', basic('sandbox', 'sandbx'), 404, 'sandbox'],
    ['UNKNOWN_ACCESS_TOKEN', '/agents/me', 'Bearer agent_0', 401],
    ['UNKNOWN_ACCESS_TOKEN', '/agents/me/nothing', 'Bearer agent_0', 404],
  ])('%s: %s with %s', async (reason, path, authorization, status, clientId) => {
    const sandbox = await openSandbox();
    must(await sandbox.send('GET', path, { authorization }), status);
    expect(await readRefused(sandbox)).toEqual({
      data: [
        {
          ...(clientId === undefined ? {} : { clientId }),
          reason,
          message: expect.stringMatching(/^[A-Z].+\.$/),
          count: 1,
          firstAt: startOfTime,
          lastAt: startOfTime,
          last: { method: 'GET', path: `/2025-10-13${path}`, status },
        },
      ],
      others: 0,
    });
  });

  test('UNKNOWN_DEVICE_CODE: the code is masked', async () => {
    const sandbox = await openSandbox();
    must(await sandbox.send('POST', '/agents/device-codes/AGENT-1234-5678/redeem', { authorization: null }), 404);
    expect((await readRefused(sandbox)).data).toMatchObject([
      {
        reason: 'UNKNOWN_DEVICE_CODE',
        last: { method: 'POST', path: '/2025-10-13/agents/device-codes/AGENT-1111-1111/redeem', status: 404 },
      },
    ]);
  });

  test('DELETED_TOKEN: a token that was used and then deleted, or went with its platform', async () => {
    const sandbox = await openSandbox();
    const body = { name: 'Short-lived', permissions: ['VIEW' as const] };
    const token = data(await sandbox.client.POST('/tokens', { body }));
    const authorization = basic(token.clientId, token.clientSecret);
    must(await sandbox.send('GET', '/customers', { authorization }));
    must(await sandbox.send('DELETE', `/tokens/${token.id}`));
    must(await sandbox.send('GET', '/customers', { authorization }), 401);
    const platform = await openPlatform(sandbox);
    must(await platform.send('GET', '/customers'));
    must(await platform.control('DELETE', '/platform'));
    must(await platform.send('GET', '/customers'), 401);
    const reasons = (await readRefused(sandbox)).data.map(({ reason }: { reason: string }) => reason);
    expect(reasons).toEqual(['DELETED_TOKEN', 'DELETED_TOKEN']);
  });

  test('UNKNOWN_ACCESS_TOKEN: the token of a deleted agent', async () => {
    const sandbox = await openSandbox();
    const { agent } = await openAgentStage(sandbox);
    must(await sandbox.send('DELETE', `/agents/${agent.id}`));
    must(await agent.send('GET', ''), 401);
    expect((await readRefused(sandbox)).data).toMatchObject([{ reason: 'UNKNOWN_ACCESS_TOKEN', count: 1 }]);
  });
});

test('requests of one caller are counted together, with the latest path, and the latest caller comes first', async () => {
  let now = Date.parse(startOfTime);
  const sandbox = await openSandbox({ clock: { now: () => now } });
  const send = async (clientId: string, path: string, options: SendOptions = {}) => {
    now += 1000;
    must(await sandbox.send('GET', path, { authorization: basic(clientId, 'wrong'), ...options }), 401);
  };
  await send('sandbox', '/customers');
  await send('somebody', '/tokens');
  await send('sandbox', '/config?limit=1');
  await send('somebody', '/quotes/Quote:1');
  await send('sandbox', '/agents');
  const { data: callers } = await readRefused(sandbox);
  expect(callers).toMatchObject([
    {
      clientId: 'sandbox',
      count: 3,
      firstAt: '2025-10-13T09:00:01.000Z',
      lastAt: '2025-10-13T09:00:05.000Z',
      last: { path: '/2025-10-13/agents' },
    },
    { clientId: 'somebody', count: 2, lastAt: '2025-10-13T09:00:04.000Z' },
  ]);
});

test("what has valid credentials, or isn't a request of an app, is not counted", async () => {
  const sandbox = await openSandbox();
  must(await sandbox.send('GET', '/customers'));
  must(await sandbox.send('GET', '/customers/Customer:none'), 404);
  const authorization = basic('sandbox', 'wrong');
  for (const path of ['/clock', '/watch/2025-10-13/customers']) {
    must(await sandbox.control('GET', path, { authorization }), 401);
  }
  expect(await readRefused(sandbox)).toEqual({ data: [], others: 0 });
});

test('the log says why, and nothing of what was sent', async () => {
  const sandbox = await openLogging();
  must(await sandbox.send('GET', '/customers', { authorization: basic('sandbox', 'mistyped') }), 401);
  must(await sandbox.send('GET', '/nothing', { authorization: basic('somebody', 'mistyped') }), 404);
  must(await sandbox.send('GET', '/nothing'), 404);
  expect(sandbox.requests).toMatchObject([
    { operation: 'listCustomers', platform: null, code: 'UNAUTHORIZED', refused: 'WRONG_SECRET' },
    { operation: null, platform: null, code: 'NOT_FOUND', refused: 'UNKNOWN_CLIENT_ID' },
    { operation: null, platform: 'sandbox', code: 'NOT_FOUND' },
  ]);
  expect(sandbox.requests[2]).not.toHaveProperty('refused');
  expect(JSON.stringify(sandbox.requests)).not.toMatch(/mistyped|somebody/);
});

describe('no secret is shown', () => {
  const secret = '0123456789abcdef'.repeat(4);
  test.each<[what: string, authorization: string]>([
    ['a wrong secret', basic('sandbox', secret)],
    ['a secret in the place of the client id', basic(secret, '')],
    ['both in the wrong order', basic(secret, 'sandbox')],
    ['a secret with an unknown client id', basic('nobody', secret)],
    ['a secret without a colon', `Basic ${btoa(secret)}`],
    ['a secret as a token', `Bearer ${secret}`],
    ['a secret as the scheme', secret],
    ["an agent's token as a client id", basic(`agent_${secret}`, '')],
    ['a device code as a client id', basic('AGENT-0123-4567', '')],
  ])('%s', async (_what, authorization) => {
    const sandbox = await openSandbox();
    must(await sandbox.send('GET', '/customers', { authorization }), 401);
    const text = JSON.stringify(await readRefused(sandbox));
    expect(text).toContain('"count":1');
    expect(text).not.toMatch(/0123|4567|cdef/);
  });

  test('a client id that is too long to be one says so', async () => {
    const sandbox = await openSandbox();
    must(await sandbox.send('GET', '/customers', { authorization: basic('x'.repeat(33), 'x') }), 401);
    const [caller] = (await readRefused(sandbox)).data;
    expect(caller).not.toHaveProperty('clientId');
    expect(caller.message).toContain('may be a secret in the wrong place');
  });

  test('the reply tells nobody whether a client id exists', async () => {
    const sandbox = await openSandbox();
    const answers = [];
    for (const clientId of ['sandbox', 'nobody']) {
      const options = { authorization: basic(clientId, 'wrong'), headers: { 'X-Request-Id': 'same' } };
      const { status, headers, body } = await sandbox.send('GET', '/customers', options);
      answers.push([status, Object.fromEntries(headers), body]);
    }
    expect(answers[0]).toEqual(answers[1]);
  });
});

describe('hostile callers', () => {
  const request = { request: { method: 'GET', address: '/2025-10-13/customers' }, facts: {} };
  const clock = { now: () => 0 };

  test('control characters and marks of direction are replaced, and a long path is cut', async () => {
    const refusals = createRefusals(clock);
    const address = `/2025-10-13/\u0000\u001b[31m${'a/'.repeat(5000)}?otp=123456`;
    refusals.note(
      { reasonForOperator: 'UNKNOWN_CLIENT_ID', clientId: 'a\u0000\n\u001b\u202eb' },
      { request: { method: 'M'.repeat(99), address }, facts: {} },
      401,
    );
    const [caller] = refusals.read().data;
    expect(caller?.clientId).toBe('a\ufffd\ufffd\ufffd\ufffdb');
    expect(caller?.last.path).toMatch(/^\/2025-10-13\/\ufffd\ufffd\[31ma\/a\//);
    expect([caller?.last.path.length, caller?.last.method.length]).toEqual([200, 16]);
  });

  test('many names displace neither a mistyped secret nor who comes again, and the sum stays right', () => {
    const refusals = createRefusals(clock);
    refusals.note({ reasonForOperator: 'WRONG_SECRET', clientId: 'sandbox' }, request, 401);
    for (const _time of [1, 2])
      refusals.note({ reasonForOperator: 'UNKNOWN_CLIENT_ID', clientId: 'sandbx' }, request, 401);
    for (let number = 0; number < 5000; number += 1) {
      refusals.note({ reasonForOperator: 'UNKNOWN_CLIENT_ID', clientId: `name ${number}` }, request, 401);
    }
    const { data: callers, others } = refusals.read();
    const named = callers.map(({ clientId }) => clientId);
    expect(named).toEqual(expect.arrayContaining(['sandbox', 'sandbx', 'name 4999', 'name 4998']));
    expect(callers).toHaveLength(65);
    expect(others + callers.reduce((sum, { count }) => sum + count, 0)).toBe(5003);
  });

  test('of the names that exist, the newest 64 are kept', () => {
    const refusals = createRefusals(clock);
    for (let number = 0; number < 100; number += 1) {
      refusals.note({ reasonForOperator: 'WRONG_SECRET', clientId: `name ${number}` }, request, 401);
    }
    const { data: callers, others } = refusals.read();
    expect([callers.length, others]).toEqual([64, 36]);
    expect(callers.map(({ clientId }) => clientId)).toContain('name 99');
  });
});
