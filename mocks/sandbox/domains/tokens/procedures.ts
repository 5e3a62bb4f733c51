import type { Permission } from '../../../../generated/types.ts';
import { sha256 } from '../../kernel/bytes.ts';
import type { Unit } from '../../store/unit.ts';
import { type TokenRecord, tokens } from './records.ts';

/** Keeps a token under its client id; of the secret only the hash is kept (D11). */
export async function storeToken(
  unit: Unit,
  token: { name: string; permissions: readonly Permission[]; clientId: string; clientSecret: string },
): Promise<TokenRecord> {
  const { clientSecret, ...rest } = token;
  return tokens.insert(unit, {
    id: unit.newId('Token'),
    ...rest,
    secretHash: sha256(clientSecret).toString('hex'),
    createdAt: unit.now,
    updatedAt: unit.now,
  });
}
