/**
 * Promise: if a new e-mail address can't be given to every EMAIL_OTP credential in the signed request, neither the
 * customer nor any credential gets it, and the error says why (D61). The rule doesn't depend on the kind of proofs, so
 * `npm test` tries one of them.
 */

import { describe, expect, test } from 'vitest';
import type { AuthMethod } from '../../generated/types.ts';
import { expectRefusal } from '../support/expect/apiError.ts';
import { type Kind, registerBy, signBy, signInBy } from '../support/proofs/prover.ts';
import { byLength } from '../support/run/length.ts';
import { must } from '../support/sandbox/harness.ts';
import { customerOf } from '../support/sandbox/platforms.ts';
import { openWallet } from '../support/scenes/builders.ts';
import { change, email, openScene, openTied } from '../support/scenes/emailChange.ts';

describe.each(byLength<readonly Kind[]>(['magic'], ['magic', 'real']))('in %s proofs', (kind) => {
  describe('the set of credentials is part of what is signed', () => {
    /** The first wallet also has a passkey, so that its EMAIL_OTP credential can be revoked. */
    async function openRevocable() {
      const scene = await openScene(kind);
      const passkey = await scene.register(scene.wallets.first, 'PASSKEY');
      const owner = await signInBy(scene.prover, passkey);
      const credential = await scene.register(scene.wallets.first, 'EMAIL_OTP', owner);
      const revoke = async ({ id }: AuthMethod) =>
        expect((await signBy(scene.prover, owner, 'DELETE', `/auth/credentials/${id}`)).status).toBe(204);
      return { ...scene, owner, credential, revoke };
    }

    type Scene = Awaited<ReturnType<typeof openRevocable>>;
    test.each<[name: string, meanwhile: (scene: Scene) => Promise<unknown>]>([
      ['one was added on the other wallet', ({ register, wallets }) => register(wallets.second, 'EMAIL_OTP')],
      ['its only one was revoked', ({ revoke, credential }) => revoke(credential)],
      [
        'one was revoked and another registered in its place',
        async ({ revoke, credential, register, wallets, owner }) => {
          await revoke(credential);
          await register(wallets.first, 'EMAIL_OTP', owner);
        },
      ],
    ])('%s: 409, and a new first call goes by the new set', async (_name, meanwhile) => {
      const scene = await openRevocable();
      const { retry } = await scene.challenge();
      await meanwhile(scene);
      const before = await scene.state();
      expectRefusal(await retry(scene.owner), 409, 'EMAIL_OTP_CREDENTIAL_SET_CHANGED');
      expect(await scene.state()).toEqual(before);
      const again = await scene.update();
      if (again.status === 202) expect((await (await scene.challenge()).retry(scene.owner)).status).toBe(200);
      else expect(again).toMatchObject({ status: 200, body: { email } });
    });

    test('a passkey that was added does not count', async () => {
      const { owner, register, wallets, challenge } = await openRevocable();
      const { retry } = await challenge();
      await register(wallets.second, 'PASSKEY');
      expect((await retry(owner)).status).toBe(200);
    });
  });

  describe("an address of somebody else's EMAIL_OTP credential", () => {
    test.each(['grace@example.com', 'Grace@Example.COM'])('%s: 409 on the first call', async (taken) => {
      const { register, wallets, update, state } = await openTied(kind);
      await register(wallets.other, 'EMAIL_OTP');
      const before = await state();
      const refused = await update({ ...change, email: taken });
      expectRefusal(refused, 409, 'EMAIL_OTP_EMAIL_ALREADY_EXISTS');
      expect(await state()).toEqual(before);
    });

    test('taken between the two calls: 409 on the retry, and the pending request stays usable', async () => {
      const { prover, register, wallets, first, challenge, state } = await openTied(kind);
      const { retry } = await challenge({ ...change, email: 'grace@example.com' });
      const passkey = await register(wallets.other, 'PASSKEY');
      const grace = await signInBy(prover, passkey);
      const taken = await register(wallets.other, 'EMAIL_OTP', grace);
      const before = await state();
      expectRefusal(await retry(first), 409, 'EMAIL_OTP_EMAIL_ALREADY_EXISTS');
      expect(await state()).toEqual(before);
      expect((await signBy(prover, grace, 'DELETE', `/auth/credentials/${taken.id}`)).status).toBe(204);
      expect((await retry(first)).status).toBe(200);
    });

    test('is compared when an address changes, and only then: two may begin with one (D61)', async () => {
      const { platform, prover } = await openTied(kind);
      const [one, two] = [
        await openWallet(platform, 'shared@example.com'),
        await openWallet(platform, 'shared@example.com'),
      ];
      for (const { accountId } of [one, two]) {
        expect((await registerBy(prover, 'EMAIL_OTP', accountId)).nickname).toBe('shared@example.com');
      }
      // A customer's current address isn't a change.
      const body = { customerType: 'INDIVIDUAL', email: 'shared@example.com' };
      expect((await platform.send('PATCH', `/customers/${one.customer.id}`, { body })).status).toBe(200);
    });

    test('an address that only the customer record of somebody has is free', async () => {
      const { first, challenge } = await openTied(kind);
      expect((await (await challenge({ ...change, email: 'grace@example.com' })).retry(first)).status).toBe(200);
    });
  });

  describe('a sync that fails', () => {
    test.each([0, 1])('at credential %i: 424, nothing has changed, and the same retry works later', async (failAt) => {
      const { platform, prover, credentials, first, challenge, state } = await openTied(kind);
      const waiting = await prover.prove(credentials.first);
      const body = { ...change, fullName: 'Ada', umaAddress: '$ada@pay.example', currencies: ['USDB', 'EUR'] };
      const { retry } = await challenge(body);
      const before = await state();
      must(await platform.control('PUT', '/faults', { body: { emailOtpSync: { failAt } } }));
      for (const attempt of [1, 2]) {
        expectRefusal(await retry(first), 424, 'EMAIL_OTP_CREDENTIAL_SYNC_FAILED');
        expect([attempt, await state()]).toEqual([attempt, before]);
      }
      const verify = `/auth/credentials/${credentials.first.id}/verify`;
      expect((await platform.send('POST', verify, { body: waiting.body })).status).toBe(200);
      must(await platform.control('DELETE', '/faults'));
      expect(await retry(first)).toMatchObject({ status: 200, body: { ...body } });
    });

    test('beyond the last credential, or where there is none, it does not come about', async () => {
      const { platform, first, challenge } = await openTied(kind);
      must(await platform.control('PUT', '/faults', { body: { emailOtpSync: { failAt: 2 } } }));
      expect((await (await challenge()).retry(first)).status).toBe(200);
      must(await platform.control('PUT', '/faults', { body: { emailOtpSync: { failAt: 0 } } }));
      const { customer } = await customerOf(platform, 'grace@example.com');
      expect((await platform.send('PATCH', `/customers/${customer.id}`, { body: change })).status).toBe(200);
    });
  });
});
