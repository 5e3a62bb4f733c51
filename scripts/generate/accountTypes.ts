/** Reads off the bundled contract what each type of external account is known by (D03, D64). */
import type { Contract, SchemaObject } from '../lib/contract.ts';
import { resolveRef } from '../lib/contract.ts';

interface TypeSchema extends SchemaObject {
  readonly 'x-currency'?: string | readonly string[];
  readonly 'x-primary-identifier': string | readonly string[];
  readonly 'x-rail-fields'?: readonly { readonly rail: string; readonly fields: readonly string[] }[];
}

interface Union {
  readonly oneOf?: readonly TypeSchema[];
}

const union = 'ExternalAccountInfo';

/**
 * Writes the text of `generated/accountTypes.ts`, without the header comment; empty of types while the contract has no
 * external accounts.
 *
 * @throws Error when a member of the union does not say its type or identifier.
 */
export function writeAccountTypes(contract: Contract): string {
  const members = (contract.components?.schemas?.[union] as Union | undefined)?.oneOf ?? [];
  const types = members.map((member) => describe(contract, resolveRef(contract, member)));
  return [
    '/** What the contract says about a type of external account beside its schema. */',
    'export interface AccountTypeFacts {',
    '  /** The currencies that it takes; `*` stands for any. */',
    '  readonly currencies: readonly string[];',
    '  /** The fields that identify an account of it; the first that is there counts. */',
    '  readonly identifiers: readonly string[];',
    '  /** The payment rails that reach it, each with the fields that it needs beyond the required ones. */',
    '  readonly rails: readonly { readonly rail: string; readonly fields: readonly string[] }[];',
    '}',
    '',
    'export const accountTypes: Readonly<Record<string, AccountTypeFacts>> = {',
    ...types,
    '};',
    '',
  ].join('\n');
}

function describe(contract: Contract, schema: TypeSchema): string {
  const type = (schema.properties?.['accountType'] as SchemaObject | undefined)?.const;
  if (typeof type !== 'string') throw new Error(`A member of ${union} does not say its accountType`);
  // A type that states no currency takes any.
  const currencies = [schema['x-currency'] ?? '*'].flat();
  const identifiers = [schema['x-primary-identifier'] ?? []].flat();
  if (identifiers.length === 0) throw new Error(`${type} has no x-primary-identifier`);
  const rails = schema['x-rail-fields'] ?? railsOf(contract, schema).map((rail) => ({ rail, fields: [] }));
  const text = rails.map(({ rail, fields }) => `{ rail: ${quote(rail)}, fields: ${list(fields)} }`).join(', ');
  return `  ${type}: { currencies: ${list(currencies)}, identifiers: ${list(identifiers)}, rails: [${text}] },`;
}

/** The rails that its schema lists; none for a wallet. */
function railsOf(contract: Contract, schema: TypeSchema): readonly string[] {
  const listed = schema.properties?.['paymentRails'] as SchemaObject | undefined;
  if (listed === undefined) return [];
  const { enum: rails } = resolveRef(contract, resolveRef(contract, listed)['items'] as SchemaObject);
  return rails as readonly string[];
}

function list(words: readonly string[]): string {
  return `[${words.map(quote).join(', ')}]`;
}

function quote(word: string): string {
  return `'${word}'`;
}
