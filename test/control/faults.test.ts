/**
 * Promise: a planted fault is shown until it is removed, a malformed one plants nothing, and no fault occurs without
 * being planted (D43). test/customers/updateCustomer.emailConflicts.test.ts tests the fault of an e-mail sync.
 */
import { describe, expect, test } from 'vitest';
import { expectRefusal, faultPlaces } from '../support/expect/apiError.ts';
import { openSandbox, type TestSandbox } from '../support/sandbox/harness.ts';

const read = async (sandbox: TestSandbox) => (await sandbox.control('GET', '/faults')).body;
const plant = (sandbox: TestSandbox, body?: unknown) => sandbox.control('PUT', '/faults', { body });
const fault = { emailOtpSync: { failAt: 1 } };

test('none at first; planted, replaced and taken away, each answer shows what there is', async () => {
  const sandbox = await openSandbox();
  expect(await read(sandbox)).toEqual({});
  for (const failAt of [1, 0, 99]) {
    const answer = await plant(sandbox, { emailOtpSync: { failAt } });
    expect([answer.status, answer.body]).toEqual([200, { emailOtpSync: { failAt } }]);
    expect(await read(sandbox)).toEqual({ emailOtpSync: { failAt } });
  }
  const removed = await sandbox.control('DELETE', '/faults');
  expect([removed.status, removed.body, await read(sandbox)]).toEqual([200, {}, {}]);
  expect((await sandbox.control('DELETE', '/faults')).status).toBe(200);
});

test.each([
  ['an empty body', (sandbox: TestSandbox) => plant(sandbox, {})],
  ['a reset', (sandbox: TestSandbox) => sandbox.control('POST', '/reset')],
])('%s takes it away', async (_name, take) => {
  const sandbox = await openSandbox();
  await plant(sandbox, fault);
  await take(sandbox);
  expect(await read(sandbox)).toEqual({});
});

describe('refusals', () => {
  test.each<[name: string, body: unknown, places: string[]]>([
    ['an unknown fault', { network: {} }, ['body /network']],
    ['a fault without its place', { emailOtpSync: {} }, ['body /emailOtpSync/failAt']],
    ['a place before the first', { emailOtpSync: { failAt: -1 } }, ['body /emailOtpSync/failAt']],
    ['a place between two', { emailOtpSync: { failAt: 0.5 } }, ['body /emailOtpSync/failAt']],
    ['a place that is text', { emailOtpSync: { failAt: '0' } }, ['body /emailOtpSync/failAt']],
    ['more about it', { emailOtpSync: { failAt: 0, times: 2 } }, ['body /emailOtpSync/times']],
    ['one that is only on', { emailOtpSync: true }, ['body /emailOtpSync']],
  ])('%s: 400, and what was planted stays', async (_name, body, places) => {
    const sandbox = await openSandbox();
    await plant(sandbox, fault);
    expect(faultPlaces(expectRefusal(await plant(sandbox, body), 400, 'INVALID_INPUT'))).toEqual(places);
    expect(await read(sandbox)).toEqual(fault);
  });
});
