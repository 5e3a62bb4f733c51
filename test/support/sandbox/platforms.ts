/** Makes more platforms on a test's sandbox, each with its own world, proofs and clock. */
import type { Customer, CustomerCreateRequest, InternalAccount } from '../../../generated/types.ts';
import { basic, data, type SendOptions, type TestSandbox } from './harness.ts';

/** The body of `POST /__sandbox/platforms`. */
export interface PlatformRequest {
  readonly proofs?: 'magic' | 'real';
  readonly world?: 'ready-made' | 'examples' | { readonly customers: readonly WorldCustomer[] };
}

interface WorldCustomer {
  readonly customer: CustomerCreateRequest;
  readonly accounts?: readonly { readonly currency: string; readonly balance?: number }[];
}

/** A platform that is used like a sandbox: every request carries its first token unless another is given. */
export interface TestPlatform extends TestSandbox {
  readonly platformId: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

export async function openPlatform(sandbox: TestSandbox, request: PlatformRequest = {}): Promise<TestPlatform> {
  const { status, body } = await sandbox.control('POST', '/platforms', { body: request, authorization: null });
  if (status !== 201) throw new Error(`Expected 201, got ${status} ${JSON.stringify(body)}`);
  const { platformId, clientId, clientSecret } = body;
  const own = (options: SendOptions = {}): SendOptions => ({
    authorization: basic(clientId, clientSecret),
    ...options,
  });
  const control: TestSandbox['control'] = (method, path, options) => sandbox.control(method, path, own(options));
  return {
    ...sandbox,
    platformId,
    clientId,
    clientSecret,
    client: sandbox.as(clientId, clientSecret),
    send: (method, path, options) => sandbox.send(method, path, own(options)),
    control,
    async advance(seconds) {
      const moved = await control('POST', '/clock', { body: { advanceSeconds: seconds } });
      if (moved.status !== 200) throw new Error(`The clock did not move: ${moved.status}`);
    },
    now: async () => (await control('GET', '/clock')).body.now,
  };
}

/** A world of persons with wallets: one entry per e-mail address, with its number of USDB accounts. */
export function worldOf(wallets: Readonly<Record<string, number>>): { readonly customers: WorldCustomer[] } {
  return {
    customers: Object.entries(wallets).map(([email, count]) => ({
      customer: { customerType: 'INDIVIDUAL', email, currencies: ['USDB'] },
      accounts: Array.from({ length: count }, () => ({ currency: 'USDB' })),
    })),
  };
}

/** A customer of a world by its e-mail address, and its accounts, oldest first. */
export async function customerOf(
  sandbox: TestSandbox,
  email: string,
): Promise<{ customer: Customer; accounts: InternalAccount[] }> {
  const customers = data(await sandbox.client.GET('/customers', { params: { query: { limit: 100 } } })).data;
  const customer = customers.find((one) => one.email === email);
  if (customer === undefined) throw new Error(`No customer ${email}`);
  return { customer, accounts: await accountsOf(sandbox, customer.id) };
}

/** The internal accounts of a customer, oldest first. */
export async function accountsOf(sandbox: TestSandbox, customerId: string): Promise<InternalAccount[]> {
  const query = { customerId, limit: 100 };
  return data(await sandbox.client.GET('/customers/internal-accounts', { params: { query } })).data.reverse();
}
