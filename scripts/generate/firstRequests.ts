/** Reads the first request of each operation: the one that collections, samples and the reference's buttons send. */
import {
  type ContractDocument,
  type Example,
  type Examples,
  httpMethods,
  type Operation,
  type Parameter,
  type RequestBody,
  resolveRef,
} from '../lib/contract.ts';

/** A parameter with the value of its first example. */
export interface FirstParameter {
  readonly name: string;
  readonly in: Parameter['in'];
  readonly value: unknown;
  readonly description: string;
  /** Whether the request sends it. An optional parameter is prepared but not sent, unless the first reply needs it. */
  readonly isSent: boolean;
}

export interface FirstRequest {
  readonly operationId: string;
  readonly tag: string | undefined;
  readonly name: string;
  readonly description: string;
  readonly method: string;
  /** The path below the base URL, with `{name}` for parameters. */
  readonly path: string;
  readonly auth: 'basic' | 'bearer' | 'none';
  readonly parameters: readonly FirstParameter[];
  /** The examples of the body by name, in order. The request sends the first. */
  readonly bodies: readonly (readonly [name: string, value: unknown])[];
  /** Whether the first success reply has content. */
  readonly hasReply: boolean;
  /** The statuses that the contract declares, including those of the transport. */
  readonly statuses: readonly number[];
}

type Described = { readonly summary?: string; readonly description?: string };
export type Declared = Parameter & Described & { readonly required?: boolean };

/**
 * Whether the first request sends a parameter. It sends required ones, and the wallet's signature if the first reply
 * needs one.
 */
export function isSentFirst({ responses }: Operation, { name, required }: Declared): boolean {
  // If the first reply asks for the signature, the request can't have it yet.
  const isAskedFirst = Object.keys(responses).find((status) => status < '300') === '202';
  return required === true || (/^(?:Service-Wallet-Signature|Request-Id)$/.test(name) && !isAskedFirst);
}

/** Reads the first requests in the order of the contract. */
export function readFirstRequests(contract: ContractDocument): FirstRequest[] {
  return Object.entries(contract.paths).flatMap(([path, item]) =>
    httpMethods.flatMap((method) => {
      const operation = item[method] as (Operation & Described) | undefined;
      if (operation === undefined) return [];
      const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])];
      return [readFirstRequest(contract, path, method, { ...operation, parameters })];
    }),
  );
}

function readFirstRequest(
  contract: ContractDocument,
  path: string,
  method: string,
  operation: Operation & Described,
): FirstRequest {
  const { operationId, summary = operationId, description = '', responses, security = [], requestBody } = operation;
  const [scheme] = Object.keys(security[0] ?? {});
  const statuses = Object.keys(responses);
  const transport = Object.keys(contract['x-transport-responses'] ?? {});
  const [, success] = Object.entries(responses).find(([status]) => status < '300') ?? [];
  const body = requestBody && resolveRef<RequestBody>(contract, requestBody).content?.['application/json'];
  return {
    operationId,
    tag: operation.tags?.[0],
    name: summary,
    description,
    method: method.toUpperCase(),
    path,
    auth: scheme === 'BasicAuth' ? 'basic' : scheme === undefined ? 'none' : 'bearer',
    parameters: (operation.parameters ?? []).map((one) => {
      const parameter = resolveRef<Declared>(contract, one);
      return {
        name: parameter.name,
        in: parameter.in,
        value: firstExample(contract, parameter),
        description: parameter.description ?? '',
        isSent: isSentFirst(operation, parameter),
      };
    }),
    bodies: Object.entries(body?.examples ?? {}).map(([name, one]) => [name, resolveRef<Example>(contract, one).value]),
    hasReply: success !== undefined && resolveRef(contract, success).content !== undefined,
    statuses: [...new Set([...statuses, ...transport].map(Number))],
  };
}

function firstExample(contract: ContractDocument, { examples = {} }: Examples): unknown {
  const [first] = Object.values(examples);
  return first === undefined ? undefined : resolveRef<Example>(contract, first).value;
}

/** The access token of the agent in the examples. */
export function firstAccessToken({ components }: ContractDocument): string {
  const values = Object.values(components?.examples ?? {}).map(({ value }) => value as { accessToken?: string });
  return values.find((value) => typeof value?.accessToken === 'string')?.accessToken ?? '';
}
