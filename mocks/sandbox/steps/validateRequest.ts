import type { Contract } from '../../../contract/contract.ts';
import { pointerKeys } from '../../../contract/pointer.ts';
import { findBodyFaults, readHeaders, readPath, readQuery } from '../../../contract/request.ts';
import { invalid, Problem } from '../tools/problem.ts';
import type { RawRequest } from '../transport/request.ts';
import { readBody } from './readBody.ts';

/** The request after validation: decoded, typed as the contract says, defaults filled in. */
export interface ValidRequest {
  readonly path: Record<string, unknown>;
  readonly query: Record<string, unknown>;
  readonly headers: Record<string, unknown>;
  readonly body: unknown;
}

/**
 * Validates a request against the contract. It lists faults of query, headers and body together (D05).
 * @throws Problem 404 for a path id that can't name anything (D45), 413, 415, 400.
 */
export async function validateRequest(contract: Contract, raw: RawRequest): Promise<ValidRequest> {
  const { operation, request } = raw;
  const path = readPath(contract, operation, raw.path);
  const [misfit] = path.faults;
  if (misfit !== undefined) {
    const [name = ''] = pointerKeys(misfit.pointer);
    const parameter = contract.parameters(operation, 'path').find((one) => one.name === name);
    throw new Problem(parameter?.notFound ?? 'NOT_FOUND', `There is nothing with the id ${path.values[name]}.`);
  }
  const query = readQuery(contract, operation, raw.query);
  const headers = readHeaders(contract, operation, (name) => request.headers.get(name));
  // A body that the operation doesn't declare isn't read (D53).
  const body = operation.body === 'none' ? undefined : await readBody(request, raw.noteBody);
  const faults = [...query.faults, ...headers.faults, ...findBodyFaults(contract, operation, body)];
  if (faults.length > 0) throw invalid(faults);
  return { path: path.values, query: query.values, headers: headers.values, body };
}
