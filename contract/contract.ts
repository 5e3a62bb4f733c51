import type { Ajv2020, ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import type { Basis } from './basis/marks.ts';
import { type BasisQuestion, createBasis, createListed, type ReplyPlace } from './basis/question.ts';
import {
  bodySchemaAt,
  type DeclaredResponse,
  defaultsOf,
  type Example,
  type HeaderFacts,
  type Json,
  listParameters,
  type OperationPlace,
  type Parameter,
  parameterExamples,
  readResponse,
  requestExamples,
} from './document.ts';
import { memoize } from './memoize.ts';
import { createValidator } from './validator.ts';

/** The errors of a validator. `explain` puts them into words. */
export type SchemaErrors = readonly ErrorObject[];

/**
 * The bundled contract at run time. Validators are compiled at first use and kept. Compiling all of them would take
 * seconds at start, and most runs use only a few.
 */
export interface Contract {
  parameters(operation: OperationPlace, place: Parameter['in']): readonly Parameter[];
  /** Checks decoded parameters and returns their errors. It also fills in defaults. */
  checkParameters(operation: OperationPlace, place: Parameter['in'], values: Json): SchemaErrors;
  checkRequest(operation: OperationPlace, body: unknown): SchemaErrors;
  /** Checks a reply's body. Null if the operation doesn't declare the status. `undefined` means no content. */
  checkResponse(operation: OperationPlace, status: number, body: unknown): SchemaErrors | null;
  /** Whether a declared status comes with a body. Null for an undeclared status. */
  hasContent(operation: OperationPlace, status: number): boolean | null;
  /** The headers declared for a status; none if the status isn't declared. */
  responseHeaders(operation: OperationPlace, status: number): readonly HeaderFacts[];
  /** Checks the decoded headers of a status. */
  checkResponseHeaders(operation: OperationPlace, status: number, values: Json): SchemaErrors;
  /** Checks an error of the transport (`x-transport-responses`). Null if the transport doesn't have the status. */
  checkTransportResponse(status: number, body: unknown): SchemaErrors | null;
  /** Checks against one schema. A fault's `parentSchema` names it as `#/components/schemas/…`. */
  checkSchema(ref: string, value: unknown): SchemaErrors;
  /** The basis of a fault: given by the interface, or the decisions that it breaks. */
  basisOf(question: BasisQuestion): Basis;
  /** Whether a place in a reply's body allows only listed values: an enum or a constant. */
  isListed(place: ReplyPlace): boolean;
  /** The named examples of a request's body, in order; none if it has no body. */
  requestExamples(operation: OperationPlace): readonly Example[];
  /** The first named example of each parameter, by the parameter's name. */
  parameterExamples(operation: OperationPlace): Readonly<Record<string, unknown>>;
  /** The named examples of a reply, in order; none if it has no content, or if the status isn't declared. */
  examples(operation: OperationPlace, status: number): readonly Example[];
  /** The headers of a declared status, each with its first named example. */
  exampleHeaders(operation: OperationPlace, status: number): Readonly<Record<string, string>>;
}

/**
 * Reads the bundled contract.
 * @param document is changed. Pass a copy if other code uses it.
 */
export function readContract(document: Json): Contract {
  stripMappings(document);
  // `strict` is off because a contract has keywords that JSON Schema doesn't. The lint checks that its schemas are
  // valid: checking here would take a fifth of the start time.
  const ajv = createValidator({ discriminator: true, strict: false, meta: false, validateSchema: false });
  ajv.addSchema(document, name);
  const declared = keepBy((operation, status: number) => readResponse(document, operation, status));
  const questions = { basisOf: createBasis(document), isListed: createListed(document) };
  return { ...readRequests(document, ajv), ...readResponses(document, ajv, declared), ...questions };
}

/** The document's name inside the validator. */
const name = 'contract';

type Requests = 'parameters' | 'checkParameters' | 'checkRequest' | 'requestExamples' | 'parameterExamples';

function readRequests(document: Json, ajv: Ajv2020): Pick<Contract, Requests> {
  const listed = keepBy((operation, place: Parameter['in']) => listParameters(document, operation, place));
  const parameters = keepBy((operation, place: Parameter['in']) => listed(operation, place).map(({ facts }) => facts));
  const defaults = keepBy((operation, place: Parameter['in']) =>
    Object.entries(defaultsOf(document, operation, place)),
  );
  const ofParameters = keepBy((operation, place: Parameter['in']) =>
    ajv.compile({ ...schemaOfAll(listed(operation, place)), additionalProperties: place === 'header' }),
  );
  const ofBody = keepBy((operation, _part: 'body') => ajv.compile({ $ref: name + bodySchemaAt(document, operation) }));
  return {
    parameters,
    checkParameters(operation, place, given) {
      for (const [parameter, value] of defaults(operation, place)) given[parameter] ??= value;
      return errorsBy(ofParameters(operation, place), given);
    },
    checkRequest: (operation, given) => errorsBy(ofBody(operation, 'body'), given),
    requestExamples: (operation) => requestExamples(document, operation),
    parameterExamples: (operation) => parameterExamples(document, operation),
  };
}

function readResponses(
  document: Json,
  ajv: Ajv2020,
  declared: (operation: OperationPlace, status: number) => DeclaredResponse | null,
): Omit<Contract, Requests | 'basisOf' | 'isListed'> {
  const ofBody = keepBy((operation, status: number) => {
    const at = declared(operation, status)?.schemaAt;
    return at === undefined ? null : ajv.compile({ $ref: name + at });
  });
  const ofHeaders = keepBy((operation, status: number) =>
    ajv.compile(schemaOfAll(declared(operation, status)?.headers ?? [])),
  );
  const ofTransport = memoize((status: number) => {
    const known = (document['x-transport-responses'] as Json | undefined)?.[status] as Json | undefined;
    if (known === undefined) return null;
    const narrowed = { properties: { status: { const: status }, code: { enum: known['codes'] } } };
    return ajv.compile({ allOf: [{ $ref: `${name}#/components/schemas/ApiError` }, narrowed] });
  });
  const ofSchema = memoize((ref: string) => ajv.compile({ $ref: name + ref }));
  return {
    checkResponse(operation, status, given) {
      const validate = ofBody(operation, status);
      if (validate !== null) return errorsBy(validate, given);
      if (declared(operation, status) === null) return null;
      return given === undefined ? [] : [unexpectedContent];
    },
    hasContent(operation, status) {
      const found = declared(operation, status);
      return found === null ? null : found.schemaAt !== undefined;
    },
    responseHeaders: (operation, status) => (declared(operation, status)?.headers ?? []).map(({ facts }) => facts),
    checkResponseHeaders: (operation, status, given) => errorsBy(ofHeaders(operation, status), given),
    checkTransportResponse(status, given) {
      const validate = ofTransport(status);
      return validate === null ? null : errorsBy(validate, given);
    },
    checkSchema: (ref, given) => errorsBy(ofSchema(ref), given),
    examples: (operation, status) => declared(operation, status)?.examples ?? [],
    exampleHeaders: (operation, status) => declared(operation, status)?.exampleHeaders ?? {},
  };
}

const unexpectedContent: ErrorObject = {
  keyword: 'content',
  instancePath: '',
  schemaPath: '',
  params: {},
  message: 'must have no content',
};

function errorsBy(validate: ValidateFunction, given: unknown): SchemaErrors {
  return validate(given) ? [] : (validate.errors ?? []);
}

/** Makes one object schema of all parameters or headers by name, so that one pass finds every fault. */
function schemaOfAll(declared: readonly { readonly facts: HeaderFacts; readonly schemaAt: string }[]) {
  return {
    type: 'object',
    properties: Object.fromEntries(declared.map(({ facts, schemaAt }) => [facts.name, { $ref: name + schemaAt }])),
    required: declared.filter(({ facts }) => facts.required).map(({ facts }) => facts.name),
  };
}

/** Memoizes by an operation's id and a part of the operation. */
function keepBy<Part extends string | number, Value>(
  make: (operation: OperationPlace, part: Part) => Value,
): (operation: OperationPlace, part: Part) => Value {
  const kept = new Map<string, Map<Part, Value>>();
  return (operation, part) => {
    const parts = kept.get(operation.id) ?? new Map<Part, Value>();
    let found = parts.get(part);
    if (found === undefined) {
      found = make(operation, part);
      kept.set(operation.id, parts.set(part, found));
    }
    return found;
  };
}

/**
 * Ajv refuses a discriminator with a mapping. The members' own tags say the same. Our messages use the mapping's keys.
 */
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
