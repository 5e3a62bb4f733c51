/** Requests of any operation of the contract that pass its checks, made from the contract's own examples. */
import type { Operation } from '../../generated/operations.ts';
import { bundle } from './apiError.ts';
import type { SignedInWallet } from './builders.ts';
import type { TestSandbox } from './harness.ts';

/** The operation's path with ids of a signed-in wallet in it, and the query that it requires. */
export function pathOf({ id, path }: Operation, wallet: SignedInWallet): string {
  const named: readonly (readonly [beginning: string, id: string])[] = [
    ['/auth/credentials/', wallet.email.id],
    ['/auth/sessions/', wallet.session.id],
    ['/customers/', wallet.customer.id],
    ['/internal-accounts/', wallet.accountId],
    ['/sandbox/internal-accounts/', wallet.accountId],
  ];
  const filled = path.replace(/\{\w+\}/, () => {
    const [, found] = named.find(([beginning]) => path.startsWith(beginning)) ?? [];
    if (found === undefined) throw new Error(`pathOf has no id for ${path}: add it`);
    return found;
  });
  return id === 'listCredentials' || id === 'listSessions' ? `${filled}?accountId=${wallet.accountId}` : filled;
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

/** All that the lists show of a wallet and around it: what must be the same after a refusal. */
export async function everything(sandbox: TestSandbox, { accountId }: SignedInWallet): Promise<unknown> {
  const paths = ['/customers?limit=100', '/customers/internal-accounts?limit=100'];
  paths.push(`/auth/credentials?accountId=${accountId}`, `/auth/sessions?accountId=${accountId}`);
  return Promise.all(paths.map(async (path) => (await sandbox.send('GET', path)).body));
}
