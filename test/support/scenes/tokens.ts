/** Makes API tokens for tests. */
import type { Permission, TokenCreated } from '../../../generated/types.ts';
import { basic, data, type TestSandbox } from '../sandbox/harness.ts';

/** A new token: the reply of its creation, and its Authorization header. */
export interface MadeToken {
  readonly token: TokenCreated;
  readonly authorization: string;
}

/** Makes a token with these permissions. */
export async function makeToken(
  sandbox: TestSandbox,
  permissions: Permission[] = ['VIEW'],
  name = 'CI',
): Promise<MadeToken> {
  const token = data(await sandbox.client.POST('/tokens', { body: { name, permissions } }));
  return { token, authorization: basic(token.clientId, token.clientSecret) };
}

/** The token without its secret, as all replies show it except the one to its creation. */
export function withoutSecret({ clientSecret: _secret, ...shown }: TokenCreated) {
  return shown;
}
