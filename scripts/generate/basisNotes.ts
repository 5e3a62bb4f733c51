/**
 * Adds the notes of the reference that say what in the contract is assumed, and which decisions settle it. An assumed
 * element has one note; the elements inside it get none.
 */
import { isObject, listOf, marksOf, toBasis } from '../../contract/basis/marks.ts';

type Json = Record<string, unknown>;

/** Explains the notes, in the introduction. */
export const whatIsAssumed =
  'A note such as *Assumed: D36.* marks what the interface does not define. *Decided: D36.* names the decisions about ' +
  'its details. Each number links to its decision. Another deployment may have decided differently.';

/** The data for an element's note. */
interface Assumption {
  readonly decisions: readonly string[];
  readonly sentence: string;
}

/** Adds the notes to the descriptions of a bundled contract, in place. */
export function noteDecisions(contract: Json): void {
  const assumptions = findAssumptions(contract);
  const { info: _, ...elements } = contract;
  visit(elements, (element) => {
    const assumed = assumptions.get(element);
    const decided = toDecisions(element['x-decision']).filter((one) => assumed?.decisions.includes(one) !== true);
    const sentences = [
      assumed?.sentence ?? '',
      ...(assumed === undefined ? [] : [`Assumed: ${assumed.decisions.join(', ')}.`]),
      ...(decided.length === 0 ? [] : [`Decided: ${decided.join(', ')}.`]),
    ];
    const text = sentences.filter((one) => one !== '').join(' ');
    if (text === '') return;
    const description = String(element['description'] ?? '').trimEnd();
    // An operation's description has room for a separate paragraph.
    element['description'] = `${description}${'operationId' in element ? '\n\n' : ' '}*${text}*`.trimStart();
  });
}

function findAssumptions(contract: Json): Map<Json, Assumption> {
  const found = new Map<Json, Assumption>();
  for (const item of Object.values((contract['paths'] ?? {}) as Json)) {
    for (const operation of Object.values(item as Json)) {
      if (!isObject(operation) || !('operationId' in operation)) continue;
      assume(found, operation, marksOf(operation)['self'], 'The interface does not define this operation.');
    }
  }
  const schemas = ((contract['components'] as Json | undefined)?.['schemas'] ?? {}) as Json;
  for (const schema of Object.values(schemas)) if (isObject(schema)) assumeSchema(found, schema);
  return found;
}

function assumeSchema(found: Map<Json, Assumption>, schema: Json): void {
  // A schema without a basis rests on its decision. A field without one inherits from its schema.
  const said = marksOf(schema)['self'] ?? schema['x-decision'];
  if (assume(found, schema, said)) return;
  for (const field of Object.values((schema['properties'] ?? {}) as Json)) {
    if (isObject(field)) assume(found, field, marksOf(field)['self']);
  }
  // A part of `allOf` inherits from the schema.
  for (const part of listOf(schema['allOf'])) {
    if (isObject(part) && marksOf(part)['self'] !== undefined) assumeSchema(found, part);
  }
}

/** Notes which decisions an element rests on. @returns whether it is assumed */
function assume(found: Map<Json, Assumption>, element: Json, basis: unknown, sentence = ''): boolean {
  const decisions = toDecisions(basis);
  if (decisions.length === 0) return false;
  found.set(element, { decisions, sentence });
  return true;
}

function toDecisions(said: unknown): readonly string[] {
  const basis = toBasis(said);
  return basis === undefined || basis === 'given' ? [] : basis;
}

/** Keys with values. Nothing inside them describes the contract. */
const values: ReadonlySet<string> = new Set(['example', 'examples', 'value', 'default', 'const', 'enum']);

/** Visits every element of a contract, outermost first, but none of its values. */
export function visit(element: unknown, work: (element: Json) => void): void {
  for (const one of Array.isArray(element) ? element : [element]) {
    if (!isObject(one)) continue;
    work(one);
    for (const [key, inside] of Object.entries(one)) if (!values.has(key)) visit(inside, work);
  }
}
