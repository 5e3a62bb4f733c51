/** Reads the facts about each operation from the bundled contract. */
import {
  type ContractDocument,
  httpMethods,
  type MaybeRef,
  type Operation,
  type Parameter,
  type Response,
  resolveRef,
  type Schema,
  type SecurityRequirement,
  schemaName,
} from '../lib/contract.ts';

/** The facts about an operation in the generated module. */
export interface Facts {
  readonly id: string;
  readonly domain: string;
  readonly method: string;
  readonly path: string;
  readonly security: 'basic' | 'bearer' | 'none';
  readonly permission: string | null;
  readonly agentPermission: string | null;
  readonly idempotent: boolean;
  readonly signedRetry: boolean;
  readonly body: 'required' | 'optional' | 'none';
  readonly statuses: readonly number[];
  readonly codes: Readonly<Record<string, readonly string[]>>;
}

const errorSchema = 'ApiError';

/**
 * The facts of every operation, in the order of `comparePaths`, then by method.
 *
 * @throws Error if an operation has no id, no tag, several security schemes, a status that isn't one number, or an
 * error response without a code.
 */
export function readOperations(contract: ContractDocument): Facts[] {
  return Object.entries(contract.paths)
    .sort(([a], [b]) => comparePaths(a, b))
    .flatMap(([path, item]) =>
      httpMethods
        .filter((method) => item[method] !== undefined)
        .map((method) => readFacts(contract, path, method, item[method] as Operation, item.parameters ?? [])),
    );
}

/** Orders paths segment by segment: a literal before a parameter, literals by their characters, a prefix first. */
export function comparePaths(a: string, b: string): number {
  const left = a.split('/');
  const right = b.split('/');
  for (let i = 0; i < Math.min(left.length, right.length); i += 1) {
    const [l, r] = [left[i]!, right[i]!];
    const kind = Number(l.startsWith('{')) - Number(r.startsWith('{'));
    if (kind !== 0) return kind;
    if (l !== r && !l.startsWith('{')) return compareText(l, r);
  }
  return left.length - right.length || compareText(a, b);
}

// Not localeCompare, because the order must not depend on the machine's language.
function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function readFacts(
  contract: ContractDocument,
  path: string,
  method: string,
  operation: Operation,
  shared: readonly MaybeRef<Parameter>[],
): Facts {
  const where = `${method.toUpperCase()} ${path}`;
  if (!operation.operationId) throw new Error(`${where} has no operationId`);
  const domain = operation.tags?.[0];
  if (domain === undefined) throw new Error(`${operation.operationId} has no tag, so no domain`);
  const headers = [...shared, ...(operation.parameters ?? [])]
    .map((parameter) => resolveRef(contract, parameter))
    .filter((parameter) => parameter.in === 'header')
    .map((parameter) => parameter.name.toLowerCase());
  const body = operation.requestBody && resolveRef(contract, operation.requestBody);
  const statuses = Object.keys(operation.responses).map((status) => readStatus(operation.operationId, status));
  return {
    id: operation.operationId,
    domain,
    method: method.toUpperCase(),
    path,
    security: readSecurity(contract, operation),
    permission: operation['x-permission'] ?? null,
    agentPermission: operation['x-agent-permission'] ?? null,
    idempotent: headers.includes('idempotency-key'),
    signedRetry: headers.includes('service-wallet-signature') && headers.includes('request-id'),
    body: body === undefined ? 'none' : body.required === true ? 'required' : 'optional',
    statuses: statuses.sort((a, b) => a - b),
    codes: readCodes(contract, operation),
  };
}

function readStatus(operationId: string, status: string): number {
  if (!/^[1-5]\d\d$/.test(status)) throw new Error(`${operationId}: "${status}" isn't a single status`);
  return Number(status);
}

function readSecurity(contract: ContractDocument, operation: Operation): Facts['security'] {
  const requirements: readonly SecurityRequirement[] = operation.security ?? contract.security ?? [];
  const names = requirements.flatMap((requirement) => Object.keys(requirement));
  if (names.length === 0) return 'none';
  if (names.length > 1) throw new Error(`${operation.operationId} has several security schemes: ${names.join(', ')}`);
  const scheme = contract.components?.securitySchemes?.[names[0]!]?.scheme?.toLowerCase();
  if (scheme === 'basic' || scheme === 'bearer') return scheme;
  throw new Error(`${operation.operationId}: the security scheme ${names[0]} is neither HTTP Basic nor Bearer`);
}

function readCodes(contract: ContractDocument, operation: Operation): Record<string, string[]> {
  const codes: Record<string, string[]> = {};
  for (const [status, reference] of Object.entries(operation.responses)) {
    if (Number(status) < 400) continue;
    const response: Response = resolveRef(contract, reference);
    const schema = response.content?.['application/json']?.schema;
    const found = schema === undefined ? [] : narrowedCodes(contract, schema);
    if (found.length === 0) {
      throw new Error(`${operation.operationId}: the ${status} response doesn't narrow ${errorSchema} to a code`);
    }
    codes[status] = [...new Set(found)].sort(compareText);
  }
  return codes;
}

// The error schema itself allows every code, so only the keywords beside the reference count.
function narrowedCodes(contract: ContractDocument, schema: Schema): string[] {
  if (typeof schema === 'boolean' || schemaName(schema) === errorSchema) return [];
  const { allOf = [], properties } = resolveRef(contract, schema) as Exclude<Schema, boolean>;
  const code = properties?.code;
  const own = code === undefined || typeof code === 'boolean' ? [] : (code.enum ?? [code.const]);
  return [...own.filter((value) => typeof value === 'string'), ...allOf.flatMap((s) => narrowedCodes(contract, s))];
}

/** The codes of `x-transport-responses` by status. */
export function readTransportCodes(contract: ContractDocument): Record<string, readonly string[]> {
  const entries = Object.entries(contract['x-transport-responses'] ?? {});
  return Object.fromEntries(entries.map(([status, { codes }]) => [status, [...(codes ?? [])].sort(compareText)]));
}

/**
 * Every error code in use with its status, by name.
 *
 * @throws Error if a code has two statuses, or if these codes aren't exactly those of the error schema's enum.
 */
export function errorStatuses(
  contract: ContractDocument,
  operations: readonly Facts[],
  transport: Readonly<Record<string, readonly string[]>>,
): [code: string, status: number][] {
  const statuses = new Map<string, number>();
  for (const byStatus of [transport, ...operations.map((operation) => operation.codes)]) {
    for (const [status, codes] of Object.entries(byStatus)) {
      for (const code of codes) {
        const other = statuses.get(code);
        if (other !== undefined && other !== Number(status)) {
          throw new Error(`The code ${code} has two statuses, ${other} and ${status}`);
        }
        statuses.set(code, Number(status));
      }
    }
  }
  const schema = contract.components?.schemas?.[errorSchema];
  const property = typeof schema === 'object' ? schema.properties?.code : undefined;
  const code = property === undefined ? undefined : resolveRef(contract, property as Exclude<Schema, boolean>);
  const declared = (code?.enum ?? []) as string[];
  const unused = declared.filter((name) => !statuses.has(name));
  const undeclared = [...statuses.keys()].filter((name) => !declared.includes(name));
  if (unused.length > 0) throw new Error(`${errorSchema} lists codes that no response uses: ${unused.join(', ')}`);
  if (undeclared.length > 0) throw new Error(`${errorSchema} does not list these codes: ${undeclared.join(', ')}`);
  return [...statuses].sort(([a], [b]) => compareText(a, b));
}

/** The names of all headers that the contract's requests and replies can have, sorted. */
export function headerNames(contract: ContractDocument): { request: string[]; response: string[] } {
  const request = new Set<string>();
  const response = new Set<string>();
  for (const item of Object.values(contract.paths)) {
    for (const method of httpMethods) {
      const operation = item[method] as Operation | undefined;
      for (const reference of [...(item.parameters ?? []), ...(operation?.parameters ?? [])]) {
        const parameter = resolveRef(contract, reference);
        if (parameter.in === 'header') request.add(parameter.name);
      }
      for (const reference of Object.values(operation?.responses ?? {})) {
        for (const name of Object.keys(resolveRef(contract, reference).headers ?? {})) response.add(name);
      }
    }
  }
  return { request: [...request].sort(compareText), response: [...response].sort(compareText) };
}

/** The last segment of the base address. Throws if the contract has no server. */
export function readVersion(contract: ContractDocument): string {
  const version = contract.servers?.[0]?.url.replace(/\/+$/, '').split('/').at(-1);
  if (!version) throw new Error('The contract has no server, so its base address has no version');
  return version;
}
