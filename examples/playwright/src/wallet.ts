/** The page's use of its user's wallet. The keys stay here, the API token on the server. */
import { createServiceClient } from 'countersign';
import {
  assertionOptions,
  createWalletKeys,
  openSessionKey,
  passkeyToAssertion,
  passkeyToCredential,
  type Signer,
  sessionSigner,
  signedRetry,
} from 'countersign/client';

const service = createServiceClient({ baseUrl: new URL('/api', location.href).href });

/** The app server's reply about its user. */
interface User {
  readonly accountId: string;
  /** For the next registration, base64url. */
  readonly options: PublicKeyCredentialCreationOptionsJSON;
}

async function findUser(): Promise<User> {
  const response = await fetch('/user', { method: 'POST' });
  return response.json();
}

/** Registers the wallet's first passkey. */
export async function register(): Promise<void> {
  const { accountId, options } = await findUser();
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
  const created = await navigator.credentials.create({ publicKey });
  const body = passkeyToCredential(created, { accountId, nickname: 'Laptop', challenge: options.challenge });
  must(await service.POST('/auth/credentials', { body }));
}

/** Signs in with the wallet's passkey. Returns a signer that is valid for the next 15 minutes. */
export async function signIn(): Promise<Signer> {
  const { accountId } = await findUser();
  const credentials = must(await service.GET('/auth/credentials', { params: { query: { accountId } } }));
  const path = { id: credentials.data[0]?.id ?? 'none' };
  const keys = await createWalletKeys();
  const body = { clientPublicKey: keys.publicKeyHex };
  const asked = must(await service.POST('/auth/credentials/{id}/challenge', { params: { path }, body }));
  if (!('challenge' in asked)) throw new Error("This credential isn't a passkey.");
  const got = await navigator.credentials.get({ publicKey: assertionOptions(asked) });
  const session = must(
    await service.POST('/auth/credentials/{id}/verify', {
      params: { path, header: { 'Request-Id': asked.requestId } },
      body: { type: 'PASSKEY', assertion: passkeyToAssertion(got) },
    }),
  );
  return sessionSigner(await openSessionKey(session.encryptedSessionSigningKey, keys));
}

/** Makes the wallet private. The wallet's owner signs this. */
export async function hide(signer: Signer): Promise<boolean> {
  const { accountId } = await findUser();
  const account = must(
    await signedRetry(
      (header) =>
        service.PATCH('/internal-accounts/{id}', {
          params: { path: { id: accountId }, header },
          body: { privateEnabled: true },
        }),
      signer,
    ),
  );
  return account.privateEnabled === true;
}

function must<T>({ data, error }: { readonly data?: T; readonly error?: { readonly message: string } }): T {
  if (error) throw new Error(error.message);
  return data as T;
}
