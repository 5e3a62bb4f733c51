/** Promise: anyone may ask whether the sandbox is ready, and learns nothing else. */
import { expect, test } from 'vitest';
import { expectRefusal } from '../support/expect/apiError.ts';
import { openSandbox } from '../support/sandbox/harness.ts';

test.each([null, undefined, 'Basic nonsense'])('it is, with credentials %s', async (authorization) => {
  const options = authorization === undefined ? {} : { authorization };
  const answer = await (await openSandbox()).control('GET', '/health', options);
  expect([answer.status, answer.body]).toEqual([200, { status: 'ready' }]);
});

test('HEAD and OPTIONS are answered, other methods are 405', async () => {
  const sandbox = await openSandbox();
  expect((await sandbox.control('HEAD', '/health', { authorization: null })).status).toBe(200);
  const options = await sandbox.control('OPTIONS', '/health', { authorization: null });
  expect([options.status, options.headers.get('allow')]).toEqual([204, 'GET, HEAD, OPTIONS']);
  expectRefusal(await sandbox.control('POST', '/health'), 405, 'METHOD_NOT_ALLOWED');
});

test.each(['/health/', '/healthz', '', '/', '/clock/', '/reset/x'])(
  '"%s" isn\'t a path of the control surface',
  async (path) => {
    expectRefusal(await (await openSandbox()).control('GET', path), 404, 'NOT_FOUND');
  },
);

test('the control surface is outside the base address', async () => {
  expectRefusal(await (await openSandbox()).send('GET', '/__sandbox/health'), 404, 'NOT_FOUND');
});
