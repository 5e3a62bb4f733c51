/**
 * Promise: a wallet's privacy changes if a session of that wallet has signed the change. The new value stays and shows
 * everywhere (D15, D62). test/auth/signedRetry.test.ts tests the general rules of a signed retry.
 */
import { describe, expect, test } from 'vitest';
import { expectRefusal, faultPlaces } from '../support/expect/apiError.ts';
import {
  type Kind,
  openProver,
  openSignedIn,
  proverOn,
  registerBy,
  signBy,
  signInBy,
} from '../support/proofs/prover.ts';
import { expectNobodySigns } from '../support/proofs/signedRetries.ts';
import { testCommonRefusals } from '../support/requests/refusals.ts';
import { byLength } from '../support/run/length.ts';
import { must, openSandbox } from '../support/sandbox/harness.ts';
import { accountsOf, customerOf, openPlatform, worldOf } from '../support/sandbox/platforms.ts';
import { openWallet, signed } from '../support/scenes/builders.ts';

const unknown = 'InternalAccount:00000000-0000-7000-8000-000000000000';
const pathOf = (id: string): string => `/internal-accounts/${id}`;

testCommonRefusals('updateInternalAccount', pathOf(unknown));

describe.each(byLength<readonly Kind[]>(['magic'], ['magic', 'real']))('in %s proofs', (kind) => {
  async function openScene() {
    const prover = await openProver(kind);
    const { accountId, signedIn } = await openSignedIn(prover, 'EMAIL_OTP');
    const { sandbox } = prover;
    return {
      prover,
      sandbox,
      accountId,
      signedIn,
      set: (privateEnabled: boolean) => signBy(prover, signedIn, 'PATCH', pathOf(accountId), { privateEnabled }),
      shown: async () => {
        const { body } = await sandbox.send('GET', '/customers/internal-accounts?type=EMBEDDED_WALLET');
        return body.data.find(({ id }: { id: string }) => id === accountId);
      },
    };
  }

  test('it is off at first, goes on and off, and the list and everything after shows it', async () => {
    const { prover, sandbox, accountId, signedIn, set, shown } = await openScene();
    const first = await shown();
    expect(first.privateEnabled).toBe(false);
    await sandbox.advance(60);
    const expected = { ...first, privateEnabled: true, updatedAt: '2025-10-13T09:01:00.000Z' };
    const answer = await set(true);
    expect([answer.status, answer.body]).toEqual([200, expected]);
    expect(await shown()).toEqual(expected);
    must(await sandbox.send('POST', `/sandbox/internal-accounts/${accountId}/fund`, { body: { amount: 5 } }));
    await signBy(prover, signedIn, 'DELETE', `/auth/sessions/${signedIn.session.id}`);
    expect(await shown()).toMatchObject({ privateEnabled: true, balance: { amount: 5 } });
  });

  test('to its current value: needs a signature anyway, and succeeds', async () => {
    const { set, shown } = await openScene();
    for (const privateEnabled of [false, true, true, false]) {
      expect(await set(privateEnabled)).toMatchObject({ status: 200, body: { privateEnabled } });
      expect((await shown()).privateEnabled).toBe(privateEnabled);
    }
  });

  test('on the retry the other value is another request: 401, and the pending request stays usable', async () => {
    const { prover, sandbox, accountId, signedIn, shown } = await openScene();
    const send = (privateEnabled: boolean, headers: Record<string, string> = {}) =>
      sandbox.send('PATCH', pathOf(accountId), { body: { privateEnabled }, headers });
    const { body } = await send(true);
    const headers = signed(body.requestId, prover.sign(body.payloadToSign, signedIn));
    expectRefusal(await send(false, headers), 401, 'WALLET_SIGNATURE_BODY_MISMATCH');
    expect((await shown()).privateEnabled).toBe(false);
    expect((await send(true, headers)).status).toBe(200);
  });

  test("a session of another wallet may not sign, not even of the same customer's", async () => {
    const platform = await openPlatform(await openSandbox(), { proofs: kind, world: worldOf({ 'a@example.com': 2 }) });
    const prover = proverOn(platform, kind);
    const { customer, accounts } = await customerOf(platform, 'a@example.com');
    const [first = '', second = ''] = accounts.map(({ id }) => id);
    await registerBy(prover, 'EMAIL_OTP', first);
    const owner = await signInBy(prover, await registerBy(prover, 'EMAIL_OTP', second));
    const body = { privateEnabled: true };
    const refused = expectRefusal(await signBy(prover, owner, 'PATCH', pathOf(first), body), 401, 'UNAUTHORIZED');
    expect(refused.reason).toBe('Invalid Service-Wallet-Signature');
    expect((await signBy(prover, owner, 'PATCH', pathOf(second), body)).status).toBe(200);
    const flags = (await accountsOf(platform, customer.id)).map(({ privateEnabled }) => privateEnabled);
    expect(flags).toEqual([false, true]);
  });
});

describe('what is refused on the first call', () => {
  const body = { privateEnabled: true };

  test("an account that isn't a wallet: 400", async () => {
    const sandbox = await openSandbox();
    const { customer } = await openWallet(sandbox);
    const others = (await accountsOf(sandbox, customer.id)).filter(({ type }) => type !== 'EMBEDDED_WALLET');
    expect(others.map(({ type }) => type)).toEqual(['INTERNAL_FIAT', 'INTERNAL_CRYPTO']);
    for (const { id } of others) {
      const refused = expectRefusal(await sandbox.send('PATCH', pathOf(id), { body }), 400, 'INVALID_INPUT');
      expect(faultPlaces(refused)).toEqual(['path /id']);
    }
    expect((await accountsOf(sandbox, customer.id)).filter((account) => 'privateEnabled' in account)).toHaveLength(1);
  });

  test.each([unknown, 'InternalAccount:nonsense', 'Customer:00000000-0000-7000-8000-000000000000', 'x', '%20'])(
    'an id that names no account (%s): 404',
    async (id) => {
      const sandbox = await openSandbox();
      expectRefusal(await sandbox.send('PATCH', pathOf(id), { body }), 404, 'ACCOUNT_NOT_FOUND');
    },
  );

  test.each<Kind>(['magic', 'real'])('a wallet without a credential: 202, and 401 on any retry, %s', async (kind) => {
    const sandbox = await openSandbox({ proofs: kind });
    const { accountId } = await openWallet(sandbox);
    await expectNobodySigns((headers) => sandbox.send('PATCH', pathOf(accountId), { body, headers }));
  });

  test.each<[name: string, body: unknown, places: string[]]>([
    ['nothing', undefined, ['body ']],
    ['no field', {}, ['body /privateEnabled']],
    ['text', { privateEnabled: 'true' }, ['body /privateEnabled']],
    ['a number', { privateEnabled: 1 }, ['body /privateEnabled']],
    ['null', { privateEnabled: null }, ['body /privateEnabled']],
    ['another field of the account', { ...body, status: 'CLOSED' }, ['body /status']],
  ])('a body of %s: 400', async (_name, sent, places) => {
    const prover = await openProver('magic');
    const { accountId } = await openSignedIn(prover, 'EMAIL_OTP');
    const answer = await prover.sandbox.send('PATCH', pathOf(accountId), { body: sent });
    expect(faultPlaces(expectRefusal(answer, 400, 'INVALID_INPUT'))).toEqual(places);
  });
});
