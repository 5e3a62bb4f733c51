import type { Permission } from '../../../../generated/types.ts';
import type { Unit } from '../../store/unit.ts';
import { type TokenRecord, tokens } from './records.ts';

/** Keeps a token under its client id. `secretHash` is the SHA-256 of its secret in hex, all that is kept of it (D11). */
export async function storeToken(
  unit: Unit,
  token: { name: string; permissions: readonly Permission[]; clientId: string; secretHash: string },
): Promise<TokenRecord> {
  return tokens.insert(unit, { id: unit.newId('Token'), ...token, createdAt: unit.now, updatedAt: unit.now });
}
