/**
 * Promise: the control surface does what its contract says. Every operation returns every status that it declares, and
 * its examples work. In addition the harness compares each reply of the control surface, in any test, with the contract
 * (support/ledger/controlReplies.ts).
 */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { controlLocation } from '../../contract/file.ts';
import { type ControlOperation, controlOperations } from '../../generated/controlOperations.ts';
import { expectRefusal, faultPlaces } from '../support/expect/apiError.ts';
import { checkControlReply, controlContract } from '../support/ledger/controlReplies.ts';
import {
  basic,
  data,
  must,
  openSandbox,
  origin,
  type SendOptions,
  type TestSandbox,
} from '../support/sandbox/harness.ts';
import { usdRequest } from '../support/scenes/externalAccounts.ts';

/** Sends a request of an operation to a sandbox. If the operation reads an exchange, the journal has one. */
async function send(sandbox: TestSandbox, operation: ControlOperation, options: SendOptions & { query?: string } = {}) {
  const { query = '', ...rest } = options;
  if (operation.id === 'getExchange') must(await sandbox.send('GET', '/config'));
  const path = operation.path.replace('{platformId}', 'sandbox').replace('{exchangeId}', '1') + query;
  return sandbox.control(operation.method, path, rest);
}

const named = (id: ControlOperation['id']) =>
  controlOperations.find((operation) => operation.id === id) as ControlOperation;

/** The bodies in the contract. For a snapshot a real one is used, because the contract's example is shortened. */
async function bodiesOf({ id, path, method }: ControlOperation, sandbox: TestSandbox): Promise<[string, unknown][]> {
  if (id === 'restoreSnapshot') return [['taken', (await sandbox.control('GET', '/snapshot')).body]];
  const content = controlContract.paths[path][method.toLowerCase()].requestBody?.content['application/json'];
  const examples = Object.entries<{ value: unknown }>(content?.examples ?? {});
  return examples.map(([name, { value }]) => [name, value]);
}

const managed = controlOperations.filter(({ caller }) => caller === 'manager');
const operators = controlOperations.filter(({ caller }) => caller === 'operator');

describe('each operation', () => {
  test.each(controlOperations)('$id takes the examples of its contract', async (operation) => {
    const sandbox = await openSandbox();
    const bodies = await bodiesOf(operation, sandbox);
    for (const [name, body] of bodies.length === 0 ? [['no body', undefined] as const] : bodies) {
      const { status } = await send(sandbox, operation, { body });
      expect([name, operation.statuses.filter((one) => one < 300)]).toEqual([name, [status]]);
    }
  });

  test.each(controlOperations)('$id refuses a parameter that it does not have', async (operation) => {
    const sandbox = await openSandbox();
    const [[, body] = []] = await bodiesOf(operation, sandbox);
    const refused = expectRefusal(
      await send(sandbox, operation, { body, query: '?colour=blue' }),
      400,
      'INVALID_INPUT',
    );
    expect(faultPlaces(refused)).toEqual(['query /colour']);
  });

  test.each(managed)('$id wants a token of a platform, and one with MANAGE', async (operation) => {
    const sandbox = await openSandbox();
    expectRefusal(await send(sandbox, operation, { authorization: null }), 401, 'UNAUTHORIZED');
    const body = { name: 'view', permissions: ['VIEW' as const] };
    const { clientId, clientSecret } = data(await sandbox.client.POST('/tokens', { body }));
    expectRefusal(await send(sandbox, operation, { authorization: basic(clientId, clientSecret) }), 403, 'FORBIDDEN');
  });

  test.each(operators)('$id wants the control token where there is one', async (operation) => {
    const sandbox = await openSandbox({ controlToken: 'secret' });
    expectRefusal(await send(sandbox, operation), 401, 'UNAUTHORIZED');
    must(await send(sandbox, operation, { authorization: 'Bearer secret' }));
  });
});

const person = (fields: object = {}) => ({ customerType: 'INDIVIDUAL', ...fields });
const limits = { currency: 'USD', perTransactionLimit: 1 };
const restricted = { allowedAccountIds: ['InternalAccount:0199e0a4-2f00-7a31-8f5e-6d0b5c2a1e13'] };

const worlds: readonly [code: string, status: number, customers: object[]][] = [
  ['INVALID_CURRENCY', 400, [{ customer: person({ currencies: ['XYZ'] }) }]],
  [
    'ACCOUNT_NOT_FOUND',
    404,
    [
      {
        customer: person(),
        agents: [{ name: 'a', policy: { permissions: [], spendingLimits: limits, accountRestrictions: restricted } }],
      },
    ],
  ],
  [
    'INVALID_BANK_ACCOUNT',
    400,
    [
      {
        customer: person(),
        externalAccounts: [{ currency: 'USD', accountInfo: usdRequest('1105').accountInfo }],
      },
    ],
  ],
  ['CONFLICT', 409, [1, 2].map(() => ({ customer: person({ platformCustomerId: 'ada' }) }))],
  ['UMA_ADDRESS_EXISTS', 409, [1, 2].map(() => ({ customer: person({ umaAddress: '$ada@pay.example' }) }))],
];

test.each(worlds)('createPlatform refuses a world with %s', async (code, status, customers) => {
  const answer = await send(await openSandbox(), named('createPlatform'), { body: { world: { customers } } });
  expect([answer.status, answer.body.code]).toEqual([status, code]);
});

const ofIssuers = ['getOidcConfiguration', 'getOidcKeys'] as const;

test.each(ofIssuers)('%s of a platform that is not there', async (id) => {
  const operation = named(id);
  for (const platformId of ['0000000000000000', 'nobody']) {
    const answer = await (await openSandbox()).control('GET', operation.path.replace('{platformId}', platformId));
    expectRefusal(answer, 404, 'NOT_FOUND');
  }
});

test('getExchange of an exchange that is not there', async () => {
  expectRefusal(await (await openSandbox()).control('GET', '/journal/7'), 404, 'NOT_FOUND');
});

test('getEvents when the limit of listeners is reached', async () => {
  const sandbox = await openSandbox();
  const listen = () =>
    sandbox.fetch(
      new Request(`${origin}/__sandbox/events`, { headers: { authorization: basic('sandbox', 'sandbox') } }),
    );
  const streams = await Promise.all(Array.from({ length: 64 }, listen));
  await Promise.all(streams.map(({ body }) => body?.getReader().read()));
  expectRefusal(await sandbox.control('GET', '/events'), 429, 'RATE_LIMITED');
});

test('every status that an operation declares is one of those above', () => {
  const above = controlOperations.flatMap(({ id, caller, statuses }) => [
    ...statuses
      .filter((status) => status < 300)
      .slice(0, 1)
      .map((status) => `${id} ${status}`),
    `${id} 400`,
    ...(caller === 'anyone' ? [] : [`${id} 401`]),
    ...(caller === 'manager' ? [`${id} 403`] : []),
    ...(ofIssuers as readonly string[]).filter((one) => one === id).map(() => `${id} 404`),
    ...(id === 'getExchange' ? [`${id} 404`] : []),
    ...(id === 'getEvents' ? [`${id} 429`] : []),
    ...(id === 'createPlatform' ? worlds.map(([, status]) => `${id} ${status}`) : []),
  ]);
  const declared = controlOperations.flatMap(({ id, statuses }) => statuses.map((status) => `${id} ${status}`));
  expect([...new Set(above)].sort()).toEqual(declared.sort());
});

describe('its document', () => {
  test('is served as it is, without credentials', async () => {
    const sandbox = await openSandbox({ controlToken: 'secret' });
    const served = await sandbox.fetch(new Request(`${origin}/__sandbox/openapi.json`));
    expect(served.status).toBe(200);
    expect((await served.text()) === readFileSync(controlLocation, 'utf8')).toBe(true);
    expect((await sandbox.fetch(new Request(`${origin}/__sandbox/openapi.yaml`, { method: 'HEAD' }))).status).toBe(200);
  });

  test('a reply outside it is found by the harness', async () => {
    const request = { method: 'GET', url: `${origin}/__sandbox/clock` };
    const answer = (status: number, body: unknown) => checkControlReply(request, Response.json(body, { status }));
    const now = '2025-10-13T09:00:00.000Z';
    await answer(200, { now, frozen: true });
    await expect(answer(200, { now })).rejects.toThrow(/frozen/);
    await expect(answer(200, { now, frozen: true, more: 1 })).rejects.toThrow(/additional/);
    await expect(answer(201, { now, frozen: true })).rejects.toThrow(/not declared/);
    await expect(answer(403, { status: 403, code: 'CONFLICT', message: 'x' })).rejects.toThrow(/code/);
  });
});
