import type { Permission } from '../../../../generated/types.ts';
import { defaultCurrencies, maxAmount } from '../../payments/currencies.ts';
import type { Stored } from '../../store/records/table.ts';
import type { Unit } from '../../store/units/unit.ts';
import { SandboxBug } from '../../tools/problem.ts';
import { openPlatformAccount } from '../accounts/procedures/accounts.ts';
import { configs, type PlatformConfigRecord, type TokenRecord, tokens } from './records.ts';

/**
 * Stores a token under its client id. `secretHash` is the SHA-256 of its secret in hex. The secret itself isn't stored
 * (D11).
 */
export async function storeToken(
  unit: Unit,
  token: { name: string; permissions: readonly Permission[]; clientId: string; secretHash: string },
): Promise<TokenRecord> {
  return tokens.insert(unit, { id: unit.newId('Token'), ...token, createdAt: unit.now(), updatedAt: unit.now() });
}

/** The platform's configuration. */
export async function platformConfig(unit: Unit): Promise<Stored<PlatformConfigRecord>> {
  const { records } = await configs.page(unit, { limit: 1, before: null, filters: {} });
  const [config] = records;
  if (config === undefined) throw new SandboxBug('A platform has no configuration', { platformId: unit.platformId });
  return config;
}

/** Creates a new platform's configuration, and its own account for each configured currency (D41, D68). */
export async function openConfig(unit: Unit): Promise<void> {
  const supportedCurrencies = defaultCurrencies.map((currencyCode) => ({
    currencyCode,
    minAmount: 1,
    maxAmount,
    requiredCounterpartyFields: [],
    enabledTransactionTypes: ['INCOMING' as const, 'OUTGOING' as const],
  }));
  await configs.insert(unit, {
    id: unit.newId('PlatformConfig'),
    umaDomain: 'countersign.example',
    supportedCurrencies,
    embeddedWalletConfig: {
      otpLength: 6,
      alphanumeric: false,
      expirationSeconds: 300,
      sendFromEmailSenderName: 'Notifications',
    },
    createdAt: unit.now(),
    updatedAt: unit.now(),
  });
  for (const { currencyCode } of supportedCurrencies) await openPlatformAccount(unit, currencyCode);
}
