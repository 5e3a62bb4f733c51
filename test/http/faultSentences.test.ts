/** Promise: the same mistake gets the same sentence everywhere, and the sentence says what to do (D05). */
import { expect, test } from 'vitest';
import { expectRefusal } from '../support/expect/apiError.ts';
import { openSandbox } from '../support/sandbox/harness.ts';

const damaged = 'is not a cursor of this list with these filters; start again without a cursor';

test.each(['', 'abc', 'x'.repeat(513)])('an invalid cursor: "%.10s"', async (cursor) => {
  const sandbox = await openSandbox();
  for (const path of ['/customers', '/transactions', '/tokens', '/uma-providers', '/exchange-rates']) {
    const refused = expectRefusal(await sandbox.send('GET', `${path}?cursor=${cursor}`), 400, 'INVALID_INPUT');
    expect(refused.details?.errors).toEqual([{ in: 'query', pointer: '/cursor', message: damaged }]);
  }
});

test.each([
  ['/customers', {}, '/customerType'],
  ['/auth/credentials', {}, '/type'],
  ['/customers/external-accounts', { currency: 'USD', accountInfo: {} }, '/accountInfo/accountType'],
  [
    '/quotes',
    { source: {}, destination: {}, lockedCurrencySide: 'SENDING', lockedCurrencyAmount: 1 },
    '/source/sourceType',
  ],
])(
  'a field that is missing is required, also where it tells kinds of bodies apart: %s',
  async (path, body, pointer) => {
    const refused = expectRefusal(await (await openSandbox()).send('POST', path, { body }), 400, 'INVALID_INPUT');
    expect(refused.details?.errors).toContainEqual({ in: 'body', pointer, message: 'is required' });
  },
);

test('one that is there and is none of the kinds lists them', async () => {
  const body = { customerType: 'ROBOT' };
  const refused = expectRefusal(await (await openSandbox()).send('POST', '/customers', { body }), 400, 'INVALID_INPUT');
  const message = 'must be one of INDIVIDUAL, BUSINESS';
  expect(refused.details?.errors).toEqual([{ in: 'body', pointer: '/customerType', message }]);
});

test.each([
  ['', 'must not be empty'],
  ['x'.repeat(256), 'must have at most 255 characters'],
])('a text of a wrong length says which is right', async (name, message) => {
  const body = { name, permissions: ['VIEW'] };
  const refused = expectRefusal(await (await openSandbox()).send('POST', '/tokens', { body }), 400, 'INVALID_INPUT');
  expect(refused.details?.errors).toEqual([{ in: 'body', pointer: '/name', message }]);
});
