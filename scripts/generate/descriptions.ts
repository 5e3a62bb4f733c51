/**
 * Completes the descriptions of a bundled contract from its extensions, its enums and the sandbox's tables, so that
 * nobody writes these facts twice.
 */
import {
  type ContractDocument,
  httpMethods,
  type Operation,
  type Parameter,
  resolveRef,
  type SchemaObject,
  schemaName,
} from '../lib/contract.ts';

import { type AccountTypeFacts, accountTypeSchemas, readAccountTypes } from './accountTypes.ts';
import { readCurrencies, readExclusions } from './currencies.ts';
import { codes, list } from './phrases.ts';
import { outcomeTables } from './tables.ts';

interface Described {
  description?: string;
}

/**
 * Returns the contract with complete descriptions. Each account type names its currencies, identifier and rails. A
 * filter by a status explains its values. An operation gets the tables that it asks for (`<!-- table: NAME -->`).
 *
 * @throws Error if a description asks for an unknown table
 */
export function completeDescriptions(bundled: ContractDocument): ContractDocument {
  const contract = structuredClone(bundled);
  const schemas = accountTypeSchemas(contract);
  for (const facts of readAccountTypes(contract)) {
    add(schemas.get(facts.type) as Described, accountTypeText(facts));
  }
  const known = readCurrencies(contract).map(({ code }) => code);
  if (known.length > 0) {
    add(contract.components?.schemas?.['CurrencyCode'] as Described, `The service knows only ${list(known)}.`);
  }
  for (const exclusive of readExclusions(contract)) {
    const text = `${list(exclusive)} exclude each other: use separate customers.`;
    add(contract.components?.schemas?.['EnabledCurrencies'] as Described, text);
  }
  for (const operation of operationsOf(contract)) {
    explainStatuses(contract, operation);
    const described = operation as Described;
    if (described.description !== undefined) described.description = withTables(described.description);
  }
  return contract;
}

/** Describes what identifies a type of external account. */
export function accountTypeText({ currencies, identifiers, identity, rails }: AccountTypeFacts): string {
  const [first = '', ...others] = codes(identifiers);
  const taken = currencies.includes('*') ? 'every national currency that the service knows' : list(currencies, 'or');
  const alternatives = others.length === 0 ? '' : `, or of ${list(others, 'or')} if the account has none,`;
  const together = identity.length === 1 ? `${list(codes(identity))} tells` : `${list(codes(identity))} together tell`;
  return [
    `It takes ${taken}.`,
    `In the sandbox, the last three characters of ${first}${alternatives} select the outcome.`,
    ...railText(rails),
    `${together} one account from another.`,
  ].join(' ');
}

function railText(rails: AccountTypeFacts['rails']): string[] {
  if (rails.length === 0) return [];
  const names = [...new Set(rails.map(({ rail }) => rail))];
  const ways = names.map((name) => {
    const fields = rails.filter(({ rail }) => rail === name).map((way) => list(codes(way.fields)));
    return `${name} needs ${list(fields, 'or')}`;
  });
  if (rails.every(({ fields }) => fields.length === 0)) {
    return [`${list(names)} ${names.length === 1 ? 'needs' : 'need'} the required fields only.`];
  }
  return [`${ways.join('; ')}.`];
}

/** Appends the meaning of each value to the description of a query parameter with a `…Status` type. */
function explainStatuses(contract: ContractDocument, operation: Operation): void {
  for (const reference of operation.parameters ?? []) {
    const parameter = resolveRef<Parameter>(contract, reference);
    const name = parameter.schema === undefined ? undefined : schemaName(parameter.schema);
    if (name === undefined || !/Status$/.test(name)) continue;
    const { description } = resolveRef<SchemaObject>(contract, parameter.schema as SchemaObject) as Described;
    add(parameter as Described, description ?? '');
  }
}

function withTables(description: string): string {
  return description.replaceAll(/<!-- table: ([\w-]+) -->/g, (marker, name: string) => {
    const table = outcomeTables[name];
    if (table === undefined) throw new Error(`A description has ${marker}, but there is no such table`);
    return table;
  });
}

function add(described: Described, text: string): void {
  described.description = `${described.description?.trimEnd() ?? ''} ${text}`.trim();
}

function operationsOf(contract: ContractDocument): Operation[] {
  return Object.values(contract.paths).flatMap((item) =>
    httpMethods.flatMap((method) => (item[method] === undefined ? [] : [item[method] as Operation])),
  );
}
