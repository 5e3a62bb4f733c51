/** Reads from the bundled contract what identifies each type of external account (D03, D40, D64). */
import { type ContractDocument, resolveRef, type SchemaObject } from '../lib/contract.ts';

interface TypeSchema extends SchemaObject {
  readonly 'x-currency'?: string | readonly string[];
  readonly 'x-primary-identifier': string | readonly string[];
  readonly 'x-rail-fields'?: readonly { readonly rail: string; readonly fields: readonly string[] }[];
}

interface Union {
  readonly oneOf?: readonly TypeSchema[];
}

const union = 'ExternalAccountInfo';

/** The facts of the contract about a type of external account, besides its schema. */
export interface AccountTypeFacts {
  readonly type: string;
  /** `*` stands for every national currency. */
  readonly currencies: readonly string[];
  readonly identifiers: readonly string[];
  readonly identity: readonly string[];
  readonly rails: readonly { readonly rail: string; readonly fields: readonly string[] }[];
}

/** Fields of `accountInfo` that never distinguish accounts (D40). */
const others = ['accountType', 'beneficiary', 'paymentRails'];

/**
 * The facts of every type, in the contract's order; empty if the contract has no external accounts.
 *
 * @throws Error if a member of the union has no type or no identifier.
 */
export function readAccountTypes(contract: ContractDocument): AccountTypeFacts[] {
  const members = (contract.components?.schemas?.[union] as Union | undefined)?.oneOf ?? [];
  return members.map((member) => readFacts(contract, resolveRef(contract, member)));
}

/** The members of the union in the bundle, by type. */
export function accountTypeSchemas(contract: ContractDocument): ReadonlyMap<string, SchemaObject> {
  const members = (contract.components?.schemas?.[union] as Union | undefined)?.oneOf ?? [];
  return new Map(
    members.map((member) => resolveRef<TypeSchema>(contract, member)).map((schema) => [typeOf(schema), schema]),
  );
}

/**
 * Writes the text of `generated/accountTypes.ts`, without the header comment. It has no types if the contract has no
 * external accounts.
 *
 * @throws Error if a member of the union has no type or no identifier.
 */
export function writeAccountTypes(contract: ContractDocument): string {
  const types = readAccountTypes(contract).map(writeFacts);
  return [
    '/** What the contract says about a type of external account beside its schema. */',
    'export interface AccountTypeFacts {',
    '  /** The currencies that it takes; `*` stands for every national currency. */',
    '  readonly currencies: readonly string[];',
    '  /** The fields whose suffix selects an outcome. The first field that is present counts. */',
    '  readonly identifiers: readonly string[];',
    '  /** The fields that identify an account of this type, all together. */',
    '  readonly identity: readonly string[];',
    '  /** The payment rails that reach it, each with the fields that it needs besides the required ones. */',
    '  readonly rails: readonly { readonly rail: string; readonly fields: readonly string[] }[];',
    '}',
    '',
    'export const accountTypes: Readonly<Record<string, AccountTypeFacts>> = {',
    ...types,
    '};',
    '',
  ].join('\n');
}

function typeOf(schema: TypeSchema): string {
  const type = (schema.properties?.['accountType'] as SchemaObject | undefined)?.const;
  if (typeof type !== 'string') throw new Error(`A member of ${union} does not say its accountType`);
  return type;
}

function readFacts(contract: ContractDocument, schema: TypeSchema): AccountTypeFacts {
  const type = typeOf(schema);
  const identifiers = [schema['x-primary-identifier'] ?? []].flat();
  if (identifiers.length === 0) throw new Error(`${type} has no x-primary-identifier`);
  const required = (schema['required'] ?? []) as readonly string[];
  const isName = (field: string): boolean => field === 'bankName' && !required.includes(field);
  return {
    type,
    // A type without a currency takes every national one.
    currencies: [schema['x-currency'] ?? '*'].flat(),
    identifiers,
    identity: Object.keys(schema.properties ?? {}).filter((field) => !others.includes(field) && !isName(field)),
    rails: schema['x-rail-fields'] ?? railsOf(contract, schema).map((rail) => ({ rail, fields: [] })),
  };
}

function writeFacts({ type, currencies, identifiers, identity, rails }: AccountTypeFacts): string {
  const text = rails.map(({ rail, fields }) => `{ rail: ${quote(rail)}, fields: ${list(fields)} }`).join(', ');
  const lists = `currencies: ${list(currencies)}, identifiers: ${list(identifiers)}, identity: ${list(identity)}`;
  return `  ${type}: { ${lists}, rails: [${text}] },`;
}

/** The rails that the schema lists; empty for a wallet. */
function railsOf(contract: ContractDocument, schema: TypeSchema): readonly string[] {
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
