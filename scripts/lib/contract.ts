/**
 * Types for the part of an OpenAPI 3.1 document that the scripts read. They check nothing, because the linter has run
 * before.
 */

import { pointTo } from '../../contract/pointer.ts';

export interface ContractDocument {
  readonly openapi: string;
  readonly info?: {
    readonly title?: string;
    readonly version?: string;
    readonly summary?: string;
    readonly description?: string;
  };
  readonly servers?: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly components?: {
    readonly schemas?: Readonly<Record<string, Schema>>;
    readonly responses?: Readonly<Record<string, Response>>;
    readonly parameters?: Readonly<Record<string, Parameter>>;
    readonly headers?: Readonly<Record<string, Header>>;
    readonly examples?: Readonly<Record<string, Example>>;
    readonly requestBodies?: Readonly<Record<string, RequestBody>>;
    readonly securitySchemes?: Readonly<Record<string, { readonly type: string; readonly scheme?: string }>>;
  };
  readonly security?: readonly SecurityRequirement[];
  readonly 'x-transport-responses'?: Readonly<Record<string, { readonly codes?: readonly string[] }>>;
}

export type PathItem = Readonly<Record<string, unknown>> & { readonly parameters?: readonly MaybeRef<Parameter>[] };

export interface Operation {
  readonly operationId: string;
  readonly summary?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly security?: readonly SecurityRequirement[];
  readonly parameters?: readonly MaybeRef<Parameter>[];
  readonly requestBody?: MaybeRef<RequestBody>;
  readonly responses: Readonly<Record<string, MaybeRef<Response>>>;
  readonly 'x-permission'?: string;
  readonly 'x-agent-permission'?: string;
  readonly 'x-call'?: string;
}

export type SecurityRequirement = Readonly<Record<string, readonly string[]>>;

export interface Parameter extends Examples {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header' | 'cookie';
}

export type Header = Examples;

export interface RequestBody {
  readonly required?: boolean;
  readonly content?: Readonly<Record<string, Examples>>;
}

export interface Response {
  readonly headers?: Readonly<Record<string, MaybeRef<Header>>>;
  readonly content?: Readonly<Record<string, Examples>>;
}

/** The common part of parameters, headers and media types: a schema and its examples. */
export interface Examples {
  readonly schema?: Schema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, MaybeRef<Example>>>;
}

export interface Example {
  readonly value?: unknown;
  readonly externalValue?: string;
}

export type Schema = boolean | SchemaObject;

export interface SchemaObject {
  readonly $ref?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly allOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly [keyword: string]: unknown;
}

export type MaybeRef<T> = T | { readonly $ref: string };

/** The methods an OpenAPI path item can have, in the order in which we list a path's operations. */
export const httpMethods = ['get', 'post', 'put', 'patch', 'delete'] as const;

/**
 * Follows `$ref`s inside the document to an object that isn't a reference.
 *
 * @throws Error if a reference leaves the document, points to nothing or leads back to itself.
 */
export function resolveRef<T extends object>(contract: ContractDocument, value: MaybeRef<T>): T {
  let current: unknown = value;
  const seen = new Set<string>();
  while (typeof current === 'object' && current !== null && '$ref' in current && typeof current.$ref === 'string') {
    const ref: string = current.$ref;
    if (!ref.startsWith('#/') || seen.has(ref)) throw new Error(`Cannot follow the reference ${ref}`);
    seen.add(ref);
    current = lookUp(contract, ref);
  }
  return current as T;
}

/** The name behind a reference to a component schema, or undefined for any other schema. */
export function schemaName(schema: Schema): string | undefined {
  if (typeof schema === 'boolean') return undefined;
  return schema.$ref?.match(/^#\/components\/schemas\/([^/]+)$/)?.[1];
}

function lookUp(contract: ContractDocument, ref: string): unknown {
  const found = pointTo(contract, ref);
  if (found === undefined) throw new Error(`The reference ${ref} points to nothing`);
  return found;
}
