/** Reads path, query and headers of a request, and finds all faults in them and in the body. */
import type { OperationFacts } from '../generated/operations.ts';
import type { Contract, SchemaErrors } from './contract.ts';
import type { OperationPlace, Parameter } from './document.ts';
import { explain, type Fault, type FoundFault } from './faults.ts';
import { pointerSegment } from './pointer.ts';
import { narrowUnions } from './unions.ts';

/** The values of one place, decoded, typed by the contract, with defaults filled in, and their faults. */
export interface Reading {
  readonly values: Record<string, unknown>;
  readonly faults: readonly FoundFault[];
}

/** @param given each parameter decoded once, as the matcher does. */
export function readPath(
  contract: Contract,
  operation: OperationPlace,
  given: Readonly<Record<string, string>>,
): Reading {
  return check(contract, operation, 'path', { ...given });
}

export function readQuery(contract: Contract, operation: OperationPlace, query: URLSearchParams): Reading {
  const values: Record<string, unknown> = {};
  const faults: FoundFault[] = [];
  const names = new Set(query.keys());
  const declared = contract.parameters(operation, 'query');
  for (const name of names) {
    const given = query.getAll(name);
    const parameter = declared.find((one) => one.name === name);
    const fault = findQueryFault(parameter, given);
    if (fault !== undefined) {
      const value = given.length === 1 ? given[0] : given;
      faults.push({ in: 'query', pointer: `/${pointerSegment(name)}`, ...fault, value });
    }
    // A parameter with a fault isn't missing.
    if (parameter !== undefined) values[name] = decodeAll(parameter, given);
  }
  const checked = check(contract, operation, 'query', values);
  if (faults.length === 0) return checked;
  const blamed = new Set(faults.map(({ pointer }) => pointer));
  const others = checked.faults.filter(({ pointer }) => !blamed.has(firstSegment(pointer)));
  return { values, faults: [...faults, ...others] };
}

function findQueryFault(
  parameter: Parameter | undefined,
  given: readonly string[],
): Pick<FoundFault, 'rule' | 'message'> | undefined {
  if (parameter === undefined) {
    return { rule: 'undocumented-parameter', message: 'is not a parameter of this operation' };
  }
  if (given.length > 1 && !parameter.isList) return { rule: 'repeated-parameter', message: 'may be given only once' };
  const isText = given.every((text) => !text.includes('\u0000'));
  return isText ? undefined : { rule: 'unkept-value', message: "contains a NUL character, which isn't text" };
}

/** @param given at least one text: the query has the name. */
function decodeAll(parameter: Parameter, given: readonly string[]): unknown {
  if (parameter.isList) return given.map((text) => decodeParameter(parameter, text));
  return decodeParameter(parameter, given[0] as string);
}

function firstSegment(pointer: string): string {
  return pointer.split('/', 2).join('/');
}

/** @param get a header's value by its name in any letter case; null or undefined if it wasn't sent. */
export function readHeaders(
  contract: Contract,
  operation: OperationPlace,
  get: (name: string) => string | null | undefined,
): Reading {
  return check(contract, operation, 'header', decodeHeaders(contract.parameters(operation, 'header'), get));
}

/** The typed values of the headers that are present. */
export function decodeHeaders(
  declared: readonly Pick<Parameter, 'name' | 'type'>[],
  get: (name: string) => string | null | undefined,
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const header of declared) {
    const given = get(header.name);
    if (given !== null && given !== undefined) values[header.name] = decodeParameter(header, given);
  }
  return values;
}

/** The faults of a body that was read, or is missing (undefined). */
export function findBodyFaults(
  contract: Contract,
  operation: OperationPlace & Pick<OperationFacts, 'body'>,
  body: unknown,
): readonly FoundFault[] {
  if (body !== undefined) return faultsOf(contract, 'body', contract.checkRequest(operation, body));
  if (operation.body !== 'required') return [];
  return [{ in: 'body', pointer: '', rule: 'missing-body', message: 'is required' }];
}

function check(
  contract: Contract,
  operation: OperationPlace,
  place: Parameter['in'],
  values: Reading['values'],
): Reading {
  return { values, faults: faultsOf(contract, place, contract.checkParameters(operation, place, values)) };
}

function faultsOf(contract: Contract, place: Fault['in'], errors: SchemaErrors): FoundFault[] {
  return errors.length === 0 ? [] : explain(place, narrowUnions(contract, errors));
}

/** The typed value of a parameter's text. If it has none, the text itself, which the schema then refuses. */
function decodeParameter({ type }: Pick<Parameter, 'type'>, text: string): unknown {
  // Each integer has one spelling: no sign, exponent, fraction, space or leading zero.
  if (type === 'integer' && /^(0|[1-9]\d{0,15})$/.test(text)) return Number(text);
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}
