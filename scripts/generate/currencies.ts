/**
 * Reads from the bundled contract which currencies the service knows, and which of them exclude each other (D23, D25).
 */
import type { ContractDocument, SchemaObject } from '../lib/contract.ts';

/** A currency, with what is needed to hold it and to show amounts. */
export interface CurrencyFacts {
  readonly code: string;
  readonly name: string;
  readonly symbol: string;
  readonly decimals: number;
  /** The type of internal account that holds it for a customer. */
  readonly account: string;
}

/** Every currency of the contract, by code; empty if the contract lists none. */
export function readCurrencies(contract: ContractDocument): readonly CurrencyFacts[] {
  return (schema(contract, 'CurrencyCode')?.['x-currencies'] ?? []) as readonly CurrencyFacts[];
}

/** The combinations of currencies that one customer can't have. */
export function readExclusions(contract: ContractDocument): readonly (readonly string[])[] {
  return (schema(contract, 'EnabledCurrencies')?.['x-exclusive-items'] ?? []) as readonly (readonly string[])[];
}

/** Writes the text of `generated/currencies.ts`, without the header comment. */
export function writeCurrencies(contract: ContractDocument): string {
  const rows = readCurrencies(contract).map(
    ({ code, name, symbol, decimals, account }) =>
      `  { code: ${text(code)}, name: ${text(name)}, symbol: ${text(symbol)}, decimals: ${decimals}, account: ${text(account)} },`,
  );
  return [
    "import type { InternalAccountType } from './types.ts';",
    '',
    '/** What the contract says of a currency. */',
    'export interface CurrencyFacts {',
    '  readonly code: string;',
    '  readonly name: string;',
    '  readonly symbol: string;',
    '  /** The number of decimals of an amount. */',
    '  readonly decimals: number;',
    '  /** The type of internal account that holds it for a customer. */',
    '  readonly account: InternalAccountType;',
    '}',
    '',
    'export const currencies: readonly CurrencyFacts[] = [',
    ...rows,
    '];',
    '',
    '/** Combinations that one customer can not have. */',
    'export const exclusiveCurrencies: readonly (readonly string[])[] = [',
    ...readExclusions(contract).map((codes) => `  [${codes.map(text).join(', ')}],`),
    '];',
    '',
  ].join('\n');
}

function schema(contract: ContractDocument, name: string): SchemaObject | undefined {
  return contract.components?.schemas?.[name] as SchemaObject | undefined;
}

function text(value: string): string {
  return JSON.stringify(value);
}
