/** A sandbox for the cases of one batch, with one object of each kind, and more on request. */
import type { Operation } from '../../generated/operations.ts';
import type { SandboxParts } from '../../mocks/sandbox/app.ts';
import { openSqlite } from '../../mocks/sandbox/node/sqlite/sqlite.ts';
import { encodeText, writeJson } from '../support/requests/literals.ts';
import { call, everything, openTargets, type Targets } from '../support/requests/targets.ts';
import { type Answer, openSandbox } from '../support/sandbox/harness.ts';
import { clientKeys, magic, oauthRequest, signed } from '../support/scenes/builders.ts';
import type { RequestParts } from './oracle.ts';
import { openPool, type Pool } from './picks.ts';

export type Plant = Partial<Pick<SandboxParts, 'handlers' | 'contract'>>;

/** A request as it is sent. */
export interface Wire {
  /** The path below the base address, with its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string | undefined;
}

/** A request and its reply. */
export interface Sent extends Wire {
  readonly answer: Answer;
}

/** Builds a request from its parts, with texts escaped in the address. */
export function writeRequest(operation: Operation, { path, query, headers, body }: RequestParts): Wire {
  const filled = operation.path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => encodeText(path[name] ?? ''));
  const search = query.map(([name, text]) => `${encodeText(name)}=${encodeText(text)}`).join('&');
  const text = body === undefined ? undefined : writeJson(body);
  return { path: search === '' ? filled : `${filled}?${search}`, headers, text };
}

export interface Stage {
  readonly pool: Pool;
  send(operation: Operation, parts: RequestParts): Promise<Sent>;
  /** Makes a new object of a kind. A number advances the clock by this many seconds. */
  prepare(what: string | number): Promise<void>;
  /** The content of all lists. */
  look(): Promise<unknown>;
  close(): Promise<void>;
}

type Ask = (method: string, path: string, body?: object, headers?: Record<string, string>) => Promise<Answer>;
type Maker = (ask: Ask, targets: Targets) => Promise<unknown>;

const destination = ({ externalAccountId }: Targets) => ({
  destinationType: 'ACCOUNT',
  accountId: externalAccountId,
});
const quoteOf = (source: object, targets: Targets, lockedCurrencyAmount = 1000) => ({
  source,
  destination: destination(targets),
  lockedCurrencySide: 'SENDING',
  lockedCurrencyAmount,
});

/** What can be made, by kind. A refusal is allowed, because the clock may have ended an object that it needs. */
const makers: Readonly<Record<string, Maker>> = {
  quote: (ask, targets) =>
    ask('POST', '/quotes', quoteOf({ sourceType: 'ACCOUNT', accountId: targets.accountId }, targets)),
  realtimeQuote: (ask, targets) =>
    ask(
      'POST',
      '/quotes',
      quoteOf({ sourceType: 'REALTIME_FUNDING', customerId: targets.customer.id, currency: 'USD' }, targets),
    ),
  async agentQuote(ask, targets) {
    const [account] = await dollars(ask, targets);
    return targets.agent.send('POST', '/quotes', {
      body: quoteOf({ sourceType: 'ACCOUNT', accountId: account }, targets),
    });
  },
  async action(ask, targets) {
    const [accountId] = await dollars(ask, targets);
    const body = { source: { accountId }, destination: { accountId: targets.externalAccountId }, amount: 100 };
    return targets.agent.send('POST', '/transfer-out', { body });
  },
  async money(ask, targets) {
    for (const id of [...(await dollars(ask, targets)), targets.accountId]) {
      await ask('POST', `/sandbox/internal-accounts/${id}/fund`, { amount: 50_000 });
    }
  },
  code: (ask, targets) => ask('POST', `/agents/${targets.agent.id}/device-codes`),
  customer: (ask) => ask('POST', '/customers', { customerType: 'INDIVIDUAL', email: 'eve@example.com' }),
  business: (ask) => ask('POST', '/customers', { customerType: 'BUSINESS', businessInfo: { legalName: 'Acme' } }),
  /** Without an e-mail address, so that it has no credentials. */
  async stranger(ask) {
    const { body } = await ask('POST', '/customers', { customerType: 'INDIVIDUAL' });
    return ask('GET', `/customers/internal-accounts?customerId=${body.id}`);
  },
  /** A deleted customer, whose accounts are closed. */
  async deleted(ask) {
    const { body } = await ask('POST', '/customers', { customerType: 'INDIVIDUAL', email: 'gone@example.com' });
    const accounts = await ask('GET', `/customers/internal-accounts?customerId=${body.id}`);
    await ask('DELETE', `/customers/${body.id}`);
    return accounts;
  },
  async identity(ask, { accountId }) {
    const body = oauthRequest(accountId);
    const { body: challenge } = await ask('POST', '/auth/credentials', body);
    return ask('POST', '/auth/credentials', body, signed(challenge?.requestId ?? ''));
  },
  accounts: (ask) => ask('GET', '/customers/internal-accounts?limit=100'),
  tokens: (ask) => ask('GET', '/tokens'),
  owner: (ask, targets) => ask('GET', `/beneficial-owners?customerId=${targets.businessId}`),
  token: (ask) => ask('POST', '/tokens', { name: 'Another', permissions: ['VIEW'] }),
  async account(ask, targets) {
    const beneficiary = { beneficiaryType: 'INDIVIDUAL', fullName: 'Ada Byron' };
    const info = { accountType: 'USD_ACCOUNT', accountNumber: '123456', routingNumber: '021000021', beneficiary };
    return ask('POST', '/customers/external-accounts', {
      customerId: targets.customer.id,
      currency: 'USD',
      accountInfo: info,
    });
  },
  async session(ask, targets) {
    const path = `/auth/credentials/${targets.email.id}`;
    await ask('POST', `${path}/challenge`);
    const clientPublicKey = clientKeys().publicKeyHex;
    return ask('POST', `${path}/verify`, { type: 'EMAIL_OTP', otp: magic.otp, clientPublicKey });
  },
  challenge: (ask, targets) =>
    ask('POST', `/auth/credentials/${targets.passkey.id}/challenge`, { clientPublicKey: clientKeys().publicKeyHex }),
  lookup: (ask) => ask('GET', '/receiver/uma/$success.usd@pay.example'),
};

export const kinds: readonly string[] = Object.keys(makers);
/** Made on every stage, in this order: the first one finds the customer's account in US dollars. */
const atFirst = ['money', 'quote', 'accounts', 'tokens', 'lookup', 'realtimeQuote', 'stranger'];

async function dollars(ask: Ask, { customer }: Targets): Promise<string[]> {
  const { body } = await ask('GET', `/customers/internal-accounts?customerId=${customer.id}&currency=USD`);
  return (body.data ?? []).map(({ id }: { id: string }) => id);
}

/** Opens it. @param proofs for the cases; set after everything is made with magic proofs. */
export async function openStage(proofs: 'magic' | 'real', plant: Plant): Promise<Stage> {
  const store = await openSqlite(':memory:');
  const sandbox = await openSandbox({ store, ...plant });
  const targets = await openTargets(sandbox);
  const pool = openPool(targets);
  const ask: Ask = async (method, path, body, headers = {}) => {
    const answer = await sandbox.send(method, path, body === undefined ? { headers } : { body, headers });
    pool.learn(answer.body);
    return answer;
  };
  for (const kind of atFirst) await makers[kind]?.(ask, targets);
  if (proofs === 'real') await sandbox.control('PUT', '/settings', { body: { proofs } });
  return {
    pool,
    async send(operation, parts) {
      const wire = writeRequest(operation, parts);
      const { path, headers, text } = wire;
      const answer = await call(sandbox, operation, targets, path, { headers, ...(text !== undefined && { text }) });
      if (answer.status < 300) pool.learn(answer.body);
      return { ...wire, answer };
    },
    async prepare(what) {
      if (typeof what === 'number') return sandbox.advance(what);
      const made = await makers[what]?.(ask, targets);
      pool.learn((made as Answer | undefined)?.body);
    },
    look: () => everything(sandbox, targets),
    close: () => store.close(),
  };
}
