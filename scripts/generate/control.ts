/** Writes the operations of the control surface as a TypeScript module. */
import type { ContractDocument } from '../lib/contract.ts';
import { type Facts, readOperations } from './facts.ts';

/** The root document of its contract. */
export const controlFile = 'openapi/control/control.yaml';

/** Who may call, by the contract's security scheme: a platform's token, the control token, or anyone. */
const callers: Readonly<Record<Facts['security'], string>> = { basic: 'manager', bearer: 'operator', none: 'anyone' };

/**
 * Writes the text of `generated/controlOperations.ts` for the bundled contract, without the header comment.
 *
 * @throws Error if the contract leaves a fact open, like `readOperations`.
 */
export function writeControlOperations(contract: ContractDocument): string {
  return [
    '/** What the contract of the control surface says about an operation. */',
    'export interface ControlOperationFacts {',
    '  readonly id: string;',
    `  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';`,
    '  /** Below `/__sandbox`. */',
    '  readonly path: string;',
    '  /** `manager` takes a platform token with MANAGE, `operator` the control token if there is one, and `anyone` nothing. */',
    `  readonly caller: 'manager' | 'operator' | 'anyone';`,
    `  readonly body: 'required' | 'optional' | 'none';`,
    '  readonly statuses: readonly number[];',
    '}',
    '',
    'export const controlOperations = [',
    ...readOperations(contract).map(writeFacts),
    '] as const satisfies readonly ControlOperationFacts[];',
    '',
    'export type ControlOperation = (typeof controlOperations)[number];',
    `export type ControlOperationId = ControlOperation['id'];`,
    '',
  ].join('\n');
}

function writeFacts({ id, method, path, security, body, statuses }: Facts): string {
  const facts = [
    `id: '${id}'`,
    `method: '${method}'`,
    `path: '${path}'`,
    `caller: '${callers[security]}'`,
    `body: '${body}'`,
    `statuses: [${statuses.join(', ')}]`,
  ];
  return `  { ${facts.join(', ')} },`;
}
