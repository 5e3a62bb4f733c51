/** Asks the stateless mock for every reply that has an example in the contract. */
import type { Entry } from 'har-format';
import { basePath } from '../../contract/match.ts';
import { type Operation, operations } from '../../generated/operations.ts';
import { createMock } from '../../mocks/prism/app.ts';
import { recordFetch } from '../../traffic/record.ts';
import {
  type ContractDocument,
  type Operation as Described,
  type RequestBody,
  type Response,
  resolveRef,
} from '../lib/contract.ts';

const origin = 'http://localhost:4010';
const uuid = '0199e0a4-2f00-7a31-8f5e-6d0b5c2a1e13';

/** The credentials for each kind of operation. */
export interface Caller {
  readonly basic: string;
  readonly bearer: string;
  readonly deviceCode: string;
}

const anybody: Caller = {
  basic: `Basic ${btoa('sandbox:sandbox')}`,
  bearer: 'Bearer anything',
  deviceCode: 'AGENT-7QK2-M9XD',
};

/** The mock's replies to {@link exampleRequests} of every operation: entries by domain, in the contract's order. */
export async function recordMock(document: ContractDocument, now: () => number): Promise<Map<string, Entry[]>> {
  const bundlePath = new URL('../../generated/openapi.json', import.meta.url);
  const mock = await createMock({ bundlePath, log: { info: () => {}, error: () => {} } });
  const recorded = new Map<string, Entry[]>();
  for (const operation of operations as readonly Operation[]) {
    const client = recordFetch((request) => mock.fetch(request), now);
    for (const request of exampleRequests(document, operation)) await client.fetch(request);
    recorded.set(operation.domain, [...(recorded.get(operation.domain) ?? []), ...client.entries]);
  }
  return recorded;
}

/**
 * Requests that the contract accepts: with each example of the operation's request, and with a preference for each
 * example of each reply.
 * @param document the bundled contract
 */
export function exampleRequests(document: ContractDocument, operation: Operation, caller: Caller = anybody): Request[] {
  const bodies = requestExamples(document, operation);
  const preferences = Object.entries(describe(document, operation).responses).flatMap(([status, response]) => {
    const media = resolveRef<Response>(document, response).content?.['application/json'];
    const names = Object.keys(media?.examples ?? {});
    // A reply without content has no example, but can still be requested.
    return names.length === 0 ? [`code=${status}`] : names.map((name) => `code=${status}, example=${name}`);
  });
  return [
    ...bodies.map((body) => makeRequest(document, operation, caller, body)),
    ...preferences.map((prefer) => makeRequest(document, operation, caller, bodies[0], prefer)),
  ];
}

/** A request that the contract accepts. */
function makeRequest(
  document: ContractDocument,
  operation: Operation,
  caller: Caller,
  body: unknown,
  prefer?: string,
): Request {
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_braces, name) =>
    encodeURIComponent(name === 'code' ? caller.deviceCode : sampleOf(document, operation, name)),
  );
  const url = new URL(origin + basePath + path);
  for (const { name, in: place, required } of parametersOf(document, operation)) {
    if (place === 'query' && required) url.searchParams.set(name, sampleOf(document, operation, name));
  }
  const headers = new Headers();
  if (operation.security !== 'none') headers.set('Authorization', caller[operation.security]);
  if (prefer !== undefined) headers.set('Prefer', prefer);
  if (body === undefined) return new Request(url, { method: operation.method, headers });
  headers.set('Content-Type', 'application/json');
  return new Request(url, { method: operation.method, headers, body: JSON.stringify(body) });
}

/** The values of the request's named examples. If the operation has no body, one undefined value. */
function requestExamples(document: ContractDocument, operation: Operation): unknown[] {
  const { requestBody } = describe(document, operation);
  if (requestBody === undefined) return [undefined];
  const media = resolveRef<RequestBody>(document, requestBody).content?.['application/json'];
  const examples = Object.values(media?.examples ?? {}).map((example) => resolveRef(document, example).value);
  return examples.length === 0 ? [undefined] : examples;
}

interface SampledParameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema?: { readonly pattern?: string; readonly $ref?: string };
}

/** A value in the form that the parameter's schema needs. If it needs no form, a UMA address is used (D65). */
function sampleOf(document: ContractDocument, operation: Operation, name: string): string {
  const parameter = parametersOf(document, operation).find((one) => one.name === name);
  const { pattern = '' } = resolveRef<{ readonly pattern?: string }>(document, parameter?.schema ?? {});
  const [, prefix] = /^\^(\w+:)/.exec(pattern) ?? [];
  return prefix === undefined ? '$success.usd@pay.example' : prefix + uuid;
}

function parametersOf(document: ContractDocument, operation: Operation): SampledParameter[] {
  return (describe(document, operation).parameters ?? []).map(
    (parameter) => resolveRef<object>(document, parameter) as SampledParameter,
  );
}

function describe(document: ContractDocument, { path, method }: Operation): Described {
  return document.paths[path]?.[method.toLowerCase()] as Described;
}
