/**
 * Promise: a wallet's recovery phrase leaves the service only if a session of that wallet has signed the export. It is
 * sealed to the key in the signed request, and its words are always the same (D15, D24). test/auth/signedRetry.test.ts
 * tests the general rules of a signed retry.
 */
import { validateMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { describe, expect, test } from 'vitest';
import { BundleError, createWalletKeys, openWalletExport, type WalletKeys } from '../../client/index.ts';
import { seededChance } from '../../mocks/sandbox/tools/chance.ts';
import { expectRefusal, faultPlaces } from '../support/expect/apiError.ts';
import {
  type Kind,
  openProver,
  openSignedIn,
  type Prover,
  proverOn,
  registerBy,
  type SignedIn,
  signBy,
  signInBy,
} from '../support/proofs/prover.ts';
import { expectNobodySigns } from '../support/proofs/signedRetries.ts';
import { testCommonRefusals } from '../support/requests/refusals.ts';
import { byLength } from '../support/run/length.ts';
import { openSandbox, type TestSandbox } from '../support/sandbox/harness.ts';
import { accountsOf, customerOf, openPlatform, worldOf } from '../support/sandbox/platforms.ts';
import { clientKeys, openWallet, signed } from '../support/scenes/builders.ts';

const unknown = 'InternalAccount:00000000-0000-7000-8000-000000000000';
const pathOf = (id: string): string => `/internal-accounts/${id}/export`;
const body = { clientPublicKey: clientKeys().publicKeyHex };

testCommonRefusals('exportInternalAccount', pathOf(unknown));

/** Exports a wallet, opens the bundle and returns the words. */
async function exportWords(prover: Prover, accountId: string, by: SignedIn, keys?: WalletKeys): Promise<string> {
  const used = keys ?? (await createWalletKeys());
  const answer = await signBy(prover, by, 'POST', pathOf(accountId), { clientPublicKey: used.publicKeyHex });
  expect([answer.status, answer.body]).toEqual([
    200,
    { id: accountId, encryptedWalletCredentials: expect.stringMatching(/^[1-9A-HJ-NP-Za-km-z]{100,}$/) },
  ]);
  return openWalletExport(answer.body.encryptedWalletCredentials, used);
}

describe.each(byLength<readonly Kind[]>(['real'], ['magic', 'real']))('in %s proofs', (kind) => {
  test('the words open with the key that they were sealed to, and are a BIP-39 mnemonic', async () => {
    const prover = await openProver(kind);
    const { accountId, signedIn } = await openSignedIn(prover, 'EMAIL_OTP');
    const words = await exportWords(prover, accountId, signedIn);
    expect(words).toMatch(/^[a-z]+( [a-z]+){11}$/);
    expect(validateMnemonic(words, wordlist)).toBe(true);
  });

  test('they are the same every time, sealed again', async () => {
    const prover = await openProver(kind);
    const { accountId, signedIn } = await openSignedIn(prover, 'EMAIL_OTP');
    const keys = await createWalletKeys();
    const sealed = async () => {
      const { publicKeyHex: clientPublicKey } = keys;
      const answer = await signBy(prover, signedIn, 'POST', pathOf(accountId), { clientPublicKey });
      return answer.body.encryptedWalletCredentials as string;
    };
    const [one, two] = [await sealed(), await sealed()];
    expect(one).not.toBe(two);
    const words = await openWalletExport(one, keys);
    expect(await openWalletExport(two, keys)).toBe(words);
    expect(await exportWords(prover, accountId, signedIn)).toBe(words);
  });

  test("the challenge has the type of the wallet's oldest credential, for an update of the wallet too", async () => {
    const prover = await openProver(kind);
    const { sandbox } = prover;
    const { accountId, signedIn } = await openSignedIn(prover, 'PASSKEY');
    await registerBy(prover, 'EMAIL_OTP', accountId, { by: signedIn });
    const update = { body: { privateEnabled: true } };
    const answers = [
      await sandbox.send('POST', pathOf(accountId), { body }),
      await sandbox.send('PATCH', `/internal-accounts/${accountId}`, update),
    ];
    expect(answers.map(({ status, body: { type } }) => [status, type])).toEqual([
      [202, 'PASSKEY'],
      [202, 'PASSKEY'],
    ]);
  });

  test('another key does not open them', async () => {
    const prover = await openProver(kind);
    const { accountId, signedIn } = await openSignedIn(prover, 'EMAIL_OTP');
    const answer = await signBy(prover, signedIn, 'POST', pathOf(accountId), body);
    const opening = openWalletExport(answer.body.encryptedWalletCredentials, await createWalletKeys());
    await expect(opening).rejects.toThrow(BundleError);
  });

  test('on the retry another key is another request: 401, and the pending request stays usable', async () => {
    const prover = await openProver(kind);
    const { accountId, signedIn } = await openSignedIn(prover, 'EMAIL_OTP');
    const { sandbox } = prover;
    const challenge = await sandbox.send('POST', pathOf(accountId), { body });
    const headers = signed(challenge.body.requestId, prover.sign(challenge.body.payloadToSign, signedIn));
    for (const clientPublicKey of [clientKeys(2).publicKeyHex, body.clientPublicKey.toUpperCase()]) {
      const refused = await sandbox.send('POST', pathOf(accountId), { body: { clientPublicKey }, headers });
      expectRefusal(refused, 401, 'WALLET_SIGNATURE_BODY_MISMATCH');
    }
    expect((await sandbox.send('POST', pathOf(accountId), { body, headers })).status).toBe(200);
  });

  test("a session of another wallet may not sign, not even of the same customer's", async () => {
    const platform = await openPlatform(await openSandbox(), { proofs: kind, world: worldOf({ 'a@example.com': 2 }) });
    const prover = proverOn(platform, kind);
    const [first = '', second = ''] = (await customerOf(platform, 'a@example.com')).accounts.map(({ id }) => id);
    await registerBy(prover, 'EMAIL_OTP', first);
    const owner = await signInBy(prover, await registerBy(prover, 'EMAIL_OTP', second));
    const refused = expectRefusal(await signBy(prover, owner, 'POST', pathOf(first), body), 401, 'UNAUTHORIZED');
    expect(refused.reason).toBe('Invalid Service-Wallet-Signature');
    expect((await signBy(prover, owner, 'POST', pathOf(second), body)).status).toBe(200);
  });

  test('each wallet has words of its own', async () => {
    const prover = await openProver(kind);
    const words = new Set<string>();
    for (const email of ['a@example.com', 'b@example.com', 'c@example.com']) {
      const { accountId, signedIn } = await openSignedIn(prover, 'EMAIL_OTP', email);
      words.add(await exportWords(prover, accountId, signedIn));
    }
    expect(words.size).toBe(3);
  });
});

test('the same wallet id on another store has other words', async () => {
  const words: string[] = [];
  for (const seed of [1, 2]) {
    const prover = proverOn(await openSandbox({ chance: seededChance(seed) }), 'magic');
    const { accountId, signedIn } = await openSignedIn(prover, 'EMAIL_OTP');
    words.push(await exportWords(prover, accountId, signedIn));
  }
  expect(words[0]).not.toBe(words[1]);
});

describe('what is refused on the first call', () => {
  async function accountOf(sandbox: TestSandbox, type: string): Promise<string> {
    const { customer } = await openWallet(sandbox);
    return (await accountsOf(sandbox, customer.id)).find((account) => account.type === type)?.id ?? '';
  }

  test.each(['INTERNAL_FIAT', 'INTERNAL_CRYPTO'])('an %s account: 400', async (type) => {
    const sandbox = await openSandbox();
    const refused = await sandbox.send('POST', pathOf(await accountOf(sandbox, type)), { body });
    expect(faultPlaces(expectRefusal(refused, 400, 'INVALID_INPUT'))).toEqual(['path /id']);
  });

  test.each([unknown, 'InternalAccount:nonsense', 'Customer:00000000-0000-7000-8000-000000000000', 'x', '%20'])(
    'an id that names no account (%s): 404',
    async (id) => {
      const sandbox = await openSandbox();
      expectRefusal(await sandbox.send('POST', pathOf(id), { body }), 404, 'ACCOUNT_NOT_FOUND');
    },
  );

  test.each<Kind>(['magic', 'real'])('a wallet without a credential: 202, and 401 on any retry, %s', async (kind) => {
    const sandbox = await openSandbox({ proofs: kind });
    const path = pathOf(await accountOf(sandbox, 'EMBEDDED_WALLET'));
    await expectNobodySigns((headers) => sandbox.send('POST', path, { body, headers }));
  });

  test.each<[name: string, body: unknown, places: string[]]>([
    ['nothing', undefined, ['body ']],
    ['no key', {}, ['body /clientPublicKey']],
    ['a compressed key', { clientPublicKey: `02${'11'.repeat(32)}` }, ['body /clientPublicKey']],
    ['a point that is not on the curve', { clientPublicKey: `04${'00'.repeat(64)}` }, ['body /clientPublicKey']],
    ["a key that isn't text", { clientPublicKey: 4 }, ['body /clientPublicKey']],
    ['an unknown field', { ...body, format: 'hex' }, ['body /format']],
    ['null', null, ['body ']],
  ])('a body of %s: 400', async (_name, sent, places) => {
    const prover = await openProver('magic');
    const { accountId } = await openSignedIn(prover, 'EMAIL_OTP');
    const refused = expectRefusal(
      await prover.sandbox.send('POST', pathOf(accountId), { body: sent }),
      400,
      'INVALID_INPUT',
    );
    expect(faultPlaces(refused)).toEqual(places);
  });
});
