/**
 * Promise: the list shows every credential of one wallet, newest first, complete and without pages. An unknown wallet
 * has none (D07, D55).
 */
import { expect, test } from 'vitest';
import { testCommonRefusals } from '../support/requests/refusals.ts';
import { must, openSandbox, type TestSandbox } from '../support/sandbox/harness.ts';
import {
  addCredential,
  oauthRequest,
  openSignedInWallet,
  openWallet,
  passkeyRequest,
  registerEmailOtp,
  signAndSend,
  signInWithOauth,
  walletState,
} from '../support/scenes/builders.ts';

const list = (sandbox: TestSandbox, query: string) => sandbox.send('GET', `/auth/credentials${query}`);

testCommonRefusals('listCredentials', '/auth/credentials?accountId=InternalAccount:none');

test('newest first, each as its registration answered it, and nothing around them', async () => {
  const sandbox = await openSandbox();
  const { accountId, email, passkey } = await openSignedInWallet(sandbox);
  await sandbox.advance(60);
  const oauth = await addCredential(sandbox, oauthRequest(accountId));
  const { status, body } = await list(sandbox, `?accountId=${accountId}`);
  expect(status).toBe(200);
  expect(body).toEqual({ data: [oauth, passkey, email] });
  expect(passkey.credentialId).toBeDefined();
});

test('has no pages: more than a page of credentials comes at once', async () => {
  const sandbox = await openSandbox();
  const { accountId } = await openSignedInWallet(sandbox);
  for (let count = 0; count < 110; count += 1) await addCredential(sandbox, passkeyRequest(accountId, `key ${count}`));
  const { body } = await list(sandbox, `?accountId=${accountId}`);
  expect(body.data).toHaveLength(112);
  expect(Object.keys(body)).toEqual(['data']);
});

test('only those of the wallet that is asked for', async () => {
  const sandbox = await openSandbox();
  await openSignedInWallet(sandbox);
  const { accountId } = await openWallet(sandbox, 'grace@example.com');
  expect((await walletState(sandbox, accountId)).credentials).toEqual([]);
  const email = await registerEmailOtp(sandbox, accountId);
  expect((await walletState(sandbox, accountId)).credentials).toEqual([email]);
});

test('a revoked one is gone, a challenged or used one unchanged', async () => {
  const sandbox = await openSandbox();
  const { accountId, email, passkey } = await openSignedInWallet(sandbox);
  const oauth = await addCredential(sandbox, oauthRequest(accountId));
  await sandbox.advance(60);
  await signInWithOauth(sandbox, oauth.id);
  must(await sandbox.send('POST', `/auth/credentials/${email.id}/challenge`));
  expect((await signAndSend(sandbox, 'DELETE', `/auth/credentials/${passkey.id}`)).status).toBe(204);
  expect((await walletState(sandbox, accountId)).credentials).toEqual([oauth, email]);
});

test('a wallet that does not exist: 200 and none (D55)', async () => {
  const sandbox = await openSandbox();
  expect(await list(sandbox, '?accountId=InternalAccount:none')).toMatchObject({ status: 200, body: { data: [] } });
});

test.each([
  ['none', ''],
  ['an empty one', '?accountId='],
  ['of another type', '?accountId=Customer:c1'],
  ['two', '?accountId=InternalAccount:a&accountId=InternalAccount:b'],
])('accountId: %s: 400 that names it', async (_name, query) => {
  const sandbox = await openSandbox();
  const errors = [expect.objectContaining({ in: 'query', pointer: '/accountId' })];
  const { status, body } = await list(sandbox, query);
  expect(status).toBe(400);
  expect(body).toMatchObject({ code: 'INVALID_INPUT', details: { errors: expect.arrayContaining(errors) } });
});

test('limit and cursor are not parameters of this list: 400', async () => {
  const sandbox = await openSandbox();
  const { status, body } = await list(sandbox, '?accountId=InternalAccount:a&limit=5&cursor=x');
  expect(status).toBe(400);
  expect(body.details.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual(['/limit', '/cursor']);
});
