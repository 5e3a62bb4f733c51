/**
 * Promise: a wallet's first credential is registered at once, every other one with a signed retry. D12, D20, D47, D48
 * and D50 say which credentials and names are possible. A registration opens no session, and a refused one registers
 * nothing.
 */
import { describe, expect, test } from 'vitest';
import { testCommonRefusals } from '../support/requests/refusals.ts';
import { type Answer, data, openSandbox, startOfTime, type TestSandbox } from '../support/sandbox/harness.ts';
import {
  addCredential,
  oauthRequest,
  openSignedInWallet,
  openWallet,
  passkeyRequest,
  registerEmailOtp,
  signAndSend,
  signed,
  signIn,
  signInWithOauth,
  walletState,
} from '../support/scenes/builders.ts';

const path = '/auth/credentials';
const register = (sandbox: TestSandbox, body: object, headers: Record<string, string> = {}): Promise<Answer> =>
  sandbox.send('POST', path, { body, headers });
const invalidInput = (pointer: string) => ({
  status: 400,
  body: { code: 'INVALID_INPUT', details: { errors: [{ in: 'body', pointer }] } },
});

testCommonRefusals('createCredential', path);

describe('the first credential of a wallet', () => {
  const emailOtp = (accountId: string) => ({ type: 'EMAIL_OTP', accountId });
  const rows = [
    ['EMAIL_OTP', emailOtp, { nickname: 'ada@example.com' }],
    ['OAUTH', oauthRequest, { nickname: 'ada@example.com' }],
    ['PASSKEY', passkeyRequest, { nickname: 'Work laptop', credentialId: 'cGFzc2tleS0x' }],
  ] as const;

  test.each(rows)('%s: 201 with the fields of a credential and no others; no session', async (type, request, facts) => {
    const sandbox = await openSandbox();
    const { accountId } = await openWallet(sandbox);
    const { status, body } = await register(sandbox, request(accountId));
    const time = new Date(startOfTime).toISOString();
    expect(status).toBe(201);
    const id = expect.stringMatching(/^AuthMethod:/);
    expect(body).toEqual({ id, accountId, type, ...facts, createdAt: time, updatedAt: time });
    expect(await walletState(sandbox, accountId)).toEqual({ credentials: [body], sessions: [] });
  });

  test.each([
    ['a wrong pair', signed('nonsense', 'wrong')],
    ['a signature alone', { 'Service-Wallet-Signature': 'wrong' }],
    ['a Request-Id alone', { 'Request-Id': 'nonsense' }],
  ])('the headers of a signed retry are ignored: %s (D15)', async (_name, headers) => {
    const sandbox = await openSandbox();
    const { accountId } = await openWallet(sandbox);
    expect((await register(sandbox, emailOtp(accountId), headers)).status).toBe(201);
  });

  test('case 38: nor does the challenge of another wallet matter here, and it stays usable there', async () => {
    const sandbox = await openSandbox();
    const other = await openSignedInWallet(sandbox);
    const { body: challenge } = await register(sandbox, oauthRequest(other.accountId));
    const { accountId } = await openWallet(sandbox, 'grace@example.com');
    expect((await register(sandbox, emailOtp(accountId), signed(challenge.requestId))).status).toBe(201);
    expect((await register(sandbox, oauthRequest(other.accountId), signed(challenge.requestId))).status).toBe(201);
  });

  test('two at once: one is the first, the other gets a challenge', async () => {
    const sandbox = await openSandbox();
    const { accountId } = await openWallet(sandbox);
    const bodies = [emailOtp(accountId), passkeyRequest(accountId)];
    const answers = await Promise.all(bodies.map((body) => register(sandbox, body)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 202]);
    expect((await walletState(sandbox, accountId)).credentials).toHaveLength(1);
  });
});

describe('further credentials', () => {
  test('case 46: 202, which is not the credential, then 201 with the same attestation', async () => {
    const sandbox = await openSandbox();
    const { accountId } = await openWallet(sandbox);
    const email = await registerEmailOtp(sandbox, accountId);
    await signIn(sandbox, email.id);
    const body = passkeyRequest(accountId);
    const first = await sandbox.client.POST(path, { body });
    expect(first.response.status).toBe(202);
    const answer = data(first);
    // @ts-expect-error a challenge has no id: the types make the caller tell 202 from 201
    expect(answer.id).toBeUndefined();
    if (!('requestId' in answer)) throw new Error('Expected a challenge');
    const second = await sandbox.client.POST(path, { body, params: { header: signed(answer.requestId) } });
    expect(second.response.status).toBe(201);
    expect(data(second)).toMatchObject({ type: 'PASSKEY', credentialId: body.attestation.credentialId });
  });

  test('the code of an EMAIL_OTP credential is sent by the signed retry, not before', async () => {
    const sandbox = await openSandbox();
    const { accountId } = await openWallet(sandbox);
    const { body: oauth } = await register(sandbox, oauthRequest(accountId));
    await signInWithOauth(sandbox, oauth.id);
    const body = { type: 'EMAIL_OTP', accountId };
    const { body: challenge } = await register(sandbox, body);
    await sandbox.advance(299);
    const { body: email } = await register(sandbox, body, signed(challenge.requestId));
    await sandbox.advance(299);
    expect(await signIn(sandbox, email.id)).toMatchObject({ type: 'EMAIL_OTP', nickname: 'ada@example.com' });
  });

  test('a session of another wallet does not sign', async () => {
    const sandbox = await openSandbox();
    await openSignedInWallet(sandbox);
    const { accountId } = await openWallet(sandbox, 'grace@example.com');
    await registerEmailOtp(sandbox, accountId);
    const answer = await signAndSend(sandbox, 'POST', path, oauthRequest(accountId));
    expect(answer).toMatchObject({ status: 401, body: { reason: 'Invalid Service-Wallet-Signature' } });
    expect((await walletState(sandbox, accountId)).credentials).toHaveLength(1);
  });
});

describe('what a wallet can have', () => {
  test.each([
    ["an account that isn't a wallet", 'USD', 'ada@example.com'],
    ['EMAIL_OTP for a customer without an e-mail address', 'USDB', undefined],
  ])('%s: 400', async (_name, currency, email) => {
    const sandbox = await openSandbox();
    const body = email === undefined ? {} : { email };
    const customer = data(await sandbox.client.POST('/customers', { body: { customerType: 'INDIVIDUAL', ...body } }));
    const query = { customerId: customer.id, currency };
    const accounts = data(await sandbox.client.GET('/customers/internal-accounts', { params: { query } }));
    const accountId = accounts.data[0]?.id ?? '';
    expect(await register(sandbox, { type: 'EMAIL_OTP', accountId })).toMatchObject(invalidInput('/accountId'));
    expect((await walletState(sandbox, accountId)).credentials).toEqual([]);
  });

  test.each([
    ['without headers', {}, 404, 'ACCOUNT_NOT_FOUND'],
    ['after the checks of a signed retry (D15)', signed('nonsense'), 401, 'REQUEST_ID_INVALID'],
  ])('an account that does not exist, %s', async (_name, headers, status, code) => {
    const sandbox = await openSandbox();
    const body = { type: 'EMAIL_OTP', accountId: 'InternalAccount:none' };
    expect(await register(sandbox, body, headers)).toMatchObject({ status, body: { code } });
  });

  test('a second EMAIL_OTP: 400 on the first call, and on a retry that another one overtook', async () => {
    const sandbox = await openSandbox();
    const { accountId } = await openWallet(sandbox);
    const { body: oauth } = await register(sandbox, oauthRequest(accountId));
    await signInWithOauth(sandbox, oauth.id);
    const body = { type: 'EMAIL_OTP', accountId };
    const { body: challenge } = await register(sandbox, body);
    await addCredential(sandbox, body);
    const refused = { status: 400, body: { code: 'EMAIL_OTP_CREDENTIAL_ALREADY_EXISTS' } };
    expect(await register(sandbox, body, signed(challenge.requestId))).toMatchObject(refused);
    expect(await register(sandbox, body)).toMatchObject(refused);
    expect((await walletState(sandbox, accountId)).credentials).toHaveLength(2);
  });

  test('a refusal by such a rule does not use the pending request up: the retry works once the rule allows it', async () => {
    const sandbox = await openSandbox();
    const { accountId } = await openSignedInWallet(sandbox);
    const body = oauthRequest(accountId);
    const { body: challenge } = await register(sandbox, body);
    const overtaking = await addCredential(sandbox, body);
    expect((await register(sandbox, body, signed(challenge.requestId))).status).toBe(409);
    expect((await signAndSend(sandbox, 'DELETE', `${path}/${overtaking.id}`)).status).toBe(204);
    expect((await register(sandbox, body, signed(challenge.requestId))).status).toBe(201);
  });

  test.each([
    ['an e-mail address', { type: 'EMAIL_OTP', email: 'eve@example.com' }, '/email'],
    ['no type', {}, '/type'],
    ['an unknown type', { type: 'SMS_OTP' }, '/type'],
    ['an account id of another form', { type: 'EMAIL_OTP', accountId: 'Customer:c1' }, '/accountId'],
    ['no token', { type: 'OAUTH' }, '/oidcToken'],
  ])('case 107: %s in the body: 400', async (_name, fields, pointer) => {
    const sandbox = await openSandbox();
    const { accountId } = await openWallet(sandbox);
    expect(await register(sandbox, { accountId, ...fields })).toMatchObject(invalidInput(pointer));
    expect((await walletState(sandbox, accountId)).credentials).toEqual([]);
  });
});
