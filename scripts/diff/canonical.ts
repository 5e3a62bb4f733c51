/**
 * Rewrites a contract into one spelling where several mean the same, so that an equivalent rewrite isn't a change.
 * `redocly diff` rates some of these rewrites as breaking, and others as unspecific changes.
 */
import { httpMethods } from '../lib/contract.ts';
import { type Resolve, schemaRewrites } from './canonicalSchema.ts';
import { isRecord, type Json, valueAt, without } from './json.ts';

type Kind = 'schema' | 'schemas' | 'data' | 'other';

const schemaMaps = new Set(['properties', 'patternProperties', 'dependentSchemas', '$defs']);
const schemaKeywords = new Set([
  ...['allOf', 'anyOf', 'oneOf', 'prefixItems', 'items', 'contains', 'not', 'if', 'then', 'else'],
  ...['additionalProperties', 'propertyNames', 'unevaluatedItems', 'unevaluatedProperties', 'contentSchema'],
]);
const scalars = new Set(['string', 'number', 'integer', 'boolean', 'null']);
const falseByDefault = new Set(['required', 'deprecated', 'allowEmptyValue', 'allowReserved']);

/** Rewrites of everything that isn't a schema: operations, parameters, headers, bodies. */
const nodeRewrites = {
  absentIsFalse: (node) => without(node, (key, value) => value === false && falseByDefault.has(key)),
  usualStyle: (parameter, resolve) => {
    if (!isRecord(parameter['schema'])) return parameter;
    const usual = parameter['in'] === 'query' || parameter['in'] === 'cookie' ? 'form' : 'simple';
    const { type } = resolve(parameter['schema']) as Json;
    // `explode` has no effect on a scalar.
    const isScalar = type !== undefined && [type].flat().every((one) => scalars.has(String(one)));
    const isUsual = isScalar || parameter['explode'] === ((parameter['style'] ?? usual) === 'form');
    return without(parameter, (key, value) => (key === 'style' && value === usual) || (key === 'explode' && isUsual));
  },
} satisfies Readonly<Record<string, (node: Json, resolve: Resolve) => Json>>;

/** Rewrites of the whole document: what operations share is copied into each of them. */
const documentRewrites = {
  sharedParameters: (document, resolve) =>
    mapPaths(document, ({ parameters: shared, ...item }) =>
      Array.isArray(shared) ? mapOperations(item, (operation) => withShared(operation, shared, resolve)) : { ...item },
    ),
  sharedSecurity: ({ security, ...document }) =>
    security === undefined
      ? document
      : mapPaths(document, (item) => mapOperations(item, (operation) => ({ security, ...operation }))),
  sameServers: (document) => {
    const dropSame = (node: Json, above: unknown) =>
      without(node, (key, value) => key === 'servers' && JSON.stringify(value) === JSON.stringify(above));
    return mapPaths(document, (item) => {
      const above = item['servers'] ?? document['servers'];
      return dropSame(
        mapOperations(item, (operation) => dropSame(operation, above)),
        document['servers'],
      );
    });
  },
} satisfies Readonly<Record<string, (document: Json, resolve: Resolve) => Json>>;

/** The names of all rewrites. For each, the tests have an edit that needs it. */
export const rewrites: readonly string[] = [schemaRewrites, nodeRewrites, documentRewrites].flatMap(Object.keys);

/** The contract in the one spelling. Examples and extensions stay as they are. */
export function canonical<T>(contract: T): T {
  const resolve: Resolve = (node) =>
    isRecord(node) && typeof node['$ref'] === 'string' ? valueAt(contract, node['$ref']) : node;
  const document = rewrite(contract, 'other', resolve) as Json;
  return apply(documentRewrites, document, resolve) as T;
}

/**
 * Where something in the rewritten contract is in the original. What operations share is there on the level above.
 *
 * @param pointer a JSON Pointer into `canonical(contract)`
 */
export function writtenPlace(contract: unknown, pointer: string): string {
  if (valueAt(contract, pointer) !== undefined) return pointer;
  const [, path, kind] = /^(\/paths\/[^/]+)\/[^/]+\/(parameters|security)(?:\/|$)/.exec(pointer) ?? [];
  const above = kind === 'security' ? '/security' : `${path}/parameters`;
  return kind !== undefined && valueAt(contract, above) !== undefined ? above : pointer;
}

function rewrite(node: unknown, kind: Kind, resolve: Resolve): unknown {
  if (kind === 'data') return node;
  if (Array.isArray(node)) return node.map((item) => rewrite(item, kind, resolve));
  if (!isRecord(node)) return node;
  const inner = Object.entries(node).map(([key, value]) => [key, rewrite(value, kindBelow(kind, key), resolve)]);
  const rebuilt: Json = Object.fromEntries(inner);
  if (kind === 'schemas') return rebuilt;
  return apply(kind === 'schema' ? schemaRewrites : nodeRewrites, rebuilt, resolve);
}

function apply(rewritten: Record<string, (node: Json, resolve: Resolve) => Json>, node: Json, resolve: Resolve): Json {
  return Object.values(rewritten).reduce((one, rewriteOne) => rewriteOne(one, resolve), node);
}

function kindBelow(kind: Kind, key: string): Kind {
  if (kind === 'schemas') return 'schema';
  if (kind === 'schema') return schemaMaps.has(key) ? 'schemas' : schemaKeywords.has(key) ? 'schema' : 'data';
  if (key === 'example' || key === 'examples' || key.startsWith('x-')) return 'data';
  return key === 'schema' ? 'schema' : key === 'schemas' ? 'schemas' : 'other';
}

/** The operation with its own parameters, then those of its path that it doesn't override. */
function withShared(operation: Json, shared: readonly unknown[], resolve: Resolve): Json {
  const keyOf = (parameter: unknown): string => {
    const { in: place, name } = resolve(parameter) as Json;
    return `${place} ${name}`;
  };
  const own = Array.isArray(operation['parameters']) ? operation['parameters'] : [];
  const taken = new Set(own.map(keyOf));
  return { ...operation, parameters: [...own, ...shared.filter((one) => !taken.has(keyOf(one)))] };
}

function mapPaths(document: Json, map: (item: Json) => Json): Json {
  const paths = Object.entries((document['paths'] ?? {}) as Json);
  return {
    ...document,
    paths: Object.fromEntries(paths.map(([path, item]) => [path, isRecord(item) ? map(item) : item])),
  };
}

function mapOperations(item: Json, map: (operation: Json) => Json): Json {
  const isOperation = (key: string, value: unknown): value is Json =>
    (httpMethods as readonly string[]).includes(key) && isRecord(value);
  const entries = Object.entries(item).map(([key, value]) => [key, isOperation(key, value) ? map(value) : value]);
  return Object.fromEntries(entries);
}
