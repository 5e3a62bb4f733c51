/** Signs a customer in to a wallet, which most tests need first. It makes the same calls as an app. */
import {
  createWalletKeys,
  openSessionKey,
  type SessionKey,
  type Signer,
  sandboxSigner,
  sessionSigner,
  type WalletKeys,
} from '../client/index.ts';
import { magic, unsignedToken } from '../conformance/replay/magic.ts';
import { createPasskey } from '../conformance/replay/passkey.ts';
import { encodeBase64Url } from '../contract/encodings.ts';
import type { ServiceClient } from '../generated/client.ts';
import type {
  AuthMethod,
  AuthMethodType,
  AuthSession,
  CredentialCreateRequest,
  CredentialVerifyRequest,
  Customer,
  IndividualCustomerCreateRequest,
  InternalAccount,
} from '../generated/types.ts';
import type { Control } from './steeringTypes.ts';

/** Who signs in, and how. Without options, a new person signs in with an e-mail code. */
export interface SignInOptions {
  /** An existing customer. If absent, a new one is created. */
  readonly customerId?: string | undefined;
  /** Fields of the new customer: `{ email: 'ada@example.com' }`. */
  readonly customer?: Partial<Omit<IndividualCustomerCreateRequest, 'customerType'>> | undefined;
  /** The type of credential; `EMAIL_OTP` if absent. It is registered if the wallet doesn't have it. */
  readonly credential?: AuthMethodType | undefined;
  /** Adds this amount to the wallet, in the smallest unit of its currency: 5_000_000 is 5 USDB. */
  readonly balance?: number | undefined;
}

/** A wallet that is ready to use. */
export interface SignedIn {
  readonly customer: Customer;
  /** The wallet: the customer's internal account that a session may sign for. */
  readonly wallet: InternalAccount;
  /** All internal accounts of the customer, including the wallet. */
  readonly accounts: readonly InternalAccount[];
  readonly credential: AuthMethod;
  readonly session: AuthSession;
  /** The device's key pair. The session's key is sealed to it. */
  readonly keys: WalletKeys;
  /** The session's key, opened. With magic proofs it is the public stub. */
  readonly key: SessionKey;
  /** The signer for `signedRetry` of `countersign/client`. It works with both kinds of proofs. */
  readonly signer: Signer;
}

/** A sandbox, a platform, or its control client. */
export type SignInPlace = Control | { readonly control: Control };

/**
 * Signs a customer in, with magic or real proofs, as the platform checks them.
 * @throws Error that names the refused call and the reason; ControlError if the platform can't be steered.
 */
export async function signIn(place: SignInPlace, options: SignInOptions = {}): Promise<SignedIn> {
  const control = 'control' in place ? place.control : place;
  const client = control.client();
  const { proofs } = await control.settings.get();
  const type = options.credential ?? 'EMAIL_OTP';
  const customer = await findCustomer(client, options);
  const { wallet, accounts } = await findAccounts(client, customer.id, options.balance);
  const device: Device = { control, client, isReal: proofs === 'real', wallet, keys: await createWalletKeys() };
  const query = { accountId: wallet.id };
  const { data: credentials } = must(
    'GET /auth/credentials',
    await client.GET('/auth/credentials', { params: { query } }),
  );
  const { credential, session } = await devices[type](device, { credentials, customer });
  const key = await openSessionKey(session.encryptedSessionSigningKey, device.keys);
  const signer = device.isReal ? sessionSigner(key) : sandboxSigner;
  return { customer, wallet, accounts, credential, session, keys: device.keys, key, signer };
}

interface Device {
  readonly control: Control;
  readonly client: ServiceClient;
  readonly isReal: boolean;
  readonly wallet: InternalAccount;
  readonly keys: WalletKeys;
}

interface Known {
  readonly credentials: readonly AuthMethod[];
  readonly customer: Customer;
}

type SignInBy = (device: Device, known: Known) => Promise<{ credential: AuthMethod; session: AuthSession }>;

const devices: Readonly<Record<AuthMethodType, SignInBy>> = {
  async EMAIL_OTP(device, { credentials }) {
    const type = 'EMAIL_OTP';
    const there = credentials.find((credential) => credential.type === type);
    const credential = there ?? (await register(device, credentials, { type, accountId: device.wallet.id }));
    if (there !== undefined) await challenge(device, there);
    const otp = await device.control.outbox.code({ accountId: device.wallet.id });
    return { credential, session: await verify(device, credential, { type, otp, ...clientKey(device) }) };
  },

  async OAUTH(device, { credentials, customer }) {
    const type = 'OAUTH';
    const there = credentials.find((credential) => credential.type === type);
    const name = there?.nickname ?? customer.email ?? `${customer.id}@example.com`;
    const token = async (): Promise<string> => {
      if (!device.isReal) return unsignedToken(name);
      return (await device.control.oidc.createToken({ sub: name, email: name })).idToken;
    };
    const accountId = device.wallet.id;
    const credential = there ?? (await register(device, credentials, { type, accountId, oidcToken: await token() }));
    const oidcToken = device.isReal ? await token() : magic.oidcToken;
    return { credential, session: await verify(device, credential, { type, oidcToken, ...clientKey(device) }) };
  },

  async PASSKEY(device, { credentials }) {
    const type = 'PASSKEY';
    const there = credentials.find((credential) => credential.type === type);
    if (there !== undefined && device.isReal) {
      throw new Error(
        `signIn(): the key of ${there.nickname} is in its authenticator. Sign in with another credential.`,
      );
    }
    const passkey = createPasskey(there?.credentialId ?? encodeBase64Url(new TextEncoder().encode(device.wallet.id)));
    const registration = {
      type,
      accountId: device.wallet.id,
      nickname: 'Test device',
      challenge: 'cmVnaXN0cmF0aW9u',
      attestation: passkey.attest('cmVnaXN0cmF0aW9u'),
    } as const;
    const credential = there ?? (await register(device, credentials, registration));
    const asked = (await challenge(device, credential)) as { challenge: string; requestId: string };
    const assertion = passkey.assert(asked.challenge);
    const signed = device.isReal ? assertion : { ...assertion, signature: magic.passkeySignature };
    return { credential, session: await verify(device, credential, { type, assertion: signed }, asked.requestId) };
  },
};

const clientKey = ({ keys }: Device) => ({ clientPublicKey: keys.publicKeyHex });

async function findCustomer(client: ServiceClient, { customerId, customer }: SignInOptions): Promise<Customer> {
  if (customerId !== undefined) {
    const path = { customerId };
    return must('GET /customers/{customerId}', await client.GET('/customers/{customerId}', { params: { path } }));
  }
  const { totalCount } = must('GET /customers', await client.GET('/customers', { params: { query: { limit: 1 } } }));
  const unlike = { fullName: 'Ada Byron', email: `customer-${totalCount + 1}@example.com` };
  const body = { customerType: 'INDIVIDUAL', ...unlike, ...customer } as const;
  return must('POST /customers', await client.POST('/customers', { body }));
}

async function findAccounts(client: ServiceClient, customerId: string, balance: number | undefined) {
  const read = async () => {
    const query = { customerId, limit: 100 };
    const { data } = must(
      'GET /customers/internal-accounts',
      await client.GET('/customers/internal-accounts', { params: { query } }),
    );
    const wallet = data.find((account) => account.type === 'EMBEDDED_WALLET' && account.status === 'ACTIVE');
    if (wallet !== undefined) return { wallet, accounts: data };
    throw new Error(`signIn(): ${customerId} has no wallet. Give the customer the currency USDB.`);
  };
  const found = await read();
  if (balance === undefined) return found;
  const path = { accountId: found.wallet.id };
  const call = '/sandbox/internal-accounts/{accountId}/fund' as const;
  must(`POST ${call}`, await client.POST(call, { params: { path }, body: { amount: balance } }));
  return read();
}

/** Registers the first credential of a wallet. Another one would need a session of the first. */
async function register(
  { client }: Device,
  credentials: readonly AuthMethod[],
  body: CredentialCreateRequest,
): Promise<AuthMethod> {
  const [other] = credentials;
  if (other !== undefined) {
    throw new Error(
      `signIn(): the wallet has a credential of type ${other.type} and none of type ${body.type}. Sign in with ${other.type}.`,
    );
  }
  return must('POST /auth/credentials', await client.POST('/auth/credentials', { body })) as AuthMethod;
}

async function challenge(device: Device, { id }: AuthMethod) {
  const call = '/auth/credentials/{id}/challenge' as const;
  return must(`POST ${call}`, await device.client.POST(call, { params: { path: { id } }, body: clientKey(device) }));
}

async function verify(
  { client }: Device,
  { id }: AuthMethod,
  body: CredentialVerifyRequest,
  requestId?: string,
): Promise<AuthSession> {
  const call = '/auth/credentials/{id}/verify' as const;
  const params = { path: { id }, header: { 'Request-Id': requestId } };
  return must(`POST ${call}`, await client.POST(call, { params, body }));
}

/** Returns the data of a successful call. @throws Error that names the refused call and the reason */
function must<T>(call: string, { data, error }: { readonly data?: T; readonly error?: unknown }): NonNullable<T> {
  if (data !== undefined && data !== null) return data;
  const { message = 'it has no body', code = '', reason } = (error ?? {}) as Record<string, string | undefined>;
  throw new Error(`signIn(): ${call} was refused: ${code} ${reason ?? message}`);
}
