/**
 * Promise: the generated client of the control surface controls a sandbox with types, as a platform's manager or as the
 * operator. Its calls end like those of the interface's client.
 */
import { describe, expect, expectTypeOf, test } from 'vitest';
import { createControlClient } from '../../generated/controlClient.ts';
import type { Clock, FaultRule, NewPlatform } from '../../generated/controlTypes.ts';
import { data, openSandbox, refusal, type TestSandbox } from '../support/sandbox/harness.ts';

const sandboxToken = { clientId: 'sandbox', clientSecret: 'sandbox' };
const steer = ({ fetch }: TestSandbox, credentials?: Parameters<typeof createControlClient>[0]['credentials']) =>
  createControlClient({ baseUrl: 'http://localhost:4010', fetch, ...(credentials && { credentials }) });

test('a test gets a platform, moves its clock, plants a fault, and ends it', async () => {
  const sandbox = await openSandbox();
  const world = { customers: [{ customer: { customerType: 'INDIVIDUAL' as const, email: 'ada@example.com' } }] };
  const made = data(await steer(sandbox).POST('/platforms', { body: { proofs: 'real', world } }));
  expectTypeOf(made).toEqualTypeOf<NewPlatform>();
  const control = steer(sandbox, made);
  const clock = data(await control.POST('/clock', { body: { advanceSeconds: 60 } }));
  expectTypeOf(clock).toEqualTypeOf<Clock>();
  expect(clock).toEqual({ now: '2025-10-13T09:01:00.000Z', frozen: false });
  const rule: FaultRule = { operation: 'listCustomers', status: 503, times: 1 };
  expect(data(await control.PUT('/faults', { body: { rules: [rule] } }))).toEqual({ rules: [rule] });
  const customers = () => sandbox.as(made.clientId, made.clientSecret).GET('/customers');
  expect(refusal(await customers()).code).toBe('STORAGE_UNAVAILABLE');
  expect(data(await customers()).totalCount).toBe(1);
  expect((await control.DELETE('/platform')).response.status).toBe(204);
});

test('a snapshot can be taken and restored with its type', async () => {
  const control = steer(await openSandbox(), sandboxToken);
  const snapshot = data(await control.GET('/snapshot'));
  expect((await control.PUT('/snapshot', { body: snapshot })).response.status).toBe(204);
});

describe('the operator', () => {
  test('gives the control token where there is one, and reads metrics as text', async () => {
    const sandbox = await openSandbox({ controlToken: 'secret' });
    expect(refusal(await steer(sandbox).GET('/health')).code).toBe('UNAUTHORIZED');
    const operator = steer(sandbox, { controlToken: 'secret' });
    expect(data(await operator.GET('/health'))).toEqual({ status: 'ready' });
    expect(data(await operator.GET('/metrics', { parseAs: 'text' }))).toContain('countersign_requests_total');
  });
});

test.each([
  'http://localhost:4010',
  'http://localhost:4010/',
  'http://localhost:4010/2025-10-13',
  'http://localhost:4010/2025-10-13/',
  'http://localhost:4010/__sandbox',
])('the address %s leads to the control surface', async (baseUrl) => {
  const { fetch } = await openSandbox();
  expect(data(await createControlClient({ baseUrl, fetch }).GET('/health'))).toEqual({ status: 'ready' });
});

test('an answer that never comes is an error that is typed', async () => {
  const fetch = () => Promise.reject(new TypeError('no route'));
  const { error } = await createControlClient({ baseUrl: 'http://localhost:1', fetch }).GET('/health');
  expect(error).toMatchObject({ code: 'NO_RESPONSE', status: 0 });
});
