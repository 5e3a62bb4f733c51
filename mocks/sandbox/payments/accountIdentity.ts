import { accountTypes } from '../../../generated/accountTypes.ts';
import type { ExternalAccountInfo } from '../../../generated/types.ts';
import { sha256Hex } from '../node/machine/crypto.ts';

/**
 * A text that identifies an external account of an owner: type, currency and every field that distinguishes accounts of
 * the type, without spaces (D40). `owner` is a customer, or undefined for the platform.
 */
export function accountIdentity(owner: string | undefined, currency: string, info: ExternalAccountInfo): string {
  const given = info as Readonly<Record<string, unknown>>;
  const fields = accountTypes[info.accountType]?.identity ?? [];
  const told = fields.map((field) => String(given[field] ?? '').replaceAll(/\s/g, ''));
  return sha256Hex(JSON.stringify([owner ?? null, info.accountType, currency, ...told]));
}
