import type { BodyBounds } from '../../../contract/bounds.ts';
import type { Contract } from '../../../contract/contract.ts';
import { findBodyFaults, readPath, readQuery } from '../../../contract/request.ts';
import type { ControlOperationFacts } from '../../../generated/controlOperations.ts';
import { type ExchangeRequest, queryOf } from '../../exchange/exchange.ts';
import { readBody } from '../steps/readBody.ts';
import { invalid, Problem } from '../tools/problem.ts';

/** A request of the control surface before validation. */
export interface RawControlRequest {
  readonly operation: ControlOperationFacts;
  readonly request: ExchangeRequest;
  /** Path parameters, each decoded once. */
  readonly path: Readonly<Record<string, string>>;
  readonly bounds?: BodyBounds | undefined;
  /** Whether other code reads the body. */
  readonly readsBody?: boolean | undefined;
  /** A field of the body that other code examines. */
  readonly examines?: string | undefined;
}

/** The request after validation: decoded, typed as the contract says, defaults filled in. */
export interface ControlValues {
  readonly path: Record<string, unknown>;
  readonly query: Record<string, unknown>;
  readonly body: unknown;
}

/**
 * Validates a request against the contract of the control surface. It lists faults of query and body together.
 * @throws Problem 404 for a path parameter that can't name anything, 413, 415, 400.
 */
export async function readControlRequest(contract: Contract, raw: RawControlRequest): Promise<ControlValues> {
  const { operation, request } = raw;
  const path = readPath(contract, operation, raw.path);
  if (path.faults.length > 0) throw new Problem('NOT_FOUND', 'There is nothing with the name or id in this path.');
  const query = readQuery(contract, operation, queryOf(request));
  const body = raw.readsBody === true ? undefined : await readControlBody(raw);
  const bodyFaults = raw.readsBody === true ? [] : findBodyFaults(contract, operation, body);
  const faults = [...query.faults, ...bodyFaults];
  const ours = faults.filter(({ in: place, pointer }) => place !== 'body' || !isAtOrBelow(pointer, raw.examines));
  if (ours.length > 0) throw invalid(ours);
  return { path: path.values, query: query.values, body };
}

/** A missing body counts as `{}`, so that a refusal names the missing fields. */
async function readControlBody({ operation, request, bounds }: RawControlRequest): Promise<unknown> {
  if (operation.body === 'none') return undefined;
  const sent = await readBody(request, undefined, bounds);
  return sent === undefined ? {} : sent;
}

function isAtOrBelow(pointer: string, field: string | undefined): boolean {
  return field !== undefined && `${pointer}/`.startsWith(`/${field}/`);
}
