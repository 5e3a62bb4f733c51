/**
 * Promise: nobody can sign in to a closed wallet or export it, whether its currency was dropped or its customer was
 * deleted. Every operation returns the same code: 400 or 410 if it names the account, 404 if it names a credential or
 * session (D39, D67).
 */
import { describe, expect, test } from 'vitest';
import { openSandbox, type TestSandbox } from '../support/sandbox/harness.ts';
import {
  assertionRequest,
  clientKeys,
  magic,
  oauthRequest,
  openSignedInWallet,
  passkeyRequest,
  type SignedInWallet,
  signed,
  signInWithPasskey,
  walletState,
} from '../support/scenes/builders.ts';

const key = { clientPublicKey: clientKeys().publicKeyHex };
type Request = readonly [method: string, path: string, body?: object];

const closings = {
  closed: async (sandbox: TestSandbox, { customer }: SignedInWallet) => {
    const body = { customerType: 'INDIVIDUAL', currencies: ['USD'] };
    expect((await sandbox.send('PATCH', `/customers/${customer.id}`, { body })).status).toBe(200);
  },
  'customer deleted': async (sandbox: TestSandbox, { customer }: SignedInWallet) => {
    expect((await sandbox.send('DELETE', `/customers/${customer.id}`)).status).toBe(200);
  },
} as const;

const refusals = {
  account: { closed: [400, 'INVALID_INPUT'], 'customer deleted': [410, 'CUSTOMER_DELETED'] },
  credential: { closed: [404, 'CREDENTIAL_NOT_FOUND'], 'customer deleted': [404, 'CREDENTIAL_NOT_FOUND'] },
  session: { closed: [404, 'SESSION_NOT_FOUND'], 'customer deleted': [404, 'SESSION_NOT_FOUND'] },
} as const;

/** Every operation that names a wallet's account, credential or session. `signs`: it has a signed retry. */
const operations: readonly {
  readonly name: string;
  readonly by: keyof typeof refusals;
  readonly request: (wallet: SignedInWallet) => Request;
  readonly signs?: true;
}[] = [
  {
    name: 'register a code',
    by: 'account',
    request: ({ accountId }) => ['POST', '/auth/credentials', { type: 'EMAIL_OTP', accountId }],
  },
  {
    name: 'register a passkey',
    by: 'account',
    signs: true,
    request: ({ accountId }) => ['POST', '/auth/credentials', passkeyRequest(accountId, 'another')],
  },
  {
    name: 'register an identity',
    by: 'account',
    signs: true,
    request: ({ accountId }) => ['POST', '/auth/credentials', oauthRequest(accountId)],
  },
  {
    name: 'export',
    by: 'account',
    signs: true,
    request: ({ accountId }) => ['POST', `/internal-accounts/${accountId}/export`, key],
  },
  {
    name: 'privacy',
    by: 'account',
    signs: true,
    request: ({ accountId }) => ['PATCH', `/internal-accounts/${accountId}`, { privateEnabled: true }],
  },
  {
    name: 'challenge a code',
    by: 'credential',
    request: ({ email }) => ['POST', `/auth/credentials/${email.id}/challenge`],
  },
  {
    name: 'challenge a passkey',
    by: 'credential',
    request: ({ passkey }) => ['POST', `/auth/credentials/${passkey.id}/challenge`, key],
  },
  {
    name: 'verify a code',
    by: 'credential',
    request: ({ email }) => [
      'POST',
      `/auth/credentials/${email.id}/verify`,
      { type: 'EMAIL_OTP', otp: magic.otp, ...key },
    ],
  },
  {
    name: 'verify a passkey',
    by: 'credential',
    request: ({ passkey }) => ['POST', `/auth/credentials/${passkey.id}/verify`, assertionRequest()],
  },
  {
    name: 'revoke a credential',
    by: 'credential',
    signs: true,
    request: ({ passkey }) => ['DELETE', `/auth/credentials/${passkey.id}`],
  },
  {
    name: 'refresh a session',
    by: 'session',
    signs: true,
    request: ({ session }) => ['POST', `/auth/sessions/${session.id}/refresh`, key],
  },
  {
    name: 'revoke a session',
    by: 'session',
    signs: true,
    request: ({ session }) => ['DELETE', `/auth/sessions/${session.id}`],
  },
];

describe.each(['closed', 'customer deleted'] as const)('%s', (state) => {
  test.each(operations)('$name (by $by)', async ({ by, request, signs }) => {
    const sandbox = await openSandbox();
    const wallet = await openSignedInWallet(sandbox);
    const [method, path, body] = request(wallet);
    const waiting = signs === undefined ? undefined : await sandbox.send(method, path, { body });
    if (waiting !== undefined) expect(waiting.status).toBe(202);
    await closings[state](sandbox, wallet);

    const [status, code] = refusals[by][state];
    const refused = { status, body: { status, code } };
    expect(await sandbox.send(method, path, { body })).toMatchObject(refused);
    // A request that waited for its signature is refused for the same reason.
    if (waiting !== undefined) {
      const headers = signed(waiting.body.requestId);
      expect(await sandbox.send(method, path, { body, headers })).toMatchObject(refused);
    }
    expect(await walletState(sandbox, wallet.accountId)).toEqual({ credentials: [], sessions: [] });
  });

  test('an assertion that was asked for before', async () => {
    const sandbox = await openSandbox();
    const wallet = await openSignedInWallet(sandbox);
    const path = `/auth/credentials/${wallet.passkey.id}`;
    const asked = await sandbox.send('POST', `${path}/challenge`, { body: key });
    await closings[state](sandbox, wallet);
    const headers = { 'Request-Id': asked.body.requestId };
    const answer = await sandbox.send('POST', `${path}/verify`, { body: assertionRequest(), headers });
    expect(answer).toMatchObject({ status: 404, body: { code: 'CREDENTIAL_NOT_FOUND' } });
  });
});

test('a reopened wallet has no credential, like a new one', async () => {
  const sandbox = await openSandbox();
  const wallet = await openSignedInWallet(sandbox);
  await closings.closed(sandbox, wallet);
  const body = { customerType: 'INDIVIDUAL', currencies: ['USD', 'USDB'] };
  expect((await sandbox.send('PATCH', `/customers/${wallet.customer.id}`, { body })).status).toBe(200);
  expect(await walletState(sandbox, wallet.accountId)).toEqual({ credentials: [], sessions: [] });
  const again = await sandbox.send('POST', '/auth/credentials', { body: passkeyRequest(wallet.accountId) });
  expect(again.status).toBe(201);
  await signInWithPasskey(sandbox, again.body.id);
});

test('an update that drops the currency and changes the address is signed once and does both', async () => {
  const sandbox = await openSandbox();
  const { customer, accountId } = await openSignedInWallet(sandbox);
  const body = { customerType: 'INDIVIDUAL', currencies: ['USD'], email: 'new@example.com' };
  const path = `/customers/${customer.id}`;
  const { status, body: asked } = await sandbox.send('PATCH', path, { body });
  expect(status).toBe(202);
  const done = await sandbox.send('PATCH', path, { body, headers: signed(asked.requestId) });
  expect(done).toMatchObject({ status: 200, body: { email: 'new@example.com', currencies: ['USD'] } });
  expect(await walletState(sandbox, accountId)).toEqual({ credentials: [], sessions: [] });
});
