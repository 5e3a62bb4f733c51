/** Walks the bundled document: from an operation to its declarations, through every reference. */
import type { ErrorCode } from '../generated/operations.ts';
import { pointerSegment, pointTo } from './pointer.ts';

export type Json = Record<string, unknown>;

/** Locates an operation in its document, of the interface or of the control surface. */
export interface OperationPlace {
  readonly id: string;
  readonly method: string;
  readonly path: string;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  /** Item type if the parameter is a list. */
  readonly type: 'string' | 'integer' | 'boolean';
  /** Whether it may be given several times. */
  readonly isList: boolean;
  /** For a path parameter: the 404 code if the id doesn't exist. */
  readonly notFound?: ErrorCode | undefined;
}

/** A header of a reply. */
export type HeaderFacts = Pick<Parameter, 'name' | 'required' | 'type'>;

/** A parameter or header, and the fragment that identifies its schema. */
interface Declared<Facts> {
  readonly facts: Facts;
  readonly schemaAt: string;
}

export interface Example {
  readonly name: string;
  readonly value: unknown;
}

/** A node of the document, and the fragment that identifies it. */
interface Place {
  readonly node: Json;
  readonly at: string;
}

/** Follows a node's references. */
export function resolve(document: unknown, node: unknown): Json {
  return follow(document, { node: (node ?? {}) as Json, at: '' }).node;
}

function follow(document: unknown, place: Place): Place {
  const { $ref } = place.node;
  if (typeof $ref !== 'string') return place;
  return follow(document, { node: (pointTo(document, $ref) ?? {}) as Json, at: $ref });
}

/** The place that the keys lead to from another place, after references. */
function below(document: unknown, { node, at }: Place, ...keys: readonly string[]): Place {
  const child = keys.reduce<unknown>((parent, key) => (parent as Json | undefined)?.[key], node);
  const path = keys.map((key) => `/${encodeURIComponent(pointerSegment(key))}`).join('');
  return follow(document, { node: (child ?? {}) as Json, at: at + path });
}

function placeOf(document: Json, { path, method }: OperationPlace): Place {
  return below(document, { node: document, at: '#' }, 'paths', path, method.toLowerCase());
}

/** The parameters of an operation in one place, in the order of the document. */
export function listParameters(
  document: Json,
  operation: OperationPlace,
  where: Parameter['in'],
): Declared<Parameter>[] {
  const place = placeOf(document, operation);
  return ((place.node['parameters'] ?? []) as unknown[]).flatMap((_entry, index) => {
    const { node, at } = below(document, place, 'parameters', String(index));
    if (node['in'] !== where) return [];
    const schema = resolve(document, node['schema']);
    const isList = schema['type'] === 'array';
    const type = (isList ? resolve(document, schema['items']) : schema)['type'] as Parameter['type'];
    const notFound = node['x-not-found'] as ErrorCode | undefined;
    const facts = { ...nameAndNeed(node), in: where, type, isList, notFound };
    return [{ facts, schemaAt: `${at}/schema` }];
  });
}

function nameAndNeed(node: Json): { name: string; required: boolean } {
  return { name: String(node['name']), required: node['required'] === true };
}

/** The default values of absent parameters. */
export function defaultsOf(document: Json, operation: OperationPlace, where: Parameter['in']): Json {
  return Object.fromEntries(
    listParameters(document, operation, where).flatMap(({ facts, schemaAt }) => {
      const schema = pointTo(document, schemaAt) as Json;
      return 'default' in schema ? [[facts.name, schema['default']]] : [];
    }),
  );
}

/** The fragment that identifies the schema of an operation's body. */
export function bodySchemaAt(document: Json, operation: OperationPlace): string {
  return `${below(document, placeOf(document, operation), 'requestBody').at}/content/application~1json/schema`;
}

/** The named examples of an operation's body, in order. */
export function requestExamples(document: Json, operation: OperationPlace): Example[] {
  const body = below(document, placeOf(document, operation), 'requestBody').node;
  return namedExamples(document, (body['content'] as Json | undefined)?.['application/json'] as Json | undefined);
}

/** The first named example of each parameter of an operation, by the parameter's name. */
export function parameterExamples(document: Json, operation: OperationPlace): Record<string, unknown> {
  const parameters = (placeOf(document, operation).node['parameters'] ?? []) as unknown[];
  return Object.fromEntries(
    parameters.flatMap((one) => {
      const parameter = resolve(document, one);
      const [first] = namedExamples(document, parameter);
      return first === undefined ? [] : [[String(parameter['name']), first.value]];
    }),
  );
}

/** The declaration of a status. */
export interface DeclaredResponse {
  /** The fragment that identifies the schema of its body; undefined if it has no content. */
  readonly schemaAt: string | undefined;
  readonly headers: readonly Declared<HeaderFacts>[];
  readonly examples: readonly Example[];
  /** The first named example of each header that has one. */
  readonly exampleHeaders: Readonly<Record<string, string>>;
}

/** What an operation declares for a status. @returns null if it doesn't declare the status */
export function readResponse(document: Json, operation: OperationPlace, status: number): DeclaredResponse | null {
  const place = placeOf(document, operation);
  const key = String(status);
  if (!Object.hasOwn(place.node['responses'] as Json, key)) return null;
  const response = below(document, place, 'responses', key);
  const media = (response.node['content'] as Json | undefined)?.['application/json'] as Json | undefined;
  const names = Object.keys((response.node['headers'] ?? {}) as Json);
  const headers = names.map((name) => ({ name, ...below(document, response, 'headers', name) }));
  return {
    schemaAt: media === undefined ? undefined : `${response.at}/content/application~1json/schema`,
    headers: headers.map(({ name, node, at }) => {
      const type = resolve(document, node['schema'])['type'] as Parameter['type'];
      return { facts: { ...nameAndNeed(node), name, type }, schemaAt: `${at}/schema` };
    }),
    examples: namedExamples(document, media),
    exampleHeaders: Object.fromEntries(
      headers.flatMap(({ name, node }) =>
        namedExamples(document, node)
          .slice(0, 1)
          .map(({ value }) => [name, String(value)]),
      ),
    ),
  };
}

function namedExamples(document: Json, holder: Json | undefined): Example[] {
  return Object.entries((holder?.['examples'] ?? {}) as Json).map(([name, example]) => ({
    name,
    value: resolve(document, example)['value'],
  }));
}
