/** API tokens as tests make them. */
import type { Permission, TokenCreated } from '../../../generated/types.ts';
import { basic, data, type TestSandbox } from '../sandbox/harness.ts';

/** A token just made: what the interface said of it, and how to send it. */
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

/** The token as every reply but that of its creation shows it. */
export function withoutSecret({ clientSecret: _secret, ...shown }: TokenCreated) {
  return shown;
}
