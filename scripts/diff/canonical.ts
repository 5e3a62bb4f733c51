/**
 * One spelling for what can be said in several ways, so that an equivalent rewrite is no change. `redocly diff` rates
 * some of these rewrites as breaking and others as a change of nothing in particular.
 */
import { isRecord, type Json } from './json.ts';

type Kind = 'schema' | 'schemas' | 'data' | 'other';

const schemaMaps = new Set(['properties', 'patternProperties', 'dependentSchemas', '$defs']);
const schemaKeywords = new Set([
  ...['allOf', 'anyOf', 'oneOf', 'prefixItems', 'items', 'contains', 'not', 'if', 'then', 'else'],
  ...['additionalProperties', 'propertyNames', 'unevaluatedItems', 'unevaluatedProperties', 'contentSchema'],
]);
const annotations = new Set(['title', 'description', 'deprecated', 'readOnly', 'writeOnly']);

/** Each rewrite by its name: the schema in the one spelling. The tests name them; each has an edit that needs it. */
export const rewrites = {
  constIsEnum: (schema) => {
    const { const: value, ...rest } = schema;
    return value === undefined || 'enum' in schema ? schema : { ...rest, enum: [value] };
  },
  enumIsSet: (schema) => (Array.isArray(schema['enum']) ? { ...schema, enum: sorted(schema['enum']) } : schema),
  requiredIsSet: (schema) =>
    Array.isArray(schema['required']) ? { ...schema, required: sorted(schema['required']) } : schema,
  typeIsSet: (schema) => {
    const { type } = schema;
    if (!Array.isArray(type)) return schema;
    return { ...schema, type: type.length === 1 ? type[0] : sorted(type) };
  },
  openIsOpen: (schema) => {
    const { additionalProperties, ...rest } = schema;
    return additionalProperties === true ? rest : schema;
  },
  wrappedRef: (schema) => {
    const { allOf, ...rest } = schema;
    const [only, more] = Array.isArray(allOf) ? allOf : [];
    const isWrapped = isRecord(only) && typeof only['$ref'] === 'string' && more === undefined;
    const isBare = Object.keys(rest).every((key) => annotations.has(key) || key.startsWith('x-'));
    return isWrapped && isBare ? { ...only, ...rest } : schema;
  },
} satisfies Readonly<Record<string, (schema: Json) => Json>>;

/** The contract with every schema in its one spelling; what is not a schema, examples above all, stays as it is. */
export function canonical<T>(contract: T): T {
  return rewrite(contract, 'other') as T;
}

function rewrite(node: unknown, kind: Kind): unknown {
  if (kind === 'data') return node;
  if (Array.isArray(node)) return node.map((item) => rewrite(item, kind));
  if (!isRecord(node)) return node;
  const inner = Object.entries(node).map(([key, value]) => [key, rewrite(value, kindBelow(kind, key))]);
  const rebuilt: Json = Object.fromEntries(inner);
  if (kind !== 'schema') return rebuilt;
  return Object.values(rewrites).reduce<Json>((schema, one) => one(schema), rebuilt);
}

function kindBelow(kind: Kind, key: string): Kind {
  if (kind === 'schemas') return 'schema';
  if (kind === 'schema') return schemaMaps.has(key) ? 'schemas' : schemaKeywords.has(key) ? 'schema' : 'data';
  if (key === 'example' || key === 'examples' || key.startsWith('x-')) return 'data';
  return key === 'schema' ? 'schema' : key === 'schemas' ? 'schemas' : 'other';
}

function sorted(values: readonly unknown[]): unknown[] {
  return values.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}
