/** Rewrites a schema into one spelling; `canonical.ts` rewrites the rest of the document. */
import { isDeepStrictEqual } from 'node:util';
import { isRecord, type Json, without } from './json.ts';

/** Resolves a reference of the document. Anything else is returned unchanged. */
export type Resolve = (node: unknown) => unknown;

const annotations = new Set(['title', 'description', 'deprecated', 'readOnly', 'writeOnly']);
const falseByDefault = new Set(['deprecated', 'readOnly', 'writeOnly', 'uniqueItems']);
const zeroByDefault = new Set(['minLength', 'minItems', 'minProperties']);

/**
 * Each rewrite by its name: returns the schema in the one spelling. The tests use the names; each has an edit that
 * needs it.
 */
export const schemaRewrites = {
  constIsEnum: (schema) => {
    const { const: value, ...rest } = schema;
    if (value === undefined) return schema;
    const { enum: values = [value] } = rest;
    return isDeepStrictEqual(values, [value]) ? { ...rest, enum: values } : schema;
  },
  valuesHaveTypes: (schema) => {
    const { type, enum: values } = schema;
    if (type !== undefined || !Array.isArray(values)) return schema;
    const types = [...new Set(values.map(typeOf))];
    return types.includes(undefined) ? schema : { ...schema, type: types };
  },
  nullIsType: (schema, resolve) => {
    for (const union of ['anyOf', 'oneOf']) {
      const { [union]: members, ...rest } = schema;
      if (!Array.isArray(members) || members.length !== 2 || !isBare(rest)) continue;
      const other = members.find((member) => !isNull(member));
      if (other === undefined || !members.some(isNull)) continue;
      return { ...nullable(resolve(other) as Json), ...rest };
    }
    return schema;
  },
  enumIsSet: (schema) => (Array.isArray(schema['enum']) ? { ...schema, enum: sorted(schema['enum']) } : schema),
  requiredIsSet: (schema) =>
    Array.isArray(schema['required']) ? { ...schema, required: sorted(schema['required']) } : schema,
  typeIsSet: (schema) => {
    const { type } = schema;
    if (!Array.isArray(type)) return schema;
    return { ...schema, type: type.length === 1 ? type[0] : sorted(type) };
  },
  openIsOpen: (schema) => without(schema, (key, value) => key === 'additionalProperties' && value === true),
  noBound: (schema) =>
    without(
      schema,
      (key, value) =>
        (value === false && falseByDefault.has(key)) ||
        (value === 0 && zeroByDefault.has(key)) ||
        (key === 'required' && Array.isArray(value) && value.length === 0),
    ),
  wrappedRef: (schema) => {
    const { allOf, ...rest } = schema;
    const [only, more] = Array.isArray(allOf) ? allOf : [];
    const isWrapped = isRecord(only) && typeof only['$ref'] === 'string' && more === undefined;
    return isWrapped && isBare(rest) ? { ...only, ...rest } : schema;
  },
} satisfies Readonly<Record<string, (schema: Json, resolve: Resolve) => Json>>;

function isBare(schema: Json): boolean {
  return Object.keys(schema).every((key) => annotations.has(key) || key.startsWith('x-'));
}

function isNull(schema: unknown): boolean {
  return isRecord(schema) && [schema['type']].flat().join() === 'null';
}

/** A schema that also allows null. */
function nullable(schema: Json): Json {
  const { type, enum: values, const: value, oneOf } = schema;
  const listed = value === undefined ? values : [value];
  return {
    ...without(schema, (key) => key === 'const'),
    ...(type !== undefined && { type: [...new Set([type, 'null'].flat())] }),
    ...(Array.isArray(listed) && { enum: [...new Set([...listed, null])] }),
    ...(Array.isArray(oneOf) && { oneOf: [...oneOf, { type: 'null' }] }),
  };
}

/** The type of a value that isn't an object or list. */
function typeOf(value: unknown): string | undefined {
  if (value === null) return 'null';
  if (Number.isInteger(value)) return 'integer';
  return ['string', 'number', 'boolean'].find((type) => type === typeof value);
}

function sorted(values: readonly unknown[]): unknown[] {
  return values.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}
