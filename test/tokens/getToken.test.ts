/** Promise: it returns a token by id, never with its secret, and 404 for any other id (D11). */
import { expect, test } from 'vitest';
import { expectRefusal } from '../support/expect/apiError.ts';
import { testCommonRefusals } from '../support/requests/refusals.ts';
import { openSandbox } from '../support/sandbox/harness.ts';
import { openPlatform } from '../support/sandbox/platforms.ts';
import { makeToken, withoutSecret } from '../support/scenes/tokens.ts';

testCommonRefusals('getToken', '/tokens/Token:none');

test('case 35: answers what the creation answered, without the secret, even to the token itself', async () => {
  const sandbox = await openSandbox();
  const { token, authorization } = await makeToken(sandbox, ['TRANSACT', 'VIEW']);
  await sandbox.advance(60);
  for (const options of [{}, { authorization }]) {
    const { status, body } = await sandbox.send('GET', `/tokens/${token.id}`, options);
    expect([status, body]).toEqual([200, withoutSecret(token)]);
    expect(JSON.stringify(body)).not.toContain(token.clientSecret);
  }
});

test.each([
  ['unknown', 'Token:0199dccc-0000-7000-8000-000000000000'],
  ['too long', `Token:${'a'.repeat(65)}`],
  ['empty', 'Token:'],
  ['of another type', 'Customer:a'],
  ['a client id', 'sandbox'],
  ['in another case', 'token:a'],
])('an id that is %s is 404', async (_name, id) => {
  expectRefusal(await (await openSandbox()).send('GET', `/tokens/${id}`), 404, 'TOKEN_NOT_FOUND');
});

test("another platform's token is 404", async () => {
  const sandbox = await openSandbox();
  const { token } = await makeToken(await openPlatform(sandbox));
  expectRefusal(await sandbox.send('GET', `/tokens/${token.id}`), 404, 'TOKEN_NOT_FOUND');
});
