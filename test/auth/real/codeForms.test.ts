/** Promise: a one-time code has the length and lifetime that the platform had configured when it was sent (D41). */
import { describe, expect, it } from 'vitest';
import { openSandbox, type TestSandbox } from '../../support/sandbox/harness.ts';
import { clientKeys, openWallet, registerEmailOtp } from '../../support/scenes/builders.ts';

interface Form {
  readonly otpLength?: number;
  readonly alphanumeric?: boolean;
  readonly expirationSeconds?: number;
}

async function configure(sandbox: TestSandbox, embeddedWalletConfig: Form): Promise<void> {
  expect((await sandbox.send('PATCH', '/config', { body: { embeddedWalletConfig } })).status).toBe(200);
}

async function lastCode(sandbox: TestSandbox): Promise<string> {
  return (await sandbox.control('GET', '/outbox')).body.data[0].code;
}

async function verify(sandbox: TestSandbox, credentialId: string, otp: string): Promise<number> {
  const body = { type: 'EMAIL_OTP', otp, clientPublicKey: clientKeys().publicKeyHex };
  return (await sandbox.send('POST', `/auth/credentials/${credentialId}/verify`, { body })).status;
}

describe('in real proofs', () => {
  it.each([
    [{ otpLength: 4 }, /^\d{4}$/],
    [{ otpLength: 12 }, /^\d{12}$/],
    [{ otpLength: 12, alphanumeric: true }, /^(?=.*[A-Z])[0-9A-Z]{12}$/],
  ])('%j makes codes like %s, and they sign in', async (form, pattern) => {
    const sandbox = await openSandbox({ proofs: 'real' });
    await configure(sandbox, form);
    const { accountId } = await openWallet(sandbox);
    const { id } = await registerEmailOtp(sandbox, accountId);
    const code = await lastCode(sandbox);
    expect(code).toMatch(pattern);
    if (/[A-Z]/.test(code)) expect(await verify(sandbox, id, code.toLowerCase())).toBe(401);
    expect(await verify(sandbox, id, code)).toBe(200);
  });

  it('a code that was sent before the change stays as it was', async () => {
    const sandbox = await openSandbox({ proofs: 'real' });
    const { accountId } = await openWallet(sandbox);
    const { id } = await registerEmailOtp(sandbox, accountId);
    await configure(sandbox, { otpLength: 10, expirationSeconds: 1 });
    const code = await lastCode(sandbox);
    expect(code).toMatch(/^\d{6}$/);
    await sandbox.advance(299);
    expect(await verify(sandbox, id, code)).toBe(200);
  });
});

describe.each(['magic', 'real'] as const)('in %s proofs', (proofs) => {
  it.each([
    [899, 200],
    [900, 401],
  ])('with 900 s to live, after %i s a code is answered with %i', async (seconds, status) => {
    const sandbox = await openSandbox({ proofs });
    await configure(sandbox, { expirationSeconds: 900 });
    const { accountId } = await openWallet(sandbox);
    const { id } = await registerEmailOtp(sandbox, accountId);
    const code = proofs === 'real' ? await lastCode(sandbox) : '000000';
    await sandbox.advance(seconds);
    expect(await verify(sandbox, id, code)).toBe(status);
  });
});

it('in magic proofs 000000 stays the code, whatever its form is set to', async () => {
  const sandbox = await openSandbox();
  await configure(sandbox, { otpLength: 8, alphanumeric: true });
  const { accountId } = await openWallet(sandbox);
  const { id } = await registerEmailOtp(sandbox, accountId);
  expect(await verify(sandbox, id, '00000000')).toBe(401);
  expect(await verify(sandbox, id, '000000')).toBe(200);
});
