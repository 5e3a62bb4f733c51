/**
 * Promise: a token can do what its permissions say and nothing else. No permission includes another (D11). A forbidden
 * request has no effect and reveals nothing.
 */
import { describe, expect, test } from 'vitest';
import { type Operation, operations } from '../../generated/operations.ts';
import type { Permission } from '../../generated/types.ts';
import { expectRefusal } from '../support/expect/apiError.ts';
import { basic, data, openSandbox, type TestSandbox } from '../support/sandbox/harness.ts';

const all: readonly Permission[] = ['VIEW', 'TRANSACT', 'MANAGE'];
const holdings: Permission[][] = [
  ['VIEW'],
  ['TRANSACT'],
  ['MANAGE'],
  ['VIEW', 'TRANSACT'],
  ['VIEW', 'MANAGE'],
  ['TRANSACT', 'MANAGE'],
  ['MANAGE', 'TRANSACT', 'VIEW'],
];

async function tokenWith(sandbox: TestSandbox, permissions: Permission[]): Promise<string> {
  const token = data(await sandbox.client.POST('/tokens', { body: { name: 'limited', permissions } }));
  return basic(token.clientId, token.clientSecret);
}

const addressOf = ({ path }: Operation): string => path.replaceAll(/\{\w+\}/g, 'none');

describe('which permission an operation needs', () => {
  test('reading needs VIEW, moving money TRANSACT, everything else MANAGE', () => {
    const moving: readonly string[] = ['sandbox', 'quotes', 'transfers'];
    const answering: readonly string[] = ['approveAgentAction', 'rejectAgentAction'];
    for (const { id, domain, method, security, permission } of operations) {
      const isMoving = moving.includes(domain) || answering.includes(id);
      const wanted = method === 'GET' ? 'VIEW' : isMoving ? 'TRANSACT' : 'MANAGE';
      expect([id, permission]).toEqual([id, security === 'basic' ? wanted : null]);
    }
  });

  test.each(holdings.map((held) => ({ held })))('case 34: $held opens these and no others', async ({ held }) => {
    const sandbox = await openSandbox();
    const authorization = await tokenWith(sandbox, held);
    for (const operation of operations) {
      if (operation.permission === null) continue;
      const answer = await sandbox.send(operation.method, addressOf(operation), { authorization });
      if (held.includes(operation.permission)) {
        expect([operation.id, answer.status]).not.toEqual([operation.id, 403]);
        expect(answer.status).not.toBe(401);
      } else {
        expect(expectRefusal(answer, 403, 'FORBIDDEN').message).toContain(operation.permission);
      }
    }
  });
});

describe('what is forbidden has no effect', () => {
  test('case 34: no operation changes anything for a token that may not call it', async () => {
    const sandbox = await openSandbox();
    const lists = async () => [
      (await sandbox.send('GET', '/customers')).body,
      (await sandbox.send('GET', '/customers/internal-accounts')).body,
    ];
    const [account] = data(await sandbox.client.GET('/customers/internal-accounts')).data;
    const before = await lists();
    const attempts: [Permission, method: string, path: string, body: object][] = [
      ['MANAGE', 'POST', '/customers', { customerType: 'INDIVIDUAL' }],
      ['MANAGE', 'POST', '/tokens', { name: 'more', permissions: ['MANAGE'] }],
      ['MANAGE', 'POST', '/auth/credentials', { type: 'EMAIL_OTP', accountId: account?.id }],
      ['TRANSACT', 'POST', `/sandbox/internal-accounts/${account?.id}/fund`, { amount: 100 }],
    ];
    for (const [needed, method, path, body] of attempts) {
      const authorization = await tokenWith(
        sandbox,
        all.filter((permission) => permission !== needed),
      );
      expectRefusal(await sandbox.send(method, path, { body, authorization }), 403, 'FORBIDDEN');
    }
    expect(await lists()).toEqual(before);
    const credentials = await sandbox.send('GET', `/auth/credentials?accountId=${account?.id}`);
    expect(credentials.body).toEqual({ data: [] });
  });

  test('permission comes before the id, the query and the body', async () => {
    const sandbox = await openSandbox();
    const authorization = await tokenWith(sandbox, ['TRANSACT']);
    const answers = [
      await sandbox.send('GET', '/customers/Customer:none', { authorization }),
      await sandbox.send('GET', '/customers?limit=0', { authorization }),
      await sandbox.send('POST', '/customers', { authorization, text: '{' }),
      await sandbox.send('POST', '/tokens', { authorization, text: ' '.repeat(2 * 1024 * 1024) }),
    ];
    for (const answer of answers) expectRefusal(answer, 403, 'FORBIDDEN');
  });

  test('the control surface needs MANAGE', async () => {
    const sandbox = await openSandbox();
    const before = await sandbox.now();
    const authorization = await tokenWith(sandbox, ['VIEW', 'TRANSACT']);
    const body = { advanceSeconds: 60 };
    expectRefusal(await sandbox.control('GET', '/clock', { authorization }), 403, 'FORBIDDEN');
    expectRefusal(await sandbox.control('POST', '/clock', { authorization, body }), 403, 'FORBIDDEN');
    expectRefusal(await sandbox.control('POST', '/reset', { authorization }), 403, 'FORBIDDEN');
    expect(await sandbox.now()).toBe(before);
    // The token still exists, so nothing was reset.
    expect((await sandbox.send('GET', '/customers', { authorization })).status).toBe(200);
  });
});
