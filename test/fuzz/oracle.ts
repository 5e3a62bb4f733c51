/** Decides what the contract says about requests and replies, with a validator that shares no code with the sandbox. */
import { isDeepStrictEqual } from 'node:util';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { pointTo } from '../../contract/pointer.ts';
import { type Operation, transportCodes } from '../../generated/operations.ts';
import { bundle } from '../support/expect/apiError.ts';
import { resolved, type SchemaNode } from '../support/requests/arbitrary.ts';
import { literalFaults, readLiterals } from '../support/requests/literals.ts';
import type { Json } from '../support/requests/targets.ts';
import type { Answer } from '../support/sandbox/harness.ts';

/** The parts of a request: texts before any escape. */
export interface RequestParts {
  readonly path: Readonly<Record<string, string>>;
  readonly query: readonly (readonly [name: string, text: string])[];
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined if there is none. */
  readonly body: Json | undefined;
}

/** A parameter of the contract, with its reference resolved. */
export interface ParameterNode {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly schema: SchemaNode;
}

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addFormat('date-time', isDateTime);
ajv.addFormat('p256-point', isOnCurve);
// The same format in another notation than the contract's (D48).
ajv.addFormat('plain-name', /^(?! )(?!.* $)[\p{L}\p{M}\p{N} ._'()-]+$/u);
ajv.removeKeyword('uniqueItems');
ajv.addKeyword({
  keyword: 'uniqueItems',
  type: 'array',
  validate: (wanted: boolean, items: unknown[]) =>
    !wanted || items.every((item, index) => items.findIndex((other) => isSame(other, item)) === index),
});
ajv.addSchema(bundle, 'contract');

/** Deep equality, in which 0 and -0 are the same number. */
function isSame(one: unknown, other: unknown): boolean {
  return one === other || isDeepStrictEqual(one, other);
}

const validators = new Map<string, ValidateFunction>();

function faultsOf(schema: SchemaNode, value: unknown): string[] {
  const key = JSON.stringify(schema);
  let validate = validators.get(key);
  if (validate === undefined) {
    validate = ajv.compile(JSON.parse(key.replaceAll('"#/', '"contract#/')));
    validators.set(key, validate);
  }
  if (validate(value)) return [];
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

function follow(node: { $ref?: string }): never {
  if (node.$ref === undefined) return node as never;
  return follow(pointTo(bundle, node.$ref) as { $ref?: string });
}

function nodeOf({ path, method }: Operation) {
  return bundle.paths[path][method.toLowerCase()];
}

export function parametersOf(operation: Operation): ParameterNode[] {
  return (nodeOf(operation).parameters ?? []).map(follow);
}

/** The schema of the operation's body; undefined if it takes none. */
export function bodySchemaOf(operation: Operation): SchemaNode | undefined {
  const { requestBody } = nodeOf(operation);
  if (requestBody === undefined) return undefined;
  return (follow(requestBody) as { content: Record<string, { schema: SchemaNode }> }).content['application/json']
    ?.schema;
}

/** Why the contract refuses a request; empty if it accepts it. A fault of the path begins with `path`. */
export function requestFaults(operation: Operation, { path, query, headers, body }: RequestParts): string[] {
  const parameters = parametersOf(operation);
  const unknown = query.filter(([name]) => !parameters.some((one) => one.in === 'query' && one.name === name));
  const lower = new Map(Object.entries(headers).map(([name, text]) => [name.toLowerCase(), text]));
  const given = ({ name, in: place }: ParameterNode): (string | undefined)[] => {
    if (place === 'path') return [path[name]];
    if (place === 'header') return [lower.get(name.toLowerCase())];
    return query.filter(([one]) => one === name).map(([, text]) => text);
  };
  return [
    ...parameters.flatMap((parameter) =>
      parameterFaults(
        parameter,
        given(parameter).filter((text) => text !== undefined),
      ).map((fault) => `${parameter.in} ${parameter.name}: ${fault}`),
    ),
    ...unknown.map(([name, text]) => `query ${name}: ${text.isWellFormed() ? 'not a parameter' : notUtf8}`),
    ...bodyFaults(operation, body).map((fault) => `body ${fault}`),
  ];
}

function bodyFaults(operation: Operation, body: Json | undefined): string[] {
  const schema = bodySchemaOf(operation);
  if (schema === undefined) return [];
  if (body === undefined) return operation.body === 'required' ? ['missing'] : [];
  const unread = literalFaults(body);
  return unread.length > 0 ? unread : faultsOf(schema, readLiterals(body));
}

/** A fault of every parameter: its URL contains bytes that aren't UTF-8. */
export const notUtf8 = 'is not UTF-8';

function parameterFaults({ in: place, required, schema }: ParameterNode, texts: readonly string[]): string[] {
  const [first] = texts;
  if (place !== 'header' && texts.some((text) => !text.isWellFormed())) return [notUtf8];
  if (first === undefined) return required === true ? ['missing'] : [];
  const node = resolved(schema);
  if (place === 'query' && texts.some((text) => text.includes('\u0000'))) return ['a NUL (D51)'];
  if (node.type === 'array') {
    const items = resolved(node.items ?? {});
    return faultsOf(
      schema,
      texts.map((text) => decode(items, text)),
    );
  }
  return texts.length > 1 ? ['given twice'] : faultsOf(schema, decode(node, first));
}

/** A number has only JSON's spelling. Any other text stays a string. */
function decode({ type }: SchemaNode, text: string): Json {
  if (type === 'boolean' && /^(true|false)$/.test(text)) return text === 'true';
  const number = Number(text);
  return type === 'integer' && Number.isSafeInteger(number) && String(number) === text ? number : text;
}

/** How a reply breaks the contract; empty if it doesn't. */
export function replyFaults(operation: Operation, { status, headers, body }: Answer): string[] {
  if (status >= 500) return [`status ${status}`];
  const allowed: readonly string[] = (transportCodes as Record<number, readonly string[]>)[status] ?? [];
  const declared = nodeOf(operation).responses[status];
  if (allowed.includes(body?.code)) return faultsOf({ $ref: '#/components/schemas/ApiError' }, body);
  if (declared === undefined) return [`status ${status} is not declared`];
  const response = follow(declared) as {
    content?: Record<string, { schema: SchemaNode }>;
    headers?: Record<string, { $ref?: string }>;
  };
  const faults = headerFaults(response.headers ?? {}, headers);
  const codes = (operation.codes as Record<number, readonly string[]>)[status];
  if (codes !== undefined && !codes.includes(body?.code)) faults.push(`code ${body?.code} is not declared`);
  const media = response.content?.['application/json'];
  if (media === undefined) return body === undefined ? faults : [...faults, 'has content'];
  if (headers.get('content-type') !== 'application/json') faults.push(`is ${headers.get('content-type')}`);
  return [...faults, ...faultsOf(media.schema, body)];
}

function headerFaults(declared: Readonly<Record<string, { $ref?: string }>>, headers: Headers): string[] {
  return Object.entries(declared).flatMap(([name, entry]) => {
    const { schema, required } = follow(entry) as { schema: SchemaNode; required?: boolean };
    const text = headers.get(name);
    const faults = parameterFaults({ name, in: 'header', required: required === true, schema }, [text].flatMap(given));
    return faults.map((fault) => `header ${name}: ${fault}`);
  });
}

function given(text: string | null): string[] {
  return text === null ? [] : [text];
}

function isDay(text: string): boolean {
  const moment = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(moment.getTime()) && moment.toISOString().startsWith(text);
}

/** RFC 3339 in the strict sense (D37): an existing day, and a leap second only at the end of a month in UTC. */
function isDateTime(text: string): boolean {
  const form =
    /^(\d{4}-\d\d-\d\d)[Tt]((?:[01]\d|2[0-3]):[0-5]\d):([0-5]\d|60)(?:\.\d+)?([Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;
  const [, day = '', clock, second, zone = ''] = form.exec(text) ?? [];
  if (!isDay(day)) return false;
  if (second !== '60') return true;
  const before = Date.parse(`${day}T${clock}:59${zone.toUpperCase()}`);
  const after = new Date(before + 1000).toISOString();
  return /^\d{4}-\d\d-01T00:00:00/.test(after);
}

const prime = 2n ** 256n - 2n ** 224n + 2n ** 192n + 2n ** 96n - 1n;
const constant = 0x5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604bn;

/** Whether x and y of an uncompressed point satisfy y² = x³ - 3x + b (SEC 2, secp256r1). */
function isOnCurve(hex: string): boolean {
  if (!/^04[0-9a-f]{128}$/i.test(hex)) return false;
  const x = BigInt(`0x${hex.slice(2, 66)}`);
  const y = BigInt(`0x${hex.slice(66)}`);
  if (x >= prime || y >= prime) return false;
  return (((y * y - x * x * x + 3n * x - constant) % prime) + prime) % prime === 0n;
}
