/** Promise: a reset returns a platform completely to its initial state, and affects no other platform (D54). */
import { describe, expect, test } from 'vitest';
import { expectRefusal } from '../support/expect/apiError.ts';
import { basic, data, must, openSandbox, type TestSandbox } from '../support/sandbox/harness.ts';
import { openSignedInWallet } from '../support/scenes/builders.ts';

const params = { query: { limit: 100 } };
const lists = async (sandbox: TestSandbox) => ({
  customers: data(await sandbox.client.GET('/customers', { params })),
  accounts: data(await sandbox.client.GET('/customers/internal-accounts', { params })),
});

describe('reset', () => {
  test('answers 204, and the world, its clock and its order are as at first', async () => {
    const sandbox = await openSandbox();
    const first = await lists(sandbox);
    await openSignedInWallet(sandbox);
    const [account] = first.accounts.data;
    must(await sandbox.send('POST', `/sandbox/internal-accounts/${account?.id}/fund`, { body: { amount: 5 } }));
    must(await sandbox.control('POST', '/clock', { body: { freeze: true } }));
    await sandbox.advance(86_400);
    const answer = await sandbox.control('POST', '/reset');
    expect([answer.status, answer.body]).toEqual([204, undefined]);
    expect(await lists(sandbox)).toEqual(first);
    expect((await sandbox.control('GET', '/clock')).body).toEqual({ now: '2025-10-13T09:00:00.000Z', frozen: false });
  });

  test('credentials, sessions, pending requests and made tokens are gone', async () => {
    const sandbox = await openSandbox();
    const { accountId, email, session, customer } = await openSignedInWallet(sandbox);
    const { requestId } = (await sandbox.send('DELETE', `/auth/credentials/${email.id}`)).body;
    const token = data(await sandbox.client.POST('/tokens', { body: { name: 'a', permissions: ['VIEW'] } }));
    must(await sandbox.control('POST', '/reset'));
    const authorization = basic(token.clientId, token.clientSecret);
    expectRefusal(await sandbox.send('GET', '/customers', { authorization }), 401, 'UNAUTHORIZED');
    expectRefusal(await sandbox.send('GET', `/customers/${customer.id}`), 404, 'USER_NOT_FOUND');
    expect((await sandbox.send('GET', `/auth/credentials?accountId=${accountId}`)).body).toEqual({ data: [] });
    expect((await sandbox.send('GET', `/auth/sessions?accountId=${accountId}`)).body.totalCount).toBe(0);
    expectRefusal(await sandbox.send('DELETE', `/auth/sessions/${session.id}`), 404, 'SESSION_NOT_FOUND');
    const headers = { 'Request-Id': requestId, 'Service-Wallet-Signature': 'sandbox-valid-signature' };
    const retry = await sandbox.send('DELETE', `/auth/credentials/${email.id}`, { headers });
    expectRefusal(retry, 401, 'REQUEST_ID_INVALID');
  });

  test('what was taken is free again', async () => {
    const sandbox = await openSandbox();
    const body = { customerType: 'INDIVIDUAL' as const, umaAddress: '$ada@pay.example', platformCustomerId: 'ada' };
    for (let time = 0; time < 3; time += 1) {
      expect((await sandbox.client.POST('/customers', { body })).response.status).toBe(201);
      expect((await sandbox.client.POST('/customers', { body })).response.status).toBe(409);
      must(await sandbox.control('POST', '/reset'));
    }
  });

  test('a clock that stood at first stands there again', async () => {
    const sandbox = await openSandbox({ frozenAt: Date.UTC(2025, 9, 13) });
    await sandbox.advance(60);
    must(await sandbox.control('POST', '/reset'));
    expect((await sandbox.control('GET', '/clock')).body).toEqual({ now: '2025-10-13T00:00:00.000Z', frozen: true });
  });

  test('with the same seed, the same steps give the same ids after it', async () => {
    const sandbox = await openSandbox();
    const { customer } = await openSignedInWallet(sandbox);
    must(await sandbox.control('POST', '/reset'));
    expect((await openSignedInWallet(sandbox)).customer).toEqual(customer);
  });

  test('other methods are 405', async () => {
    const answer = await (await openSandbox()).control('GET', '/reset');
    expectRefusal(answer, 405, 'METHOD_NOT_ALLOWED');
    expect(answer.headers.get('allow')).toBe('POST, OPTIONS');
  });
});

describe('two sandboxes', () => {
  test('case 121: with the same ids in both, what one does and resets leaves the other alone', async () => {
    const [one, two] = [await openSandbox(), await openSandbox()];
    const [mine, theirs] = [await openSignedInWallet(one), await openSignedInWallet(two)];
    expect(mine).toEqual(theirs);
    const before = await lists(two);
    must(await one.send('POST', `/sandbox/internal-accounts/${mine.accountId}/fund`, { body: { amount: 7 } }));
    await one.advance(3600);
    must(await one.control('POST', '/reset'));
    expect(await lists(two)).toEqual(before);
    expect(await two.now()).toBe('2025-10-13T09:00:00.000Z');
    const sessions = await two.send('GET', `/auth/sessions?accountId=${theirs.accountId}`);
    expect(sessions.body.data.map(({ id }: { id: string }) => id)).toEqual([theirs.session.id]);
  });

  test('case 121: one that resets while the other works does not disturb it', async () => {
    const [one, two] = [await openSandbox(), await openSandbox()];
    const work = Array.from({ length: 20 }, (_, index) =>
      two.client.POST('/customers', { body: { customerType: 'INDIVIDUAL', platformCustomerId: String(index) } }),
    );
    const resets = Array.from({ length: 20 }, () => one.control('POST', '/reset'));
    const created = await Promise.all(work);
    expect((await Promise.all(resets)).map(({ status }) => status)).toEqual(resets.map(() => 204));
    expect(created.map(({ response }) => response.status)).toEqual(created.map(() => 201));
    expect((await lists(two)).customers.totalCount).toBe(22);
    expect((await lists(one)).customers.totalCount).toBe(2);
  });

  test('a reset among the work of its own platform cuts between two requests, never through one', async () => {
    const sandbox = await openSandbox();
    const body = { customerType: 'INDIVIDUAL' as const };
    await Promise.all([
      ...Array.from({ length: 10 }, () => sandbox.client.POST('/customers', { body })),
      sandbox.control('POST', '/reset'),
      ...Array.from({ length: 10 }, () => sandbox.client.POST('/customers', { body })),
    ]);
    const { customers, accounts } = await lists(sandbox);
    expect(accounts.totalCount).toBe(customers.totalCount * 3);
    expect(customers.data.slice(-2).map(({ platformCustomerId }) => platformCustomerId)).toEqual([
      'world-business',
      'world-individual',
    ]);
  });
});
