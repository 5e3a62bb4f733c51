/** The requests that every server gets, and the records that they need. */
import { createServiceClient, type ServiceClient } from '../../generated/client.ts';
import { type OperationId, version } from '../../generated/operations.ts';
import { randomFrom } from '../support/requests/random.ts';
import { benchAccount } from './accounts.ts';

/** One request of an exchange, as it is sent. */
export interface Step {
  readonly method: 'GET' | 'POST' | 'PATCH';
  /** Path and query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The expected status. Any other is a failure. */
  readonly expected: number;
  /** Whether its `Request-Id` is the `requestId` of the previous answer. */
  readonly isRetry?: true;
}

/** What a connection repeats: a single request, or several that belong together. */
export interface Exchange {
  readonly name: ExchangeName;
  readonly operationId: OperationId;
  /**
   * One variant for each connection, with other records. If there are fewer variants than connections, they are reused.
   */
  readonly variants: readonly (readonly Step[])[];
  /**
   * If set, every connection draws its next request at random. This is the probability of the last variant, from 0 to
   * 1; the others are equally likely. Each variant is one request. If all connections used the same order, every cache
   * would look better than it is.
   */
  readonly lastShare?: number;
}

/**
 * A record by its id, one of a thousand records, reads mixed with writes, a page of the smaller and of the larger
 * store, a durable write on one platform and on twenty, and the two requests of a signed change.
 */
export const exchangeNames = ['record', 'records', 'mixed', 'few', 'many', 'quote', 'platforms', 'signed'] as const;
export type ExchangeName = (typeof exchangeNames)[number];

/** How many customers are read in turn. */
export const readCustomers = 1_000;
/** The share of writes in the mixed requests. */
const writes = 0.2;
/** How many platforms write at the same time. */
const platforms = 20;
/** How many requests a connection draws before it repeats them. */
const drawn = 500;

/** The steps that a connection repeats. @param connection counted from 0. */
export function stepsOf({ variants, lastShare }: Exchange, connection: number): readonly Step[] {
  if (lastShare === undefined) return variants[connection % variants.length] as readonly Step[];
  const random = randomFrom(connection + 1);
  const [others, last] = [variants.slice(0, -1), variants.slice(-1)];
  return Array.from({ length: drawn }, () => random.pick(random.chance(lastShare) ? last : others)[0] as Step);
}

/** One request of each kind in the exchange. */
export function samplesOf({ variants, lastShare }: Exchange): readonly (readonly Step[])[] {
  return lastShare === undefined ? variants.slice(0, 1) : [...variants.slice(0, 1), ...variants.slice(-1)];
}

/** How many external accounts the smaller store has. */
export const fewAccounts = 1_000;
/** One wallet per connection, so that each signs for its own. */
const wallets = 32;
/** Much less than a session's fifteen minutes. */
const sessionAgeMs = 5 * 60_000;

export const credentials = { clientId: 'sandbox', clientSecret: 'sandbox' };
const headers = {
  authorization: `Basic ${Buffer.from(`${credentials.clientId}:${credentials.clientSecret}`).toString('base64')}`,
  accept: 'application/json',
};
const json = { ...headers, 'content-type': 'application/json' };
// A public key without a known private key (SEC 2, 2.4.2). The sessions' keys are sealed to it and never opened.
const publicKey =
  '046b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c2964fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5';

export interface BenchWorld {
  readonly exchanges: readonly Exchange[];
  /** Opens a session for every wallet, unless that was done recently. Sessions last only minutes. */
  signIn(): Promise<void>;
}

/**
 * Fills a sandbox through the interface, and returns the requests for it.
 * @param base its address with the version. @param fetch how to reach it without the network.
 * @throws Error if the sandbox refuses a request.
 */
export async function prepareWorld(base: string, fetch?: typeof globalThis.fetch): Promise<BenchWorld> {
  const client = createServiceClient({ baseUrl: base, credentials, ...(fetch === undefined ? {} : { fetch }) });
  const owners: string[] = [];
  for (let number = 0; number < wallets; number += 1) {
    const body = { customerType: 'INDIVIDUAL' as const, email: `bench-${number}@example.com` };
    owners.push(must(await client.POST('/customers', { body })).id);
  }
  const [customerId = ''] = owners;
  // The ready-made world already has one external account.
  let number = 1;
  const lanes = Array.from({ length: 16 }, async () => {
    while (number < fewAccounts) {
      const account = benchAccount(number);
      number += 1;
      must(await client.POST('/customers/external-accounts', { body: { ...account, customerId } }));
    }
  });
  await Promise.all(lanes);
  const plan = await planQuote(client, customerId);
  const quoteSteps = single('quote', 'createQuote', plan).variants;
  const known = (await makeCustomers(client)).flatMap((id) => readOf(id).variants);
  const signers: Signer[] = [];
  let signedInAt = Number.NEGATIVE_INFINITY;
  for (const owner of owners) signers.push(await makeSigner(client, owner));
  return {
    exchanges: [
      readOf(customerId),
      { name: 'records', operationId: 'getCustomer', variants: known, lastShare: 1 / readCustomers },
      { name: 'mixed', operationId: 'getCustomer', variants: [...known, ...quoteSteps], lastShare: writes },
      listExchange('few'),
      { name: 'quote', operationId: 'createQuote', variants: quoteSteps },
      { name: 'platforms', operationId: 'createQuote', variants: await onPlatforms(base, fetch) },
      signedRetry(signers.map(({ walletId }) => walletId)),
    ],
    async signIn() {
      if (performance.now() - signedInAt < sessionAgeMs) return;
      signedInAt = performance.now();
      for (const { credentialId } of signers) {
        const params = { path: { id: credentialId } };
        must(await client.POST('/auth/credentials/{id}/challenge', { params }));
        const body = { type: 'EMAIL_OTP' as const, otp: '000000', clientPublicKey: publicKey };
        must(await client.POST('/auth/credentials/{id}/verify', { params, body }));
      }
    },
  };
}

/** A page of the newest external accounts of all owners. */
export function listExchange(name: ExchangeName): Exchange {
  const path = '/customers/external-accounts?limit=20';
  return single(name, 'listExternalAccounts', { method: 'GET', path, expected: 200 });
}

function readOf(id: string): Exchange {
  return single('record', 'getCustomer', { method: 'GET', path: `/customers/${id}`, expected: 200 });
}

async function makeCustomers(client: ServiceClient): Promise<string[]> {
  const ids: string[] = [];
  const lanes = Array.from({ length: 16 }, async () => {
    while (ids.length < readCustomers) {
      const body = { customerType: 'INDIVIDUAL' as const };
      ids.push(must(await client.POST('/customers', { body })).id);
    }
  });
  await Promise.all(lanes);
  return ids.slice(0, readCustomers);
}

/** The same quote on several platforms, one for each connection in turn. */
async function onPlatforms(base: string, fetch: typeof globalThis.fetch = globalThis.fetch): Promise<Step[][]> {
  const variants: Step[][] = [];
  for (let number = 0; number < platforms; number += 1) {
    const made = await fetch(new Request(`${new URL(base).origin}/__sandbox/platforms`, { method: 'POST' }));
    const { clientId, clientSecret } = (await made.json()) as { clientId: string; clientSecret: string };
    const client = createServiceClient({ baseUrl: base, credentials: { clientId, clientSecret }, fetch });
    const { id } = must(await client.POST('/customers', { body: { customerType: 'INDIVIDUAL' } }));
    must(await client.POST('/customers/external-accounts', { body: { ...benchAccount(1), customerId: id } }));
    const authorization = `Basic ${btoa(`${clientId}:${clientSecret}`)}`;
    const plan = await planQuote(client, id);
    variants.push([{ ...plan, path: `/${version}${plan.path}`, headers: { ...json, authorization } }]);
  }
  return variants;
}

interface Signer {
  readonly walletId: string;
  readonly credentialId: string;
}

async function makeSigner(client: ServiceClient, customerId: string): Promise<Signer> {
  const query = { customerId, type: 'EMBEDDED_WALLET' as const };
  const walletId = firstId(must(await client.GET('/customers/internal-accounts', { params: { query } })));
  const body = { type: 'EMAIL_OTP' as const, accountId: walletId };
  const credential = must(await client.POST('/auth/credentials', { body }));
  if (!('id' in credential)) throw new Error('The first credential of a wallet is not there at once.');
  return { walletId, credentialId: credential.id };
}

async function planQuote(client: ServiceClient, customerId: string): Promise<Omit<Step, 'headers'>> {
  const query = { customerId, currency: 'USD' };
  const accountId = firstId(must(await client.GET('/customers/internal-accounts', { params: { query } })));
  const path = { accountId };
  must(await client.POST('/sandbox/internal-accounts/{accountId}/fund', { params: { path }, body: { amount: 1e9 } }));
  const target = firstId(must(await client.GET('/customers/external-accounts', { params: { query } })));
  const body = {
    source: { sourceType: 'ACCOUNT', accountId },
    destination: { destinationType: 'ACCOUNT', accountId: target },
    lockedCurrencySide: 'SENDING',
    lockedCurrencyAmount: 10_000,
  };
  return { method: 'POST', path: '/quotes', body: JSON.stringify(body), expected: 201 };
}

/** First 202 with the payload to sign, then the same request with the signature: 200. */
function signedRetry(walletIds: readonly string[]): Exchange {
  const variants = walletIds.map((id) => {
    const path = `/${version}/internal-accounts/${id}`;
    const first = { method: 'PATCH', path, headers: json, body: '{"privateEnabled":true}', expected: 202 } as const;
    const signature = { 'service-wallet-signature': 'sandbox-valid-signature' };
    return [first, { ...first, headers: { ...json, ...signature }, expected: 200, isRetry: true } as const];
  });
  return { name: 'signed', operationId: 'updateInternalAccount', variants };
}

function single(name: ExchangeName, operationId: OperationId, step: Omit<Step, 'headers'>): Exchange {
  const path = `/${version}${step.path}`;
  return { name, operationId, variants: [[{ ...step, path, headers: step.body === undefined ? headers : json }]] };
}

function must<T>({ data, error, response }: { data?: T; error?: unknown; response: Response }): T {
  if (data !== undefined) return data;
  throw new Error(`${response.status} while the sandbox was filled for the benchmark: ${JSON.stringify(error)}`);
}

function firstId({ data }: { data: readonly { id: string }[] }): string {
  const [first] = data;
  if (first === undefined) throw new Error('The sandbox lacks an account that the benchmark needs.');
  return first.id;
}
