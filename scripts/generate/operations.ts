/** Writes the facts about each operation as a TypeScript module. */
import type { ContractDocument } from '../lib/contract.ts';
import { errorStatuses, type Facts, headerNames, readOperations, readTransportCodes, readVersion } from './facts.ts';

/**
 * Writes the text of `generated/operations.ts` for a bundled contract, without the header comment.
 *
 * @throws Error if the contract leaves a fact open: a response that names no code, a code on two statuses, a code in
 * the error schema's enum that no response uses, an operation with several security schemes.
 */
export function writeOperations(contract: ContractDocument): string {
  const operations = readOperations(contract);
  const transport = readTransportCodes(contract);
  const names = headerNames(contract);
  return [
    `import type { AgentPermission } from './types.ts';`,
    '',
    `/** The contract's version: the last segment of its base address. */`,
    `export const version = ${quote(readVersion(contract))};`,
    '',
    factsInterface,
    '',
    '/** Every operation, literal path segments before parameters, so that the first path that matches is the right one. */',
    'export const operations = [',
    ...operations.map(writeFacts),
    '] as const satisfies readonly OperationFacts[];',
    '',
    'export type Operation = (typeof operations)[number];',
    `export type OperationId = Operation['id'];`,
    '',
    '/** Every error code of the contract and the one status it comes with. */',
    'export const errorStatus = {',
    ...errorStatuses(contract, operations, transport).map(([code, status]) => `  ${code}: ${status},`),
    '} as const;',
    '',
    'export type ErrorCode = keyof typeof errorStatus;',
    '',
    '/** Codes that belong to the transport rather than to an operation, by status. */',
    'export const transportCodes = {',
    ...Object.entries(transport).map(([status, codes]) => `  ${status}: ${list(codes)},`),
    '} as const;',
    '',
    '/** Every header that a request of the contract can carry. */',
    `export const requestHeaders = ${list(names.request)} as const;`,
    '',
    '/** Every header that a reply of the contract can carry. */',
    `export const responseHeaders = ${list(names.response)} as const;`,
    '',
  ].join('\n');
}

const factsInterface = `/** What the contract says about an operation. */
export interface OperationFacts {
  readonly id: string;
  readonly domain: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly security: 'basic' | 'bearer' | 'none';
  /** The permission that the caller's token needs; null if it needs none. */
  readonly permission: 'VIEW' | 'TRANSACT' | 'MANAGE' | null;
  /** The permission that the agent's policy must give; null if it needs none. */
  readonly agentPermission: AgentPermission | null;
  /** Whether the operation takes an \`Idempotency-Key\`. */
  readonly idempotent: boolean;
  /** Whether the operation takes both \`Service-Wallet-Signature\` and \`Request-Id\`. */
  readonly signedRetry: boolean;
  readonly body: 'required' | 'optional' | 'none';
  readonly statuses: readonly number[];
  /** The error codes of each status that isn't a success. */
  readonly codes: Readonly<Record<number, readonly ErrorCode[]>>;
}`;

function writeFacts(facts: Facts): string {
  const codes = Object.entries(facts.codes).map(([status, names]) => `      ${status}: ${list(names)},`);
  return [
    '  {',
    `    id: ${quote(facts.id)},`,
    `    domain: ${quote(facts.domain)},`,
    `    method: ${quote(facts.method)},`,
    `    path: ${quote(facts.path)},`,
    `    security: ${quote(facts.security)},`,
    `    permission: ${orNull(facts.permission)},`,
    `    agentPermission: ${orNull(facts.agentPermission)},`,
    `    idempotent: ${facts.idempotent},`,
    `    signedRetry: ${facts.signedRetry},`,
    `    body: ${quote(facts.body)},`,
    `    statuses: [${facts.statuses.join(', ')}],`,
    ...(codes.length === 0 ? ['    codes: {},'] : ['    codes: {', ...codes, '    },']),
    '  },',
  ].join('\n');
}

function orNull(value: string | null): string {
  return value === null ? 'null' : quote(value);
}

function list(values: readonly string[]): string {
  return `[${values.map(quote).join(', ')}]`;
}

function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
