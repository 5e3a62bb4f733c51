import type { Permission, PlatformConfig } from '../../../../generated/types.ts';
import { firstRow, query } from '../../store/query.ts';
import { recordTable, type Stored } from '../../store/records/table.ts';

import type { Reader } from '../../store/store.ts';
import { readStored } from '../../store/storedJson.ts';
import { platformOf } from '../../store/units/rows.ts';
import type { Unit } from '../../store/units/unit.ts';
import { toTimestamp } from '../../tools/clock.ts';
import { Problem } from '../../tools/problem.ts';

/** A stored API token. Only the SHA-256 of its secret is stored, in hex (D11). */
export interface TokenRecord {
  readonly id: string;
  readonly name: string;
  readonly permissions: readonly Permission[];
  readonly clientId: string;
  readonly secretHash: string;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export const tokens = recordTable<TokenRecord, 'client_id' | 'name' | 'created_at' | 'updated_at'>({
  name: 'tokens',
  columns: (token) => ({
    client_id: token.clientId,
    name: token.name,
    created_at: token.createdAt,
    updated_at: token.updatedAt,
  }),
  counted: ['*'],
  labels: (token) => token.permissions,
});

/** The configuration of a platform. There is always one. */
export interface PlatformConfigRecord {
  readonly id: string;
  readonly umaDomain: string;
  readonly supportedCurrencies: PlatformConfig['supportedCurrencies'];
  readonly embeddedWalletConfig: PlatformConfig['embeddedWalletConfig'];
  readonly createdAt: number;
  readonly updatedAt: number;
}

export const configs = recordTable<PlatformConfigRecord, never>({ name: 'configs', columns: () => ({}) });

const byClientId = query<{ clientId: string }>((db, p) =>
  db.selectFrom('tokens').select(['platform_id', 'body']).where('client_id', '=', p.clientId),
);

/** The token of a client id, on any platform. A request finds its platform with this. */
export async function findToken(
  reader: Reader,
  clientId: string,
): Promise<{ platformId: string; token: TokenRecord } | undefined> {
  const row = firstRow(await byClientId(reader, { clientId }));
  if (row === undefined) return undefined;
  return {
    platformId: platformOf(String(row['platform_id'])),
    token: readStored<TokenRecord>(row, 'body', `The token ${clientId}`),
  };
}

/** The token as the contract shows it, without its secret. */
export function viewToken(token: TokenRecord) {
  return {
    id: token.id,
    name: token.name,
    permissions: [...token.permissions],
    clientId: token.clientId,
    createdAt: toTimestamp(token.createdAt),
    updatedAt: toTimestamp(token.updatedAt),
  };
}

export function viewConfig(config: PlatformConfigRecord): PlatformConfig {
  return {
    id: config.id,
    umaDomain: config.umaDomain,
    supportedCurrencies: config.supportedCurrencies,
    isRegulatedFinancialInstitution: false,
    embeddedWalletConfig: config.embeddedWalletConfig,
    createdAt: toTimestamp(config.createdAt),
    updatedAt: toTimestamp(config.updatedAt),
  };
}

/** @throws Problem 404 `TOKEN_NOT_FOUND`. */
export async function mustFindToken(unit: Unit, id: string): Promise<Stored<TokenRecord>> {
  const token = await tokens.find(unit, id);
  if (token === undefined) throw new Problem('TOKEN_NOT_FOUND', `This platform has no token ${id}.`);
  return token;
}
