import type { Contract } from '../../../contract/contract.ts';
import type { Parameter } from '../../../contract/document.ts';
import type { Fault } from '../../../contract/faults.ts';
import { toFaults } from '../../../contract/faults.ts';
import { pointerSegment } from '../../../contract/pointer.ts';
import type { Operation } from '../../../generated/operations.ts';
import { invalid, Problem } from '../kernel/problem.ts';
import type { RawRequest } from '../shell/request.ts';
import { readBody } from './readBody.ts';

/** What validation makes of it: decoded, typed as the contract says, defaults filled in. */
export interface ValidRequest {
  readonly path: Record<string, unknown>;
  readonly query: Record<string, unknown>;
  readonly headers: Record<string, unknown>;
  readonly body: unknown;
}

/**
 * Everything the contract says of a request. Faults of query, headers and body are listed together (D05).
 * @throws Problem 404 for a path id that can name nothing (D45), 413, 415, 400.
 */
export async function validateRequest(contract: Contract, raw: RawRequest): Promise<ValidRequest> {
  const { operation, request } = raw;
  const path = { ...raw.path };
  const [misfit] = toFaults('path', contract.checkParameters(operation, 'path', path));
  if (misfit !== undefined) {
    const [, name = ''] = misfit.pointer.split('/');
    const parameter = contract.parameters(operation, 'path').find((one) => one.name === name);
    throw new Problem(parameter?.notFound ?? 'NOT_FOUND', `Nothing has the id ${path[name]}.`);
  }
  const found: Fault[] = [];
  const query = readQuery(contract, raw, found);
  const headers = readHeaders(contract, raw, found);
  // A body sent where none is declared is left unread (D53).
  const body = operation.body === 'none' ? undefined : await readBody(request, raw.noteBody);
  const faults = found.concat(checkBody(contract, operation, body));
  if (faults.length > 0) throw invalid(faults);
  return { path, query, headers, body };
}

function checkBody(contract: Contract, operation: Operation, body: unknown): Fault[] {
  if (body !== undefined) return toFaults('body', contract.checkRequest(operation, body));
  return operation.body === 'required' ? [{ in: 'body', pointer: '', message: 'is required' }] : [];
}

function readQuery(contract: Contract, { operation, query }: RawRequest, faults: Fault[]): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  const declared = new Map(contract.parameters(operation, 'query').map((parameter) => [parameter.name, parameter]));
  for (const name of new Set(query.keys())) {
    const parameter = declared.get(name);
    const pointer = `/${pointerSegment(name)}`;
    const given = query.getAll(name);
    if (parameter === undefined) {
      faults.push({ in: 'query', pointer, message: 'is not a parameter of this operation' });
    } else if (given.length > 1 && !parameter.isList) {
      faults.push({ in: 'query', pointer, message: 'may be given once only' });
    } else if (given.some((text) => text.includes('\u0000'))) {
      faults.push({ in: 'query', pointer, message: 'holds a NUL character, which is not text' });
    } else {
      const decoded = given.map((text) => decodeParameter(parameter, text));
      values[name] = parameter.isList ? decoded : decoded[0];
    }
  }
  faults.push(...toFaults('query', contract.checkParameters(operation, 'query', values)));
  return values;
}

function readHeaders(contract: Contract, { operation, request }: RawRequest, faults: Fault[]): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const parameter of contract.parameters(operation, 'header')) {
    const given = request.headers.get(parameter.name);
    if (given !== null) values[parameter.name] = decodeParameter(parameter, given);
  }
  faults.push(...toFaults('header', contract.checkParameters(operation, 'header', values)));
  return values;
}

/** The typed value of a parameter's text, or the text itself, which its schema then refuses. */
export function decodeParameter({ type }: Pick<Parameter, 'type'>, text: string): unknown {
  // One spelling per integer: no sign, exponent, fraction, space or leading zero.
  if (type === 'integer' && /^(0|[1-9]\d{0,15})$/.test(text)) return Number(text);
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}
