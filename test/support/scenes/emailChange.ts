/**
 * Sets up a change of e-mail address: a customer with two wallets and another customer with one, with either kind of
 * proofs.
 */
import { expect } from 'vitest';
import type { AuthMethodType } from '../../../generated/types.ts';
import { type Kind, proverOn, registerBy, type SignedIn, signInBy } from '../proofs/prover.ts';
import { openSandbox } from '../sandbox/harness.ts';
import { customerOf, openPlatform, worldOf } from '../sandbox/platforms.ts';
import { signed, walletState } from './builders.ts';

export const oldEmail = 'ada@example.com';
export const email = 'Ada.New@Example.com';
export const change = { customerType: 'INDIVIDUAL', email };

/** A customer with two wallets, and another one with one. The test adds the credentials. */
export async function openScene(kind: Kind) {
  const sandbox = await openSandbox();
  const world = worldOf({ [oldEmail]: 2, 'grace@example.com': 1 });
  const platform = await openPlatform(sandbox, { proofs: kind, world });
  const prover = proverOn(platform, kind);
  const { customer, accounts } = await customerOf(platform, oldEmail);
  const [first = '', second = ''] = accounts.map(({ id }) => id);
  const [other = ''] = (await customerOf(platform, 'grace@example.com')).accounts.map(({ id }) => id);
  const path = `/customers/${customer.id}`;
  const update = (body: object = change, headers: Record<string, string> = {}) =>
    platform.send('PATCH', path, { body, headers });
  return {
    sandbox,
    platform,
    prover,
    customer,
    wallets: { first, second, other },
    update,
    register: (accountId: string, type: AuthMethodType, by?: SignedIn) =>
      registerBy(prover, type, accountId, { name: `${type} ${accountId}`.slice(-20), ...(by ? { by } : {}) }),
    /** Makes the first call, and returns a function for the retry, with any session and any body. */
    async challenge(body: object = change) {
      const { status, body: challenge } = await update(body);
      expect([status, challenge]).toMatchObject([202, { requestId: expect.any(String) }]);
      const retry = (by: SignedIn, again: object = body) =>
        update(again, signed(challenge.requestId, prover.sign(challenge.payloadToSign, by)));
      return { challenge, retry };
    },
    state: async () => [
      (await platform.send('GET', path)).body,
      (await platform.send('GET', '/customers/internal-accounts')).body,
      await Promise.all([first, second, other].map((id) => walletState(platform, id))),
    ],
  };
}

/** The same, with an EMAIL_OTP credential and its session on both wallets. */
export async function openTied(kind: Kind) {
  const scene = await openScene(kind);
  const credentials = {
    first: await scene.register(scene.wallets.first, 'EMAIL_OTP'),
    second: await scene.register(scene.wallets.second, 'EMAIL_OTP'),
  };
  const first = await signInBy(scene.prover, credentials.first);
  const second = await signInBy(scene.prover, credentials.second);
  return { ...scene, credentials, first, second };
}
