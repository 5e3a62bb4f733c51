/** Programs as a user writes them, which the matrix compiles and runs. */

/** Strict, with optional values that may be undefined, for `exactOptionalPropertyTypes` (case 137). */
export const typedProgram = `
import { type AgentAction, type AuthSession, createServiceClient, type Customer, type Quote, type QuoteCreateRequest } from 'countersign';
import { assertionOptions, createWalletKeys, openSessionKey, sandboxSigner, signedRetry } from 'countersign/client';
import { type Control, createControl, createControlClient, type WantedCode } from 'countersign/control';
import { usePlatform } from 'countersign/jest';
import { createSandbox, type Sandbox } from 'countersign/sandbox';
import { type SignedIn, signIn } from 'countersign/testing';

export const app = () => usePlatform({ proofs: 'real', world: undefined, sandboxUrl: undefined }).signIn({ balance: undefined });
export async function steered(wanted: WantedCode | undefined, sandbox: Sandbox): Promise<[string, SignedIn, number | undefined]> {
  const control: Control = createControl({ url: sandbox.url, credentials: undefined, controlToken: undefined, fetch: undefined });
  const platform = await control.platform({ proofs: undefined, world: 'examples' });
  for await (const event of platform.control.events.listen({ signal: undefined })) if (event.type === 'CODE') break;
  const { data } = await platform.client({ credentials: null }).GET('/customers');
  return [await platform.control.outbox.code(wanted), await signIn(platform, { credential: 'OAUTH' }), data?.totalCount];
}
export const steer = (advanceSeconds: number) =>
  createControlClient({ baseUrl: 'http://localhost:4010/__sandbox', fetch: undefined }).POST('/clock', { body: { advanceSeconds } });

export async function narrow(customer: Customer | undefined): Promise<string | undefined> {
  // @ts-expect-error: a person has no such field
  if (customer?.customerType === 'INDIVIDUAL') customer.businessInfo;
  return customer?.customerType === 'BUSINESS' ? customer.businessInfo?.legalName : customer?.fullName;
}
export const shown = (quote: Quote, action: AgentAction, session: AuthSession): string[] =>
  [quote.status, action.type, session.encryptedSessionSigningKey];

// @ts-expect-error: what is only received has no undefined field
export const received: Pick<Quote, 'paymentInstructions'> = { paymentInstructions: undefined };

export async function use(limit: number | undefined, description: string | undefined, wallet: string): Promise<unknown[]> {
  const sandbox: Sandbox = await createSandbox({ seed: undefined, world: undefined, onFault: undefined });
  const client = createServiceClient({ baseUrl: sandbox.url, credentials: undefined, fetch: sandbox.fetch });
  createServiceClient({ baseUrl: sandbox.url, fetch: undefined });
  const { data, error } = await client.GET('/customers', { params: { query: { limit } } });
  if (error) throw new Error(error.message);
  // @ts-expect-error: there is no such customer
  await client.POST('/customers', { body: { customerType: 'ROBOT' } });
  const body: QuoteCreateRequest = {
    source: { sourceType: 'ACCOUNT', accountId: wallet },
    destination: { destinationType: 'ACCOUNT', accountId: wallet },
    lockedCurrencySide: 'SENDING',
    lockedCurrencyAmount: 1,
    description,
  };
  const made = await client.POST('/quotes', { body, params: { header: { 'Idempotency-Key': description } } });
  const keys = await createWalletKeys();
  const { signingKey } = await openSessionKey('', keys);
  const options = assertionOptions({ challenge: 'AAAA', credentialId: 'AAAA' });
  const updated = await signedRetry(
    (header) => client.PATCH('/internal-accounts/{id}', { params: { path: { id: wallet }, header }, body: { privateEnabled: true } }),
    sandboxSigner,
  );
  return [data.totalCount, await narrow(data.data[0]), made.data?.id, signingKey, options, updated.data?.privateEnabled];
}
`;

/** The arguments and results of a browser's calls, with the DOM library. */
export const browserProgram = `
import { assertionOptions, createWalletKeys, passkeyToAssertion } from 'countersign/client';
import type { PasskeyAuthChallenge } from 'countersign';

export async function signIn(challenge: PasskeyAuthChallenge): Promise<unknown> {
  const credential = await navigator.credentials.get({ publicKey: assertionOptions(challenge) });
  const { keyPair } = await createWalletKeys();
  const pair: CryptoKeyPair = keyPair;
  return [passkeyToAssertion(credential), pair];
}
`;

/** The module of types and the client, which need no sandbox. */
export const clientProgram = `
import { createServiceClient } from 'countersign';
import { createWalletKeys, fromBase64Url } from 'countersign/client';
import { createSandbox } from 'countersign/sandbox';
const client = createServiceClient({ baseUrl: 'http://localhost:1', fetch: async () => Response.json({ data: [], hasMore: false, totalCount: 0 }) });
const { data } = await client.GET('/customers');
const { publicKeyHex } = await createWalletKeys();
const refusal = await createSandbox().catch(({ message }) => message);
console.log(JSON.stringify([data.totalCount, publicKeyHex.length, fromBase64Url('AAAA').length, refusal]));
`;

/** A sandbox in process and on a port. */
export const sandboxProgram = `
import { createServiceClient } from 'countersign';
import { createSandbox } from 'countersign/sandbox';
const sandbox = await createSandbox({ seed: 1 });
const client = createServiceClient({
  baseUrl: sandbox.url,
  credentials: { clientId: 'sandbox', clientSecret: 'sandbox' },
  fetch: sandbox.fetch,
});
const { data } = await client.GET('/customers', { params: { query: { limit: 1 } } });
const made = await client.POST('/customers', { body: { customerType: 'INDIVIDUAL', fullName: 'Ada Byron' } });
const url = await sandbox.listen();
const { status } = await fetch(url + '/customers');
await sandbox.close();
console.log(JSON.stringify([data.totalCount, made.response.status, status]));
`;

/** Jest's fixtures, and both ways to load a module in Jest. The package has only ES modules. */
export const jestTests = {
  'fixtures.test.mjs': `
import { usePlatform } from 'countersign/jest';
const app = usePlatform({ proofs: 'real' });
const seen = new Set();
test.each([1, 2])('a platform of its own (%i)', async () => {
  seen.add(app.platform.platformId);
  const { customer } = await app.signIn();
  expect(await app.codes({ to: customer.email })).toMatch(/^[0-9]{6}$/);
  expect((await app.client.GET('/customers')).data.totalCount).toBe(1);
});
afterAll(() => expect(seen.size).toBe(2));`,
  'required.test.cjs': `
test('require', async () => {
  const { createSandbox } = require('countersign/sandbox');
  const sandbox = await createSandbox();
  expect((await sandbox.fetch('/customers')).status).toBe(401);
  await sandbox.close();
});`,
  'imported.test.mjs': `
import { createServiceClient } from 'countersign';
import { createSandbox } from 'countersign/sandbox';
test('import', async () => {
  const sandbox = await createSandbox();
  const client = createServiceClient({ baseUrl: sandbox.url, fetch: sandbox.fetch });
  expect((await client.GET('/customers')).response.status).toBe(401);
  await sandbox.close();
});`,
} as const;
