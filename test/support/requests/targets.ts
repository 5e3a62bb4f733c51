/** Makes valid requests for any operation of the contract, from the contract's own examples. */
import type { Operation } from '../../../generated/operations.ts';
import { bundle } from '../expect/apiError.ts';
import { type Answer, data, type SendOptions, type TestSandbox } from '../sandbox/harness.ts';
import { openAgent, type TestAgent } from '../scenes/agents.ts';
import { openSignedInWallet, type SignedInWallet } from '../scenes/builders.ts';
import { addOwner, openBusiness, verify } from '../scenes/businesses.ts';
import { mustAdd, usdRequest } from '../scenes/externalAccounts.ts';

/** A signed-in wallet, and one object of every other kind that a path can name. */
export interface Targets extends SignedInWallet {
  readonly businessId: string;
  readonly ownerId: string;
  readonly verificationId: string;
  readonly externalAccountId: string;
  readonly tokenId: string;
  /** A PENDING quote from the wallet to the external account. */
  readonly quoteId: string;
  readonly transactionId: string;
  /** An agent of the wallet's customer, with all permissions. */
  readonly agent: TestAgent;
  /** An action of the agent that waits for approval. */
  readonly actionId: string;
  /** A PENDING quote that the agent made, from the customer's US dollars to the external account. */
  readonly agentQuoteId: string;
  /** A device code that isn't redeemed. */
  readonly deviceCode: string;
}

/** Makes them all, through the interface. */
export async function openTargets(sandbox: TestSandbox): Promise<Targets> {
  const wallet = await openSignedInWallet(sandbox);
  const businessId = await openBusiness(sandbox);
  const owner = await addOwner(sandbox, businessId);
  const verification = await verify(sandbox, businessId);
  const account = await mustAdd(sandbox, usdRequest('123456', { customerId: wallet.customer.id }));
  const token = data(await sandbox.client.POST('/tokens', { body: { name: 'Reader', permissions: ['VIEW'] } }));
  const quote = data(
    await sandbox.client.POST('/quotes', {
      body: {
        source: { sourceType: 'ACCOUNT', accountId: wallet.accountId },
        destination: { destinationType: 'ACCOUNT', accountId: account.id },
        lockedCurrencySide: 'SENDING',
        lockedCurrencyAmount: 1_000_000,
      },
    }),
  );
  const agent = await openAgent(sandbox, wallet.customer.id, { defaultExecutionMode: 'APPROVAL_REQUIRED' });
  const [dollars] = data(
    await sandbox.client.GET('/customers/internal-accounts', {
      params: { query: { customerId: wallet.customer.id, currency: 'USD' } },
    }),
  ).data;
  const sides = { source: { accountId: dollars?.id }, destination: { accountId: account.id } };
  const action = await agent.send('POST', '/transfer-out', { body: { ...sides, amount: 100 } });
  const agentQuote = await agent.send('POST', '/quotes', {
    body: {
      source: { sourceType: 'ACCOUNT', ...sides.source },
      destination: { destinationType: 'ACCOUNT', ...sides.destination },
      lockedCurrencySide: 'SENDING',
      lockedCurrencyAmount: 100,
    },
  });
  const code = await sandbox.send('POST', `/agents/${agent.id}/device-codes`);
  return {
    ...wallet,
    agent,
    actionId: action.body.id,
    agentQuoteId: agentQuote.body.id,
    deviceCode: code.body.code,
    businessId,
    ownerId: owner.id,
    verificationId: verification.body.id,
    externalAccountId: account.id,
    tokenId: token.id,
    quoteId: quote.id,
    transactionId: quote.transactionId,
  };
}

/** The operation's path with ids of existing objects, and the query that it requires. */
export function pathOf({ id, path }: Operation, targets: Targets): string {
  // If two prefixes fit, the longer one comes first.
  const named: readonly (readonly [beginning: string, id: string])[] = [
    ['/agents/me/external-accounts/', targets.externalAccountId],
    ['/agents/me/quotes/', targets.agentQuoteId],
    ['/agents/me/transactions/', targets.transactionId],
    ['/auth/credentials/', targets.email.id],
    ['/auth/sessions/', targets.session.id],
    ['/beneficial-owners/', targets.ownerId],
    ['/customers/external-accounts/', targets.externalAccountId],
    ['/customers/', targets.customer.id],
    ['/internal-accounts/', targets.accountId],
    ['/quotes/', targets.quoteId],
    ['/receiver/external-account/', targets.externalAccountId],
    ['/receiver/uma/', '$success.usd@pay.example'],
    ['/sandbox/internal-accounts/', targets.accountId],
    ['/tokens/', targets.tokenId],
    ['/transactions/', targets.transactionId],
    ['/verifications/', targets.verificationId],
  ];
  const filled = path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => {
    if (name === 'agentId') return targets.agent.id;
    if (name === 'actionId') return targets.actionId;
    if (name === 'code') return targets.deviceCode;
    const [, found] = named.find(([beginning]) => path.startsWith(beginning)) ?? [];
    if (found === undefined) throw new Error(`pathOf has no id for ${path}: add it`);
    return found;
  });
  if (id === 'listCredentials' || id === 'listSessions') return `${filled}?accountId=${targets.accountId}`;
  return id === 'listBeneficialOwners' ? `${filled}?customerId=${targets.businessId}` : filled;
}

/** The credentials that the operation takes: undefined for the platform's, null for none. */
export function authorizationFor(
  { security }: Operation,
  { agent }: Pick<Targets, 'agent'>,
): string | null | undefined {
  if (security === 'none') return null;
  return security === 'bearer' ? `Bearer ${agent.accessToken}` : undefined;
}

/** Sends a request of an operation with credentials that it accepts; `path` is relative to the base address. */
export function call(
  sandbox: TestSandbox,
  operation: Operation,
  targets: Pick<Targets, 'agent'>,
  path: string,
  options: SendOptions = {},
): Promise<Answer> {
  const authorization = authorizationFor(operation, targets);
  return sandbox.send(operation.method, path, {
    ...(authorization === undefined ? {} : { authorization }),
    ...options,
  });
}

/** The named examples of an operation's request body; empty if it takes none. */
export function requestExamples({ path, method }: Operation): Json[] {
  const { requestBody } = bundle.paths[path][method.toLowerCase()];
  const named: { value?: Json; $ref?: string }[] = Object.values(
    requestBody?.content['application/json'].examples ?? {},
  );
  return named.map(({ value, $ref }) => value ?? bundle.components.examples[$ref?.split('/').at(-1) ?? ''].value);
}

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** The lists of all objects that a request could change. After a refused request they must be the same. */
export async function everything(
  sandbox: TestSandbox,
  { accountId, businessId, deviceCode, agent }: Targets,
): Promise<unknown> {
  const paths = [
    '/customers',
    '/customers/internal-accounts',
    '/customers/external-accounts',
    '/verifications',
    '/tokens',
    '/transactions',
    '/agents',
    '/agents/approvals',
  ];
  const listed = paths.map((path) => `${path}?limit=100`);
  listed.push(`/auth/credentials?accountId=${accountId}`, `/auth/sessions?accountId=${accountId}`);
  listed.push(`/beneficial-owners?customerId=${businessId}`, '/platform/internal-accounts', '/config');
  listed.push(`/agents/device-codes/${deviceCode}/status`);
  const own = agent.send('GET', '/actions?limit=100');
  return Promise.all(
    [own, ...listed.map((path) => sandbox.send('GET', path))].map(async (answer) => (await answer).body),
  );
}
