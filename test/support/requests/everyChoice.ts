/** Generates values that use every part of a schema. */
import { anyValue, resolved, type SchemaNode } from './arbitrary.ts';
import type { Json } from './targets.ts';

/**
 * Values with every property of the schema. Together they use each enum value and each member of each union at least
 * once.
 */
export function everyChoice(schema: SchemaNode): Json[] {
  const node = resolved(schema);
  if (node.const !== undefined) return [node.const];
  if (node.enum !== undefined) return [...node.enum];
  if (node.oneOf !== undefined) return node.oneOf.flatMap(everyChoice);
  if (node.type === 'array') return lists(node);
  if (node.type !== 'object' || node.properties === undefined) return [anyValue(node)];
  const { properties, required = [], maxProperties = Number.POSITIVE_INFINITY } = node;
  const optional = Object.keys(properties).filter((name) => !required.includes(name));
  if (required.length + optional.length > maxProperties) {
    return optional.flatMap((name) => objects(pick(properties, [...required, name])));
  }
  return objects(properties);
}

function objects(properties: NonNullable<SchemaNode['properties']>): Json[] {
  const fields = Object.entries(properties).map(([name, one]) => [name, everyChoice(one)] as const);
  const count = Math.max(1, ...fields.map(([, choices]) => choices.length));
  return Array.from({ length: count }, (_, index) =>
    Object.fromEntries(fields.map(([name, choices]) => [name, choices[index % choices.length] as Json])),
  );
}

function lists({ items = {}, minItems = 0, maxItems = Number.POSITIVE_INFINITY }: SchemaNode): Json[] {
  const choices = everyChoice(items);
  if (choices.length < minItems) throw new Error("everyChoice doesn't make lists of that length: extend it");
  const size = Math.min(maxItems, choices.length);
  return Array.from({ length: Math.ceil(choices.length / size) }, (_, index) =>
    choices.slice(index * size, (index + 1) * size),
  );
}

function pick(properties: NonNullable<SchemaNode['properties']>, names: readonly string[]) {
  return Object.fromEntries(Object.entries(properties).filter(([name]) => names.includes(name)));
}
