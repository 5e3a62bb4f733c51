/** Requests of any operation of the contract that pass its checks, made from the contract's own examples. */
import type { Operation } from '../../generated/operations.ts';
import { bundle } from './apiError.ts';
import { openSignedInWallet, type SignedInWallet } from './builders.ts';
import { addOwner, openBusiness, verify } from './businesses.ts';
import { mustAdd, usdRequest } from './externalAccounts.ts';
import { data, type TestSandbox } from './harness.ts';

/** A signed-in wallet, and one of every other thing that a path can name. */
export interface Targets extends SignedInWallet {
  readonly businessId: string;
  readonly ownerId: string;
  readonly verificationId: string;
  readonly externalAccountId: string;
  readonly tokenId: string;
  /** PENDING, from the wallet to the external account. */
  readonly quoteId: string;
  readonly transactionId: string;
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
  return {
    ...wallet,
    businessId,
    ownerId: owner.id,
    verificationId: verification.body.id,
    externalAccountId: account.id,
    tokenId: token.id,
    quoteId: quote.id,
    transactionId: quote.transactionId,
  };
}

/** The operation's path with ids of things that exist in it, and the query that it requires. */
export function pathOf({ id, path }: Operation, targets: Targets): string {
  // The longer beginning stands before the shorter one.
  const named: readonly (readonly [beginning: string, id: string])[] = [
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
  const filled = path.replace(/\{\w+\}/, () => {
    const [, found] = named.find(([beginning]) => path.startsWith(beginning)) ?? [];
    if (found === undefined) throw new Error(`pathOf has no id for ${path}: add it`);
    return found;
  });
  if (id === 'listCredentials' || id === 'listSessions') return `${filled}?accountId=${targets.accountId}`;
  return id === 'listBeneficialOwners' ? `${filled}?customerId=${targets.businessId}` : filled;
}

/** The named examples of an operation's request body; none where it takes none. */
export function requestExamples({ path, method }: Operation): Json[] {
  const { requestBody } = bundle.paths[path][method.toLowerCase()];
  const named: { value?: Json; $ref?: string }[] = Object.values(
    requestBody?.content['application/json'].examples ?? {},
  );
  return named.map(({ value, $ref }) => value ?? bundle.components.examples[$ref?.split('/').at(-1) ?? ''].value);
}

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** All that the lists show of the targets and around them: what must be the same after a refusal. */
export async function everything(sandbox: TestSandbox, { accountId, businessId }: Targets): Promise<unknown> {
  const paths = [
    '/customers',
    '/customers/internal-accounts',
    '/customers/external-accounts',
    '/verifications',
    '/tokens',
    '/transactions',
  ];
  const listed = paths.map((path) => `${path}?limit=100`);
  listed.push(`/auth/credentials?accountId=${accountId}`, `/auth/sessions?accountId=${accountId}`);
  listed.push(`/beneficial-owners?customerId=${businessId}`, '/platform/internal-accounts', '/config');
  return Promise.all(listed.map(async (path) => (await sandbox.send('GET', path)).body));
}
