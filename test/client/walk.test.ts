/**
 * Promise: with `real` proofs a wallet gets from the registration of a credential to a signed action, with each kind of
 * credential. It works with the client helpers, and with the unmodified public packages for the same profile (D17).
 */
import { createHash } from 'node:crypto';
import { validateMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { ApiKeyStamper, type Runtime } from '@turnkey/api-key-stamper';
import { decryptCredentialBundle, generateP256KeyPair, getPublicKey } from '@turnkey/crypto';
import { describe, expect, it } from 'vitest';
import {
  assertionOptions,
  createWalletKeys,
  openSessionKey,
  openWalletExport,
  passkeyToAssertion,
  passkeyToCredential,
  type RetryHeaders,
  type Signer,
  sandboxSigner,
  sessionSigner,
  signedRetry,
} from '../../client/index.ts';
import type { AuthMethod, AuthMethodType, AuthSession, CredentialCreateRequest } from '../../generated/types.ts';
import { asCreated, asGot } from '../support/browser/browserCredentials.ts';
import { createPasskey } from '../support/proofs/authenticator.ts';
import { mintToken, newestCode } from '../support/proofs/prover.ts';
import { data, openSandbox, refusal, type TestSandbox } from '../support/sandbox/harness.ts';
import { openWallet } from '../support/scenes/builders.ts';

/** How a client uses its key pair: it sends the public half and opens with the private half. */
interface Client {
  readonly publicKeyHex: string;
  /** Opens a session's key and signs with it. */
  signer(session: AuthSession): Promise<Signer>;
  /** Opens an exported wallet. */
  phrase(bundle: string): Promise<string>;
}

async function clientHelpers(): Promise<Client> {
  const keys = await createWalletKeys();
  return {
    publicKeyHex: keys.publicKeyHex,
    signer: async (session) => sessionSigner(await openSessionKey(session.encryptedSessionSigningKey, keys)),
    phrase: (bundle) => openWalletExport(bundle, keys),
  };
}

/** @param runtimeOverride which of the package's implementations signs. */
const publicPackages = (runtimeOverride: Runtime) => async (): Promise<Client> => {
  const { privateKey, publicKeyUncompressed } = generateP256KeyPair();
  return {
    publicKeyHex: publicKeyUncompressed,
    async signer({ encryptedSessionSigningKey }) {
      const apiPrivateKey = decryptCredentialBundle(encryptedSessionSigningKey, privateKey);
      const apiPublicKey = Buffer.from(getPublicKey(apiPrivateKey)).toString('hex');
      const stamper = new ApiKeyStamper({ apiPublicKey, apiPrivateKey, runtimeOverride });
      return async (payload) => (await stamper.stamp(payload)).stampHeaderValue;
    },
    phrase: async (bundle) => Buffer.from(decryptCredentialBundle(bundle, privateKey), 'hex').toString(),
  };
};

/** A customer's device with one credential, which it registers and proves like an app. */
interface Device {
  registration(accountId: string): Promise<CredentialCreateRequest>;
  signIn(credential: AuthMethod, publicKeyHex: string): Promise<AuthSession>;
}

const devices: { readonly [Type in AuthMethodType]: (sandbox: TestSandbox) => Device } = {
  EMAIL_OTP: (sandbox) => ({
    registration: async (accountId) => ({ type: 'EMAIL_OTP', accountId }),
    async signIn({ id, accountId }, clientPublicKey) {
      const body = { type: 'EMAIL_OTP' as const, otp: await newestCode(sandbox, accountId), clientPublicKey };
      return data(await sandbox.client.POST('/auth/credentials/{id}/verify', { params: { path: { id } }, body }));
    },
  }),

  PASSKEY: (sandbox) => {
    const passkey = createPasskey({ userHandle: 'YWRh' });
    return {
      async registration(accountId) {
        const challenge = 'cmVnaXN0cmF0aW9u';
        const created = asCreated(passkey.attest(challenge));
        return passkeyToCredential(created, { accountId, nickname: 'Laptop', challenge });
      },
      async signIn({ id }, clientPublicKey) {
        const path = { id };
        const challenge = data(
          await sandbox.client.POST('/auth/credentials/{id}/challenge', {
            params: { path },
            body: { clientPublicKey },
          }),
        );
        if (!('challenge' in challenge)) throw new Error('No passkey challenge');
        const options = assertionOptions(challenge);
        expect(options.allowCredentials).toHaveLength(1);
        // The browser encodes the given bytes. The test's authenticator takes the encoded text.
        const asked = Buffer.from(options.challenge as Uint8Array).toString('base64url');
        const body = { type: 'PASSKEY' as const, assertion: passkeyToAssertion(asGot(passkey.assert(asked))) };
        const params = { path, header: { 'Request-Id': challenge.requestId } };
        return data(await sandbox.client.POST('/auth/credentials/{id}/verify', { params, body }));
      },
    };
  },

  OAUTH: (sandbox) => ({
    registration: async (accountId) => ({
      type: 'OAUTH',
      accountId,
      oidcToken: await mintToken(sandbox, { sub: 'ada', email: 'ada@example.com' }),
    }),
    async signIn({ id }, clientPublicKey) {
      const nonce = createHash('sha256').update(clientPublicKey).digest('hex');
      const oidcToken = await mintToken(sandbox, { sub: 'ada', email: 'ada@example.com', nonce });
      const body = { type: 'OAUTH' as const, oidcToken, clientPublicKey };
      return data(await sandbox.client.POST('/auth/credentials/{id}/verify', { params: { path: { id } }, body }));
    },
  }),
};

const clients = { clientHelpers, publicPackages: publicPackages('node') };
const types = Object.keys(devices) as AuthMethodType[];

async function signIn(sandbox: TestSandbox, type: AuthMethodType, client: Client, email?: string) {
  const { accountId } = await openWallet(sandbox, email);
  const device = devices[type](sandbox);
  const body = await device.registration(accountId);
  const credential = data(await sandbox.client.POST('/auth/credentials', { body })) as AuthMethod;
  const session = await device.signIn(credential, client.publicKeyHex);
  return { accountId, session, signer: await client.signer(session) };
}

function setPrivacy(sandbox: TestSandbox, accountId: string) {
  const [path, body] = [{ id: accountId }, { privateEnabled: true }];
  return (header: RetryHeaders) => sandbox.client.PATCH('/internal-accounts/{id}', { params: { path, header }, body });
}

function exportTo(sandbox: TestSandbox, accountId: string, clientPublicKey: string) {
  const [path, body] = [{ id: accountId }, { clientPublicKey }];
  return (header: RetryHeaders) =>
    sandbox.client.POST('/internal-accounts/{id}/export', { params: { path, header }, body });
}

describe.each(Object.entries(clients))('%s, in real proofs', (_name, makeClient) => {
  it.each(types)('%s: registration, sign-in, a signed action', async (type) => {
    const sandbox = await openSandbox({ proofs: 'real' });
    const { accountId, session, signer } = await signIn(sandbox, type, await makeClient());
    expect(session.type).toBe(type);
    expect(data(await signedRetry(setPrivacy(sandbox, accountId), signer))).toMatchObject({ privateEnabled: true });
  });

  it('a refreshed session signs with a key of its own', async () => {
    const sandbox = await openSandbox({ proofs: 'real' });
    const { accountId, session, signer } = await signIn(sandbox, 'EMAIL_OTP', await makeClient());
    const next = await makeClient();
    const [path, body] = [{ id: session.id }, { clientPublicKey: next.publicKeyHex }];
    const refreshed = await signedRetry(
      (header) => sandbox.client.POST('/auth/sessions/{id}/refresh', { params: { path, header }, body }),
      signer,
    );
    const successor = await next.signer(data(refreshed));
    expect(data(await signedRetry(setPrivacy(sandbox, accountId), successor))).toMatchObject({ privateEnabled: true });
  });

  it('an export is the recovery phrase: BIP-39, the same each time, each wallet with its own', async () => {
    const sandbox = await openSandbox({ proofs: 'real' });
    const phrases: string[] = [];
    for (const email of ['ada@example.com', 'grace@example.com']) {
      const { accountId, signer } = await signIn(sandbox, 'EMAIL_OTP', await makeClient(), email);
      for (let time = 0; time < 2; time += 1) {
        const recipient = await makeClient();
        const { encryptedWalletCredentials } = data(
          await signedRetry(exportTo(sandbox, accountId, recipient.publicKeyHex), signer),
        );
        phrases.push(await recipient.phrase(encryptedWalletCredentials));
      }
    }
    for (const phrase of phrases) expect(validateMnemonic(phrase, wordlist)).toBe(true);
    const [first, again, other, otherAgain] = phrases;
    expect([again, otherAgain]).toEqual([first, other]);
    expect(other).not.toBe(first);
  });
});

describe('what must not pass', () => {
  it('the signature of the sandbox, another wallet, and a payload that was written again', async () => {
    const sandbox = await openSandbox({ proofs: 'real' });
    const ada = await signIn(sandbox, 'EMAIL_OTP', await clientHelpers());
    const grace = await signIn(sandbox, 'EMAIL_OTP', await clientHelpers(), 'grace@example.com');
    const rewritten: Signer = (payload) => ada.signer(JSON.stringify(JSON.parse(payload), null, 1));
    for (const signer of [sandboxSigner, grace.signer, rewritten]) {
      const refused = refusal(await signedRetry(setPrivacy(sandbox, ada.accountId), signer));
      expect(refused.reason).toBe('Invalid Service-Wallet-Signature');
    }
    expect(data(await signedRetry(setPrivacy(sandbox, ada.accountId), ada.signer))).toMatchObject({
      privateEnabled: true,
    });
  });
});

describe('the public packages', () => {
  it.each<Runtime>(['node', 'browser', 'purejs'])('sign in their %s implementation', async (runtime) => {
    const sandbox = await openSandbox({ proofs: 'real' });
    const { accountId, signer } = await signIn(sandbox, 'EMAIL_OTP', await publicPackages(runtime)());
    expect(data(await signedRetry(setPrivacy(sandbox, accountId), signer))).toMatchObject({ privateEnabled: true });
  });
});

describe('magic proofs', () => {
  it.each(Object.entries(clients))('%s: the sealed key opens; it is the stub, and says so', async (_name, make) => {
    const sandbox = await openSandbox();
    const { accountId } = await openWallet(sandbox);
    const body = { type: 'EMAIL_OTP' as const, accountId };
    const { id } = data(await sandbox.client.POST('/auth/credentials', { body })) as AuthMethod;
    const client = await make();
    const verify = { type: 'EMAIL_OTP' as const, otp: '000000', clientPublicKey: client.publicKeyHex };
    const session = data(
      await sandbox.client.POST('/auth/credentials/{id}/verify', { params: { path: { id } }, body: verify }),
    );
    const signer = await client.signer(session);
    // With magic proofs its stamps prove nothing, because the magic value is the only signature.
    const refused = refusal(await signedRetry(setPrivacy(sandbox, accountId), signer));
    expect(refused.reason).toBe('Invalid Service-Wallet-Signature');
    const { publicKey } = JSON.parse(Buffer.from(await signer('text'), 'base64url').toString());
    expect(publicKey).toBe(Buffer.from(getPublicKey(Buffer.from('countersign-sandbox-stub-key-v01'))).toString('hex'));
    expect(data(await signedRetry(setPrivacy(sandbox, accountId), sandboxSigner))).toMatchObject({
      privateEnabled: true,
    });
  });
});
