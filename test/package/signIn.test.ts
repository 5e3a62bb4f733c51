/**
 * Promise: signIn returns a wallet that is ready to use: with its customer, a session, and a signer that may act for
 * it. It works with magic and with real proofs, by each kind of credential, in process and over HTTP.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { signedRetry } from '../../client/index.ts';
import { createControl, type Platform } from '../../package/control.ts';
import { createSandbox, type Sandbox } from '../../package/sandbox.ts';
import { type SignedIn, signIn } from '../../package/testing.ts';
import { byLength } from '../support/run/length.ts';
import { data } from '../support/sandbox/harness.ts';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await createSandbox();
});
afterAll(() => sandbox.close());

/** Makes the wallet private, which only its own session may do. */
async function act({ client }: Pick<Platform, 'client'>, { wallet, signer }: Pick<SignedIn, 'wallet' | 'signer'>) {
  const path = { id: wallet.id };
  const body = { privateEnabled: true };
  const change = (header: object) => client().PATCH('/internal-accounts/{id}', { params: { path, header }, body });
  return data(await signedRetry(change, signer)).privateEnabled;
}

describe.each(['magic', 'real'] as const)('in %s proofs', (proofs) => {
  test.each(['EMAIL_OTP', 'OAUTH', 'PASSKEY'] as const)('signs a new customer in by %s', async (credential) => {
    const platform = await sandbox.platform({ proofs });
    const signedIn = await signIn(platform, { credential, balance: 5_000_000 });
    expect(signedIn).toMatchObject({
      customer: { fullName: 'Ada Byron', email: 'customer-1@example.com' },
      wallet: { type: 'EMBEDDED_WALLET', balance: { amount: 5_000_000 } },
      credential: { type: credential, accountId: signedIn.wallet.id },
      session: { accountId: signedIn.wallet.id, type: credential },
    });
    expect(signedIn.accounts).toContainEqual(signedIn.wallet);
    expect(signedIn.keys.publicKeyHex).toMatch(/^04/);
    expect(signedIn.key.publicKeyHex).toMatch(/^0[23]/);
    expect(await act(platform, signedIn)).toBe(true);
  });
});

// Magic proofs use the same code with fewer steps.
test.each(byLength(['real'] as const, ['magic', 'real'] as const))(
  'in %s proofs signs a customer in again, by the credential that is there',
  async (proofs) => {
    const platform = await sandbox.platform({ proofs });
    for (const credential of ['EMAIL_OTP', 'OAUTH'] as const) {
      const first = await signIn(platform, { credential, customer: { email: `${credential}@example.com` } });
      await platform.control.clock.advance(60);
      const again = await signIn(platform, { credential, customerId: first.customer.id });
      expect(again.credential).toEqual(first.credential);
      expect(again.session.id).not.toBe(first.session.id);
      expect(await act(platform, again)).toBe(true);
    }
  },
);

test('takes a sandbox, a platform, and the control client of one that runs elsewhere', async () => {
  const control = createControl({ url: await sandbox.listen() });
  const platform = await control.platform({ proofs: 'real' });
  for (const place of [sandbox, control, platform, platform.control]) {
    expect(await act(place, await signIn(place))).toBe(true);
  }
});

test('says what is in its way', async () => {
  const platform = await sandbox.platform({ proofs: 'real' });
  const { customer } = await signIn(platform, { credential: 'PASSKEY' });
  const again = (options: object) => signIn(platform, { customerId: customer.id, ...options });
  await expect(again({ credential: 'PASSKEY' })).rejects.toThrow(
    'signIn(): the key of Test device is in its authenticator. Sign in with another credential.',
  );
  await expect(again({ credential: 'EMAIL_OTP' })).rejects.toThrow(
    'signIn(): the wallet has a credential of type PASSKEY and none of type EMAIL_OTP. Sign in with PASSKEY.',
  );
  await expect(signIn(platform, { customer: { currencies: ['USD'] } })).rejects.toThrow(
    /^signIn\(\): Customer:\S+ has no wallet\. Give the customer the currency USDB\.$/,
  );
  await expect(signIn(platform, { customer: { email: 'nobody' } })).rejects.toThrow(
    /^signIn\(\): POST \/customers was refused: INVALID_INPUT Invalid body \/email/,
  );
});
