/** Compares every reply of the control surface in tests with its contract. */
import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { controlLocation } from '../../../contract/file.ts';
import { memoize } from '../../../contract/memoize.ts';
import { type ControlOperation, controlOperations } from '../../../generated/controlOperations.ts';
import type { Answered } from './answered.ts';

// biome-ignore lint/suspicious/noExplicitAny: any part of the document may be read
type Document = any;

/** The contract of the control surface, as a user reads it. */
export const controlContract: Document = JSON.parse(readFileSync(controlLocation, 'utf8'));

const ajv = new Ajv2020({ allErrors: true, strict: false });
addFormats.default(ajv);
ajv.addSchema(closeObjects(withoutMappings(controlContract)), 'control');

const routes = controlOperations.map((operation) => ({
  operation,
  pattern: new RegExp(`^/__sandbox${operation.path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
}));

/** The operation that a request calls, if it is one of the control surface. */
export function controlOperationOf(method: string, pathname: string): ControlOperation | undefined {
  const asked = method === 'HEAD' ? 'GET' : method;
  return routes.find(({ operation, pattern }) => operation.method === asked && pattern.test(pathname))?.operation;
}

/** The declared response; undefined if the operation doesn't declare the status. */
export function declaredReply({ path, method }: ControlOperation, status: number): Document {
  const declared = controlContract.paths[path][method.toLowerCase()].responses[status];
  const name = declared?.$ref?.split('/').at(-1);
  return name === undefined ? declared : controlContract.components.responses[name];
}

/** @throws Error if the contract doesn't declare the reply. */
export async function checkControlReply(request: { method: string; url: string }, response: Answered): Promise<void> {
  const operation = controlOperationOf(request.method, new URL(request.url).pathname);
  if (operation === undefined || request.method === 'HEAD') return;
  const refuse = (why: string) => {
    throw new Error(`${operation.id} was answered with ${response.status}, outside its contract: ${why}`);
  };
  const declared = declaredReply(operation, response.status);
  const text = await response.text();
  if (declared === undefined) {
    const codes = controlContract['x-transport-responses'][response.status]?.codes ?? [];
    if (!codes.includes(JSON.parse(text).code)) refuse('the status is not declared');
    return;
  }
  for (const [name, header] of Object.entries<Document>(declared.headers ?? {})) {
    if (header !== undefined && !response.headers.has(name)) refuse(`${name} is missing`);
  }
  const [type] = Object.keys(declared.content ?? {});
  if (type === undefined) {
    if (text !== '') refuse('it has content');
    return;
  }
  if (response.headers.get('content-type')?.split(';')[0] !== type) refuse(`it is not ${type}`);
  const validate = validatorOf({ operation, status: response.status, type });
  if (!validate(type === 'application/json' ? JSON.parse(text) : text)) refuse(ajv.errorsText(validate.errors));
}

const validatorOf = memoize(
  ({ operation: { path, method }, status, type }: Reply): ValidateFunction => {
    const segment = (text: string) => encodeURIComponent(text.replaceAll('~', '~0').replaceAll('/', '~1'));
    const response = controlContract.paths[path][method.toLowerCase()].responses[status];
    const at = response.$ref ?? `#/paths/${segment(path)}/${method.toLowerCase()}/responses/${status}`;
    return ajv.compile({ $ref: `control${at}/content/${segment(type)}/schema` });
  },
  ({ operation, status }) => `${operation.id} ${status}`,
);

interface Reply {
  readonly operation: ControlOperation;
  readonly status: number;
  readonly type: string;
}

/** Refuses undeclared fields in tests, unless the schema allows them explicitly. */
function closeObjects(node: Document, isPart = false): Document {
  if (Array.isArray(node)) return node.map((item) => closeObjects(item, isPart));
  if (typeof node !== 'object' || node === null) return node;
  const closed = Object.fromEntries(
    Object.entries<Document>(node).map(([key, value]) => [
      key,
      closeObjects(value, key === 'allOf' || key === 'ApiError'),
    ]),
  );
  const isObject = node.type === 'object' && node.properties !== undefined && node.additionalProperties === undefined;
  return isObject && !isPart ? { ...closed, additionalProperties: false } : closed;
}

/** Removes `mapping`, which the validator doesn't know. */
function withoutMappings(node: Document): Document {
  if (Array.isArray(node)) return node.map(withoutMappings);
  if (typeof node !== 'object' || node === null) return node;
  const { discriminator: _mapping, ...rest } = node;
  const kept = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, withoutMappings(value)]));
  return kept;
}
