/**
 * Promise: platforms on one sandbox are isolated. Names, ids, tokens and pending requests of one mean nothing on
 * another, and a change of one doesn't affect the others (D43).
 */
import { describe, expect, test } from 'vitest';
import { type ErrorCode, operations } from '../../generated/operations.ts';
import { expectRefusal } from '../support/expect/apiError.ts';
import { call, everything, openTargets, pathOf, requestExamples } from '../support/requests/targets.ts';
import { basic, must, openSandbox } from '../support/sandbox/harness.ts';
import { openPlatform, worldOf } from '../support/sandbox/platforms.ts';
import { openAgent } from '../support/scenes/agents.ts';
import { openSignedInWallet, passkeyRequest, signed } from '../support/scenes/builders.ts';

async function openTwo() {
  const sandbox = await openSandbox();
  const [mine, theirs] = [await openPlatform(sandbox), await openPlatform(sandbox)];
  return { sandbox, mine, theirs, wallet: await openTargets(theirs) };
}

test('the same platformCustomerId, umaAddress, e-mail address and passkey can be on both', async () => {
  const { mine, theirs } = await openTwo();
  // Each already has the builder's passkey. A third registration on one platform would be refused.
  const wallet = await openSignedInWallet(mine);
  const again = await mine.send('POST', '/auth/credentials', { body: passkeyRequest(wallet.accountId) });
  expectRefusal(again, 400, 'PASSKEY_CREDENTIAL_ALREADY_EXISTS');
  const body = {
    customerType: 'INDIVIDUAL',
    platformCustomerId: 'p',
    umaAddress: '$p@pay.example',
    email: 'p@x.example',
  };
  for (const platform of [mine, theirs]) {
    expect((await platform.send('POST', '/customers', { body })).status).toBe(201);
    expect((await platform.send('POST', '/customers', { body })).status).toBe(409);
  }
});

test('a token sees only its own platform', async () => {
  const { sandbox, mine, theirs, wallet } = await openTwo();
  for (const platform of [mine, sandbox]) {
    const { customers, accounts } = {
      customers: (await platform.send('GET', `/customers?umaAddress=${encodeURIComponent(wallet.customer.umaAddress)}`))
        .body,
      accounts: (await platform.send('GET', `/customers/internal-accounts?customerId=${wallet.customer.id}`)).body,
    };
    expect([customers.totalCount, accounts.totalCount]).toEqual([0, 0]);
    for (const list of ['credentials', 'sessions']) {
      expect((await platform.send('GET', `/auth/${list}?accountId=${wallet.accountId}`)).body.data).toEqual([]);
    }
  }
  expect((await theirs.send('GET', '/customers')).body.totalCount).toBe(2);
  const mixed = basic(mine.clientId, theirs.clientSecret);
  expectRefusal(await sandbox.send('GET', '/customers', { authorization: mixed }), 401, 'UNAUTHORIZED');
});

// The UMA addresses of the sandbox's receivers belong to no platform, and anyone with a device code can redeem it.
const withId = operations.filter(
  ({ id, path, security }) => path.includes('{') && id !== 'lookUpUmaReceiver' && security !== 'none',
);

test.each(withId)('$method $path with an id of another platform: 404, and nothing changes', async (operation) => {
  const { mine, theirs, wallet } = await openTwo();
  const own = { agent: await openAgent(mine, (await openSignedInWallet(mine)).customer.id) };
  const before = await everything(theirs, wallet);
  for (const body of requestExamples(operation).length > 0 ? requestExamples(operation) : [undefined]) {
    const answer = await call(mine, operation, own, pathOf(operation, wallet), { body });
    const codes = (operation.codes as Readonly<Record<number, readonly ErrorCode[]>>)[404] ?? [];
    expectRefusal(answer, 404, codes);
  }
  expect(await everything(theirs, wallet)).toEqual(before);
});

test('an account of another platform in a body is none: 404', async () => {
  const { mine, wallet } = await openTwo();
  const body = { type: 'EMAIL_OTP', accountId: wallet.accountId };
  expectRefusal(await mine.send('POST', '/auth/credentials', { body }), 404, 'ACCOUNT_NOT_FOUND');
});

test('a pending request of one platform is unknown to the other, and still waits', async () => {
  const { mine, theirs, wallet } = await openTwo();
  const own = await openSignedInWallet(mine);
  const path = `/auth/sessions/${wallet.session.id}`;
  const { requestId } = (await theirs.send('DELETE', path)).body;
  const elsewhere = await mine.send('DELETE', `/auth/sessions/${own.session.id}`, { headers: signed(requestId) });
  expectRefusal(elsewhere, 401, 'REQUEST_ID_INVALID');
  expectRefusal(await mine.send('DELETE', path, { headers: signed(requestId) }), 401, 'REQUEST_ID_INVALID');
  expect((await theirs.send('DELETE', path, { headers: signed(requestId) })).status).toBe(204);
});

describe('what is done to one', () => {
  test('clock, settings, faults, outbox and reset leave the others as they are', async () => {
    const sandbox = await openSandbox();
    const mine = await openPlatform(sandbox, { proofs: 'real', world: worldOf({ 'a@example.com': 1 }) });
    const theirs = await openPlatform(sandbox, { proofs: 'real' });
    const wallet = await openTargets(await openPlatform(sandbox));
    const state = async () => [
      await Promise.all(
        [theirs, sandbox].flatMap((platform) =>
          ['/clock', '/settings', '/faults', '/outbox'].map(async (path) => (await platform.control('GET', path)).body),
        ),
      ),
      await everything(theirs, wallet),
      await everything(sandbox, wallet),
    ];
    const before = await state();
    await mine.advance(86_400);
    must(await mine.control('POST', '/clock', { body: { freeze: true } }));
    must(await mine.control('PUT', '/settings', { body: { proofs: 'magic', origins: [], audiences: ['mine'] } }));
    must(await mine.control('PUT', '/faults', { body: { emailOtpSync: { failAt: 0 } } }));
    must(await mine.control('PUT', '/settings', { body: { proofs: 'real' } }));
    const [account] = (await mine.send('GET', '/customers/internal-accounts')).body.data;
    const body = { type: 'EMAIL_OTP', accountId: account.id };
    expect((await mine.send('POST', '/auth/credentials', { body })).status).toBe(201);
    expect((await mine.control('GET', '/outbox')).body.data).toHaveLength(1);
    expect(await state()).toEqual(before);
    must(await mine.control('POST', '/reset'));
    expect(await state()).toEqual(before);
  });

  test("a fault of one does not fail another's e-mail change", async () => {
    const { mine, theirs, wallet } = await openTwo();
    must(await mine.control('PUT', '/faults', { body: { emailOtpSync: { failAt: 0 } } }));
    const body = { customerType: 'INDIVIDUAL', email: 'new@example.com' };
    const path = `/customers/${wallet.customer.id}`;
    const { requestId } = (await theirs.send('PATCH', path, { body })).body;
    expect((await theirs.send('PATCH', path, { body, headers: signed(requestId) })).status).toBe(200);
  });
});
