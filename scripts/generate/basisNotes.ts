/**
 * The small print of the reference: what of the contract is assumed. A note stands where something is assumed, and not again
 * on what is inside it.
 */
import { isObject, marksOf, toBasis } from '../../contract/basis/marks.ts';

type Json = Record<string, unknown>;

/** What the notes mean, for the introduction. */
export const whatIsAssumed =
  'A note such as *Assumed: D36.* marks what the interface does not give. The number is that of a decision in ' +
  '`openapi/DECISIONS.md`; another deployment may have decided it differently.';

/** Adds the notes to the descriptions of a bundled contract, in place. */
export function noteAssumptions(contract: Json): void {
  for (const item of Object.values((contract['paths'] ?? {}) as Json)) {
    for (const operation of Object.values(item as Json)) {
      if (!isObject(operation) || !('operationId' in operation)) continue;
      note(operation, marksOf(operation)['self'], 'The interface does not name this operation.');
    }
  }
  const schemas = ((contract['components'] as Json | undefined)?.['schemas'] ?? {}) as Json;
  for (const schema of Object.values(schemas)) if (isObject(schema)) noteSchema(schema);
}

function noteSchema(schema: Json): void {
  // A schema that doesn't say it rests on its decision; a field inherits.
  const said = marksOf(schema)['self'] ?? schema['x-decision'];
  if (note(schema, said)) return;
  for (const field of Object.values((schema['properties'] ?? {}) as Json)) {
    if (isObject(field)) note(field, marksOf(field)['self']);
  }
  // What is inside a schema of one component inherits from it.
  for (const part of (schema['allOf'] ?? []) as unknown[]) {
    if (isObject(part) && marksOf(part)['self'] !== undefined) noteSchema(part);
  }
}

/** Says of an element which decisions it rests on. @returns whether it is assumed */
function note(element: Json, basis: unknown, sentence = ''): boolean {
  const decisions = toBasis(basis);
  if (decisions === undefined || decisions === 'given') return false;
  const text = [sentence, `Assumed: ${decisions.join(', ')}.`].filter((part) => part !== '').join(' ');
  const description = String(element['description'] ?? '').trimEnd();
  // Of an operation it is a paragraph of its own.
  element['description'] = `${description}${sentence === '' ? ' ' : '\n\n'}*${text}*`.trimStart();
  return true;
}
