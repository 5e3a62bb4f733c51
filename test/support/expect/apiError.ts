/** Compares errors with the contract's single error shape, using a different validator from the sandbox's. */
import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect } from 'vitest';
import { type ErrorCode, errorStatus } from '../../../generated/operations.ts';
import type { ApiError } from '../../../generated/types.ts';
import type { Answer } from '../sandbox/harness.ts';

/** The bundled contract, as a user reads it. */
export const bundle = JSON.parse(readFileSync(new URL('../../../generated/openapi.json', import.meta.url), 'utf8'));

const ajv = new Ajv2020({ allErrors: true, strict: false });
addFormats.default(ajv);
ajv.addSchema(bundle, 'contract');
const fitsApiError = ajv.compile({ $ref: 'contract#/components/schemas/ApiError' });

/** Expects this status and code, and a body that is an `ApiError` with the same. `code` may list all allowed codes. */
export function expectRefusal(answer: Answer, status: number, code: ErrorCode | readonly ErrorCode[]): ApiError {
  const { body } = answer;
  expect([answer.status, [code].flat()], JSON.stringify(body)).toEqual([status, expect.arrayContaining([body?.code])]);
  expectErrorShape(answer);
  return body as ApiError;
}

/** Expects any error of the contract: status and code belong together, and the body fits the schema. */
export function expectErrorShape({ status, headers, body }: Answer): void {
  expect(fitsApiError(body) ? null : fitsApiError.errors, JSON.stringify(body)).toBeNull();
  expect(headers.get('content-type')).toBe('application/json');
  expect(headers.get('cache-control')).toBe('no-store');
  expect([body.status, errorStatus[body.code as ErrorCode]]).toEqual([status, status]);
  if (status === 401) {
    const challenge =
      /^(Basic realm="Countersign", charset="UTF-8"|Bearer realm="Countersign"(, error="invalid_token")?)$/;
    expect(headers.get('www-authenticate')).toMatch(challenge);
  }
}

/** The places of the faults of a 400, as `in pointer`: each place once, sorted by text. */
export function faultPlaces(body: ApiError): string[] {
  return [...new Set((body.details?.errors ?? []).map((fault) => `${fault.in} ${fault.pointer}`))].sort();
}
