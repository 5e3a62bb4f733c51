import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import type { ErrorCode, Operation } from '../generated/operations.ts';
import { addContractFormats } from './formats.ts';
import { pointerSegment } from './pointer.ts';
import { addUniqueItems } from './uniqueItems.ts';

type Json = Record<string, unknown>;

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  /** Of a list, the type of its items. */
  readonly type: 'string' | 'integer' | 'boolean';
  /** May be given several times. */
  readonly isList: boolean;
  /** Of a path parameter, the 404 code for an id that names nothing. */
  readonly notFound?: ErrorCode | undefined;
}

/** A header that a reply may or has to carry. */
export type HeaderFacts = Pick<Parameter, 'name' | 'required' | 'type'>;

export interface Example {
  readonly name: string;
  readonly value: unknown;
}

export type Faults = readonly ErrorObject[];

/**
 * The bundled contract at run time. Validators are compiled when first used and kept: compiling them all would take
 * seconds at start, and most runs use a few.
 */
export interface Contract {
  parameters(operation: Operation, place: Parameter['in']): readonly Parameter[];
  /** Faults of decoded parameters; fills in defaults. */
  checkParameters(operation: Operation, place: Parameter['in'], values: Json): Faults;
  checkRequest(operation: Operation, body: unknown): Faults;
  /** Faults of a reply's body, or null when the operation declares no such status. `undefined` stands for no content. */
  checkResponse(operation: Operation, status: number, body: unknown): Faults | null;
  /** Whether a declared status comes with a body. Null for an undeclared status. */
  hasContent(operation: Operation, status: number): boolean | null;
  /** The headers that are declared with a status; none for an undeclared one. */
  responseHeaders(operation: Operation, status: number): readonly HeaderFacts[];
  /** Faults of the decoded headers that are declared with a status. */
  checkResponseHeaders(operation: Operation, status: number, values: Json): Faults;
  /** Faults of an error that belongs to the transport (`x-transport-responses`), or null when it has no such status. */
  checkTransportResponse(status: number, body: unknown): Faults | null;
  /** Faults by one schema alone, which a fault's `parentSchema` refers to as `#/components/schemas/…`. */
  checkSchema(ref: string, value: unknown): Faults;
  /** The named examples of a response, in order; empty for one without content. Null for an undeclared status. */
  examples(operation: Operation, status: number): readonly Example[] | null;
  /** The headers that go with a declared status, each with its first named example. */
  exampleHeaders(operation: Operation, status: number): Readonly<Record<string, string>>;
}

/** A declared response: its object, its media type if it has content, and where it and its schema stand. */
interface Content {
  readonly response: Json;
  readonly media: Json | undefined;
  readonly at: string;
  readonly ref: string;
}

/**
 * Reads the bundled contract.
 * @param document is taken over, and changed: give a copy of one that somebody else reads too.
 */
export function readContract(document: Json): Contract {
  stripMappings(document);
  const ajv = newAjv();
  ajv.addSchema(document, 'contract');

  const resolve = (node: unknown): Json => {
    const ref = (node as Json | undefined)?.['$ref'];
    return typeof ref === 'string' ? resolve(pointTo(document, ref)) : ((node ?? {}) as Json);
  };
  const operationAt = (operation: Operation): { node: Json; pointer: string } => {
    const key = operation.method.toLowerCase();
    const path = (document['paths'] as Json)[operation.path] as Json;
    return { node: path[key] as Json, pointer: `#/paths/${encodeURIComponent(pointerSegment(operation.path))}/${key}` };
  };
  const compiled = new Map<string, ValidateFunction | null>();
  const compileOnce = (key: string, make: () => ValidateFunction | null): ValidateFunction | null => {
    let found = compiled.get(key);
    if (found === undefined) {
      found = make();
      compiled.set(key, found);
    }
    return found;
  };
  const listParameters = (operation: Operation, place: Parameter['in']): { parameter: Parameter; ref: string }[] => {
    const { node, pointer } = operationAt(operation);
    return ((node['parameters'] ?? []) as unknown[]).flatMap((entry, index) => {
      const resolved = resolve(entry);
      if (resolved['in'] !== place) return [];
      const ref = (entry as Json)['$ref'];
      const at = typeof ref === 'string' ? ref : `${pointer}/parameters/${index}`;
      const schema = resolve(resolved['schema']);
      const isList = schema['type'] === 'array';
      const type = (isList ? resolve(schema['items']) : schema)['type'] as Parameter['type'];
      const parameter = {
        name: String(resolved['name']),
        in: place,
        required: resolved['required'] === true,
        type,
        isList,
        notFound: resolved['x-not-found'] as ErrorCode | undefined,
      };
      return [{ parameter, ref: `contract${at}/schema` }];
    });
  };
  const contents = new Map<string, Content | null>();
  const content = (operation: Operation, status: number): Content | null => {
    const key = `${operation.id} ${status}`;
    let found = contents.get(key);
    if (found === undefined) {
      found = findContent(operation, status);
      contents.set(key, found);
    }
    return found;
  };
  const findContent = (operation: Operation, status: number): Content | null => {
    const { node, pointer } = operationAt(operation);
    const entry = (node['responses'] as Json)[String(status)];
    if (entry === undefined) return null;
    const response = resolve(entry);
    const ref = (entry as Json)['$ref'];
    const at = `contract${typeof ref === 'string' ? ref : `${pointer}/responses/${status}`}`;
    const media = (response['content'] as Json | undefined)?.['application/json'] as Json | undefined;
    return { response, media, at, ref: `${at}/content/application~1json/schema` };
  };

  const listHeaders = (operation: Operation, status: number): { facts: HeaderFacts; ref: string }[] => {
    const found = content(operation, status);
    return Object.entries((found?.response['headers'] ?? {}) as Json).map(([name, entry]) => {
      const header = resolve(entry);
      const own = (entry as Json)['$ref'];
      const at = typeof own === 'string' ? `contract${own}` : `${found?.at}/headers/${pointerSegment(name)}`;
      const type = resolve(header['schema'])['type'] as Parameter['type'];
      return { facts: { name, required: header['required'] === true, type }, ref: `${at}/schema` };
    });
  };

  const namedExamples = (holder: Json | undefined): Example[] =>
    Object.entries((holder?.['examples'] ?? {}) as Json).map(([name, example]) => ({
      name,
      value: resolve(example)['value'],
    }));

  const parameterLists = new Map<string, readonly Parameter[]>();
  const defaults = new Map<string, { names: readonly string[]; values: Json }>();
  const defaultsOf = (operation: Operation, place: Parameter['in']) => {
    const key = `${operation.id} ${place}`;
    let found = defaults.get(key);
    if (found === undefined) {
      const values = Object.fromEntries(
        listParameters(operation, place).flatMap(({ parameter, ref }) => {
          const schema = pointTo(document, ref.slice('contract'.length)) as Json;
          return 'default' in schema ? [[parameter.name, schema['default']]] : [];
        }),
      );
      found = { names: Object.keys(values), values };
      defaults.set(key, found);
    }
    return found;
  };
  return {
    parameters(operation, place) {
      const key = `${operation.id} ${place}`;
      let found = parameterLists.get(key);
      if (found === undefined) {
        found = listParameters(operation, place).map(({ parameter }) => parameter);
        parameterLists.set(key, found);
      }
      return found;
    },
    checkParameters(operation, place, given) {
      const { names, values } = defaultsOf(operation, place);
      for (const name of names) given[name] ??= values[name];
      const validate = compileOnce(`${operation.id} ${place}`, () => {
        const listed = listParameters(operation, place);
        return ajv.compile({
          type: 'object',
          properties: Object.fromEntries(listed.map(({ parameter, ref }) => [parameter.name, { $ref: ref }])),
          required: listed.filter(({ parameter }) => parameter.required).map(({ parameter }) => parameter.name),
          additionalProperties: place === 'header',
        });
      });
      return validate === null || validate(given) ? [] : (validate.errors ?? []);
    },
    checkRequest(operation, given) {
      const validate = compileOnce(`${operation.id} body`, () => {
        const { node, pointer } = operationAt(operation);
        const ref = (node['requestBody'] as Json)['$ref'];
        const at = typeof ref === 'string' ? ref : `${pointer}/requestBody`;
        return ajv.compile({ $ref: `contract${at}/content/application~1json/schema` });
      });
      return validate === null || validate(given) ? [] : (validate.errors ?? []);
    },
    checkResponse(operation, status, given) {
      const key = `${operation.id} ${status}`;
      let validate = compiled.get(key);
      if (validate === undefined) {
        const found = content(operation, status);
        if (found === null) return null;
        validate = compileOnce(key, () => (found.media === undefined ? null : ajv.compile({ $ref: found.ref })));
      }
      if (validate === null) return given === undefined ? [] : [unexpectedContent];
      return validate(given) ? [] : (validate.errors ?? []);
    },
    hasContent(operation, status) {
      const found = content(operation, status);
      return found === null ? null : found.media !== undefined;
    },
    responseHeaders(operation, status) {
      return listHeaders(operation, status).map(({ facts }) => facts);
    },
    checkResponseHeaders(operation, status, given) {
      const validate = compileOnce(`${operation.id} ${status} headers`, () => {
        const listed = listHeaders(operation, status);
        if (listed.length === 0) return null;
        return ajv.compile({
          type: 'object',
          properties: Object.fromEntries(listed.map(({ facts, ref }) => [facts.name, { $ref: ref }])),
          required: listed.filter(({ facts }) => facts.required).map(({ facts }) => facts.name),
        });
      });
      return validate === null || validate(given) ? [] : (validate.errors ?? []);
    },
    checkTransportResponse(status, given) {
      const declared = (document['x-transport-responses'] as Json | undefined)?.[status] as Json | undefined;
      if (declared === undefined) return null;
      const narrowed = { properties: { status: { const: status }, code: { enum: declared['codes'] } } };
      const validate = compileOnce(`transport ${status}`, () =>
        ajv.compile({ allOf: [{ $ref: 'contract#/components/schemas/ApiError' }, narrowed] }),
      );
      return validate === null || validate(given) ? [] : (validate.errors ?? []);
    },
    checkSchema(ref, given) {
      const validate = compileOnce(ref, () => ajv.compile({ $ref: `contract${ref}` }));
      return validate === null || validate(given) ? [] : (validate.errors ?? []);
    },
    examples(operation, status) {
      const found = content(operation, status);
      if (found === null) return null;
      return namedExamples(found.media);
    },
    exampleHeaders(operation, status) {
      const headers = (content(operation, status)?.response['headers'] ?? {}) as Json;
      return Object.fromEntries(
        Object.entries(headers).flatMap(([name, header]) =>
          namedExamples(resolve(header))
            .slice(0, 1)
            .map(({ value }) => [name, String(value)]),
        ),
      );
    },
  };
}

const unexpectedContent: ErrorObject = {
  keyword: 'content',
  instancePath: '',
  schemaPath: '',
  params: {},
  message: 'must have no content',
};

function newAjv(): Ajv2020 {
  // `strict` is off because a contract carries keywords that are not JSON Schema's. That its schemas are schemas is for
  // the lint to say: looking here would take a fifth of the time to start.
  const looks = { strict: false, meta: false, validateSchema: false };
  const ajv = new Ajv2020({ allErrors: true, verbose: true, discriminator: true, ...looks });
  addContractFormats(ajv);
  addUniqueItems(ajv);
  return ajv;
}

/** Ajv refuses a discriminator with a mapping; the tags inside the members say the same. Its keys serve our messages. */
function stripMappings(node: unknown): void {
  if (typeof node !== 'object' || node === null) return;
  for (const [key, value] of Object.entries(node)) {
    if (key === 'discriminator' && typeof value === 'object') {
      const { propertyName, mapping } = value as { propertyName: string; mapping?: Json };
      (node as Json)[key] = { propertyName, tags: Object.keys(mapping ?? {}) };
    } else {
      stripMappings(value);
    }
  }
}

/** Follows a reference inside the document: a JSON pointer as the fragment of an address (RFC 6901 6). */
function pointTo(document: Json, ref: string): unknown {
  const segments = ref
    .slice(2)
    .split('/')
    .map((part) => decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~'));
  return segments.reduce<unknown>((node, part) => (node as Json | undefined)?.[part], document);
}
