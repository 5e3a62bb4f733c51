/**
 * The sandbox of a run: in process, in memory, with the customers and accounts of the simulation. It only uses HTTP.
 */

import { loadContract } from '../../contract/file.ts';
import { createSandbox } from '../../mocks/sandbox/app.ts';
import type { Handlers } from '../../mocks/sandbox/domains/operation.ts';
import { openSqlite } from '../../mocks/sandbox/node/sqlite/sqlite.ts';
import { seededChance } from '../../mocks/sandbox/tools/chance.ts';
import type { AgentStep, PolicyChange } from './agentSteps.ts';
import { accounts, customers, type Destination, externals, receivers, type Source } from './cast.ts';
import type { Step } from './steps.ts';

const contract = loadContract();
const startOfTime = Date.UTC(2025, 9, 13, 9);
const origin = 'http://localhost:4010';
const base = '/2025-10-13';
const nobody = '00000000-0000-7000-8000-000000000000';
const clientKey =
  '046b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c2964fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5';

type QuoteStep = Extract<Step, { kind: 'QUOTE' | 'AGENT_QUOTE' }>;

export interface Reply {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: what a reply says is compared with the model, field by field
  readonly body: any;
}

export interface World {
  readonly startedAt: number;
  /** By the codes of both currencies, as printed. */
  readonly rates: ReadonlyMap<string, string>;
  /** Carries out a step; undefined if it refers to a quote that was never made. */
  take(step: Step): Promise<Reply | undefined>;
  get(path: string): Promise<Reply>;
  /** The balance of every internal account, by its place in the list; undefined if it was never opened. */
  balances(): Promise<(number | undefined)[]>;
  quoteId(step: number): string | undefined;
  /** Every existing agent as the platform reads it, by the step that made it. */
  agents(): Promise<ReadonlyMap<number, Reply['body']>>;
  /** An agent's action as the agent reads it, by the steps that made them. */
  action(agent: number, step: number): Promise<Reply>;
  ledger(): Promise<{ sound: boolean; faults: string[]; places: Record<string, number> }>;
  close(): Promise<void>;
}

/**
 * A sandbox that several runs may use at the same time, each with its own platform. Its clock shows {@link
 * startOfTime}.
 */
export interface SharedSandbox {
  fetch(request: Request): Response | Promise<Response>;
  close(): Promise<void>;
}

export async function openShared(handlers?: Handlers, file = ':memory:'): Promise<SharedSandbox> {
  const store = await openSqlite(file);
  const quiet = { info: () => undefined, error: () => undefined };
  const parts = { store, clock: { now: () => startOfTime }, chance: seededChance(1), contract, log: quiet };
  const app = await createSandbox(handlers === undefined ? parts : { ...parts, handlers });
  return { fetch: (request) => app.fetch(request), close: () => store.close() };
}

/**
 * Opens the world, by default on a new sandbox.
 * @throws Error if the sandbox refuses a request that every run starts with.
 */
export async function openWorld(handlers?: Handlers, shared?: SharedSandbox): Promise<World> {
  const app = shared ?? (await openShared(handlers));
  let credentials = 'sandbox:sandbox';

  const ask = async (method: string, path: string, body?: unknown, more: object = {}): Promise<Reply> => {
    const headers = {
      authorization: `Basic ${Buffer.from(credentials).toString('base64')}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...more,
    };
    const text = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await app.fetch(new Request(origin + path, { method, headers, ...text }));
    const answer = await response.text();
    return { status: response.status, body: answer === '' ? undefined : JSON.parse(answer) };
  };
  const must = async (method: string, path: string, body?: unknown) => {
    const reply = await ask(method, path, body);
    if (reply.status < 300) return reply.body;
    throw new Error(`${method} ${path} was answered with ${reply.status} ${JSON.stringify(reply.body)}`);
  };

  const platform = await must('POST', '/__sandbox/platforms', {});
  credentials = `${platform.clientId}:${platform.clientSecret}`;

  const customerIds: string[] = [];
  for (const { uma, currencies } of customers) {
    const body = { customerType: 'INDIVIDUAL', umaAddress: uma, currencies };
    customerIds.push((await must('POST', `${base}/customers`, body)).id);
  }
  const accountIds: (string | undefined)[] = accounts.map(() => undefined);
  const balances = async (): Promise<(number | undefined)[]> => {
    const customersOwn = await must('GET', `${base}/customers/internal-accounts?limit=100`);
    const platformsOwn = await must('GET', `${base}/platform/internal-accounts?limit=100`);
    const found = [...customersOwn.data, ...platformsOwn.data];
    return accounts.map(({ owner, currency }, index) => {
      const ownerId = owner === null ? undefined : customerIds[owner];
      const account = found.find((one) => one.customerId === ownerId && one.balance.currency.code === currency);
      accountIds[index] = account?.id;
      return account?.balance.amount;
    });
  };
  await balances();

  const add = (index: number): Promise<Reply> => {
    const { owner, currency, info, isDeposit } = externals[index] ?? {};
    const customerId = owner === null || owner === undefined ? {} : { customerId: customerIds[owner] };
    const deposit = isDeposit === true ? { defaultUmaDepositAccount: true } : {};
    return ask('POST', `${base}/customers/external-accounts`, {
      ...customerId,
      currency,
      accountInfo: info,
      ...deposit,
    });
  };
  const externalIds: string[] = [];
  for (const index of externals.keys()) {
    const { status, body } = await add(index);
    if (status !== 201) throw new Error(`The external account ${index} was refused: ${JSON.stringify(body)}`);
    externalIds.push(body.id);
  }

  const lookups = new Map<string, string>();
  for (const { uma } of [...customers, ...receivers]) {
    lookups.set(uma, (await must('GET', `${base}/receiver/uma/${encodeURIComponent(uma)}`)).lookupId);
  }

  const rates = new Map<string, string>();
  for (let cursor = ''; ; ) {
    const page = await must('GET', `${base}/exchange-rates?limit=100${cursor}`);
    for (const { sourceCurrency, destinationCurrency, exchangeRate } of page.data) {
      rates.set(`${sourceCurrency.code} ${destinationCurrency.code}`, String(exchangeRate));
    }
    if (!page.hasMore) break;
    cursor = `&cursor=${page.nextCursor}`;
  }

  let now = startOfTime;
  const wallets = new Map<number, { readonly credential: string; signedInAt: number }>();
  /** Registers a wallet's credential. A newly opened or reopened wallet has none, and a closed one accepts none. */
  const register = async (index: number): Promise<void> => {
    const body = { type: 'OAUTH', accountId: accountIds[index], oidcToken: tokenOf(index) };
    const reply = await ask('POST', `${base}/auth/credentials`, body);
    if (reply.status === 201) wallets.set(index, { credential: reply.body.id, signedInAt: 0 });
  };
  for (const index of accountIds.keys()) if (accounts[index]?.currency === 'USDB') await register(index);
  /** Opens a session for a wallet's owner to sign with. It ends after a quarter of an hour. */
  const signIn = async (index: number): Promise<void> => {
    if (!wallets.has(index)) await register(index);
    const wallet = wallets.get(index);
    if (wallet === undefined || now - wallet.signedInAt < 10 * 60_000) return;
    const body = { type: 'OAUTH', oidcToken: 'sandbox-valid-oidc-token', clientPublicKey: clientKey };
    await must('POST', `${base}/auth/credentials/${wallet.credential}/verify`, body);
    wallet.signedInAt = now;
  };
  /** Forgets the credentials of a customer's wallets, which are gone after closing. */
  const forgetWallets = (customer: number): void => {
    for (const index of wallets.keys()) if (accounts[index]?.owner === customer) wallets.delete(index);
  };

  const accountId = (index: number): string => accountIds[index] ?? `InternalAccount:${nobody}`;
  const place = ({ at, index }: { readonly at: 'INTERNAL' | 'EXTERNAL'; readonly index: number }): string =>
    at === 'INTERNAL' ? accountId(index) : (externalIds[index] ?? '');
  const owner = (customer: number | null) => (customer === null ? {} : { customerId: customerIds[customer] });
  const sourceOf = (source: Source): object =>
    source.at === 'OUTSIDE'
      ? { sourceType: 'REALTIME_FUNDING', currency: source.currency, ...owner(source.owner) }
      : { sourceType: 'ACCOUNT', accountId: place(source) };
  const destinationOf = (destination: Destination): object =>
    destination.at === 'UMA'
      ? { destinationType: 'UMA_ADDRESS', umaAddress: destination.uma, currency: destination.currency }
      : { destinationType: 'ACCOUNT', accountId: place(destination) };

  const made = new Map<number, { readonly id: string; readonly step: QuoteStep; readonly body: Reply['body'] }>();
  const askForQuote = async (step: QuoteStep, path: string, more: object): Promise<Reply> => {
    const told = { FULL_NAME: 'Sim Payer', BIRTH_DATE: '1990-01-01' };
    const lookupId = step.destination.at === 'UMA' && step.hasLookup ? lookups.get(step.destination.uma) : undefined;
    const body = {
      source: sourceOf(step.source),
      destination: destinationOf(step.destination),
      lockedCurrencySide: step.side,
      lockedCurrencyAmount: step.amount,
      ...('atOnce' in step && step.atOnce ? { immediatelyExecute: true } : {}),
      ...(step.isToldAll ? { purposeOfPayment: 'GIFT', senderCustomerInfo: told } : {}),
      ...(lookupId === undefined ? {} : { lookupId }),
    };
    const reply = await ask('POST', `${base}${path}`, body, more);
    if (reply.status === 201) made.set(step.number, { id: reply.body.id, step, body: reply.body });
    return reply;
  };
  const execute = async (
    { source }: QuoteStep,
    path: string,
    how: 'GOOD' | 'WRONG' | 'NONE',
    more: object,
  ): Promise<Reply> => {
    const isWallet = source.at === 'INTERNAL' && accounts[source.index]?.currency === 'USDB';
    if (isWallet && how === 'GOOD') await signIn(source.index);
    const signature = { GOOD: 'sandbox-valid-signature', WRONG: 'another-signature', NONE: undefined }[how];
    const headers = signature === undefined ? more : { ...more, 'Service-Wallet-Signature': signature };
    return ask('POST', `${base}${path}`, undefined, headers);
  };
  const transferOf = (step: { account: number; external: number; amount: number }, isIn: boolean): object => {
    const inside = { accountId: accountId(step.account) };
    const outside = { accountId: externalIds[step.external] };
    const [source, destination] = isIn ? [outside, inside] : [inside, outside];
    return { source, destination, amount: step.amount };
  };

  const agents = new Map<number, { readonly id: string; readonly bearer: object }>();
  const actions = new Map<number, { readonly id: string; readonly agent: string }>();
  const agentOf = (step: number) => {
    const agent = agents.get(step);
    if (agent === undefined) throw new Error(`Step ${step} made no agent`);
    return agent;
  };
  const policyOf = ({ permissions, mode, limits, allowed, rules, threshold }: PolicyChange, isNew: boolean): object => {
    const restrictions = {
      ...(allowed === undefined || (isNew && allowed === null)
        ? {}
        : { allowedAccountIds: allowed?.map(place) ?? null }),
      ...(rules === undefined
        ? {}
        : { accountRules: rules.map(({ account, ...rule }) => ({ accountId: place(account), ...rule })) }),
    };
    return {
      ...(permissions === undefined ? {} : { permissions }),
      ...(mode === undefined ? {} : { defaultExecutionMode: mode }),
      ...(limits === undefined ? {} : { spendingLimits: limits }),
      ...(Object.keys(restrictions).length === 0 ? {} : { accountRestrictions: restrictions }),
      ...(threshold === undefined || (isNew && threshold === null)
        ? {}
        : { approvalThresholds: threshold ?? { amount: null } }),
    };
  };
  const noteAction = (step: { readonly number: number; readonly agent: number }, reply: Reply): Reply => {
    if (reply.status < 300) actions.set(step.number, { id: reply.body.id, agent: agentOf(step.agent).id });
    return reply;
  };

  const takeOfAgent = async (step: Extract<Step, AgentStep>): Promise<Reply | undefined> => {
    if ('agent' in step && !agents.has(step.agent)) return undefined;
    switch (step.kind) {
      case 'AGENT_NEW': {
        const policy = policyOf(step.policy, true);
        const body = { name: `Agent ${step.number}`, customerId: customerIds[step.customer], policy };
        const reply = await ask('POST', `${base}/agents`, body);
        if (reply.status !== 201) return reply;
        const { accessToken } = await must('POST', `${base}/agents/device-codes/${reply.body.deviceCode.code}/redeem`);
        agents.set(step.number, { id: reply.body.agent.id, bearer: { authorization: `Bearer ${accessToken}` } });
        return reply;
      }
      case 'AGENT_PAUSE':
        return ask('PATCH', `${base}/agents/${agentOf(step.agent).id}`, { isPaused: step.isPaused });
      case 'AGENT_POLICY':
        return ask('PATCH', `${base}/agents/${agentOf(step.agent).id}/policy`, policyOf(step.change, false));
      case 'AGENT_END':
        return ask('DELETE', `${base}/agents/${agentOf(step.agent).id}`);
      case 'AGENT_QUOTE':
        return askForQuote(step, '/agents/me/quotes', agentOf(step.agent).bearer);
      case 'AGENT_EXECUTE': {
        const quote = made.get(step.quote);
        if (quote === undefined) return undefined;
        const path = `/agents/me/quotes/${quote.id}/execute`;
        return noteAction(step, await execute(quote.step, path, step.signature, agentOf(step.agent).bearer));
      }
      case 'AGENT_IN':
      case 'AGENT_OUT': {
        const isIn = step.kind === 'AGENT_IN';
        const path = `${base}/agents/me${isIn ? '/transfer-in' : '/transfer-out'}`;
        return noteAction(step, await ask('POST', path, transferOf(step, isIn), agentOf(step.agent).bearer));
      }
      case 'APPROVE':
      case 'REJECT': {
        const action = actions.get(step.action);
        if (action === undefined) return undefined;
        const path = `${base}/agents/${action.agent}/actions/${action.id}`;
        if (step.kind === 'APPROVE') return ask('POST', `${path}/approve`);
        return ask('POST', `${path}/reject`, step.reason === null ? undefined : { reason: step.reason });
      }
    }
  };

  const take = async (step: Step): Promise<Reply | undefined> => {
    switch (step.kind) {
      case 'FUND': {
        const path = `${base}/sandbox/internal-accounts/${accountId(step.account)}/fund`;
        return ask('POST', path, { amount: step.amount });
      }
      case 'QUOTE':
        return askForQuote(step, '/quotes', {});
      case 'EXECUTE': {
        const quote = made.get(step.quote);
        if (quote === undefined) return undefined;
        return execute(quote.step, `/quotes/${quote.id}/execute`, step.signature, {});
      }
      case 'PAY_IN': {
        const quote = made.get(step.quote);
        if (quote === undefined) return undefined;
        const { sendingCurrency, totalSendingAmount } = quote.body;
        const wrong = sendingCurrency.code === 'USD' ? 'EUR' : 'USD';
        return ask('POST', `${base}/sandbox/send`, {
          quoteId: quote.id,
          currencyCode: step.currency === 'RIGHT' ? sendingCurrency.code : wrong,
          ...(step.extra === null ? {} : { currencyAmount: totalSendingAmount + step.extra }),
        });
      }
      case 'TRANSFER_IN':
        return ask('POST', `${base}/transfer-in`, transferOf(step, true));
      case 'TRANSFER_OUT':
        return ask('POST', `${base}/transfer-out`, transferOf(step, false));
      case 'UMA_IN': {
        const receiver = step.isByAddress
          ? { receiverUmaAddress: customers[step.receiver]?.uma }
          : { customerId: customerIds[step.receiver] };
        return ask('POST', `${base}/sandbox/uma/receive`, {
          senderUmaAddress: step.sender,
          ...receiver,
          receivingCurrencyCode: step.currency,
          receivingCurrencyAmount: step.amount,
        });
      }
      case 'WAIT':
        now += step.seconds * 1000;
        return ask('POST', '/__sandbox/clock', { advanceSeconds: step.seconds });
      case 'REMOVE':
        return ask('DELETE', `${base}/customers/external-accounts/${externalIds[step.external]}`);
      case 'ADD': {
        const reply = await add(step.external);
        if (reply.status === 201) externalIds[step.external] = reply.body.id;
        return reply;
      }
      case 'CURRENCIES': {
        const body = { customerType: 'INDIVIDUAL', currencies: step.currencies };
        const reply = await ask('PATCH', `${base}/customers/${customerIds[step.customer]}`, body);
        if (reply.status === 200 && !step.currencies.includes('USDB')) forgetWallets(step.customer);
        await balances();
        return reply;
      }
      case 'DELETE': {
        const reply = await ask('DELETE', `${base}/customers/${customerIds[step.customer]}`);
        if (reply.status === 200) forgetWallets(step.customer);
        return reply;
      }
      default:
        return takeOfAgent(step);
    }
  };

  return {
    startedAt: startOfTime,
    rates,
    take,
    get: (path) => ask('GET', base + path),
    balances,
    quoteId: (step) => made.get(step)?.id,
    async agents() {
      const { data } = await must('GET', `${base}/agents?limit=100`);
      const steps = new Map([...agents].map(([step, { id }]) => [id, step]));
      return new Map(data.map((agent: { id: string }) => [steps.get(agent.id) ?? -1, agent]));
    },
    action: (agent, step) =>
      ask('GET', `${base}/agents/me/actions/${actions.get(step)?.id}`, undefined, agentOf(agent).bearer),
    ledger: () => must('GET', '/__sandbox/ledger'),
    close: () => (shared === undefined ? app.close() : Promise.resolve()),
  };
}

/** Another identity for each wallet, in the form that registration accepts with `magic` proofs. */
function tokenOf(index: number): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = { iss: 'https://accounts.google.com', aud: 'sim', sub: `sim-${index}`, email: 'sim@example.com' };
  return `${part({ alg: 'RS256', kid: 'k1' })}.${part(claims)}.${part(claims)}`;
}
