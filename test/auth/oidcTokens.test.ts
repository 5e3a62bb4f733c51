/**
 * Promise: with magic proofs a wallet registers an OIDC identity with a token of the right structure from a recognised
 * issuer, under the name in the token, once per issuer, audience and subject. Any other token is 401 with its reason
 * (D12, D20, D50, D51).
 */
import { expect, test } from 'vitest';
import { type Answer, openSandbox, type TestSandbox } from '../support/sandbox/harness.ts';
import {
  addCredential,
  magic,
  oauthRequest,
  openSignedInWallet,
  openWallet,
  signAndSend,
  walletState,
} from '../support/scenes/builders.ts';

const path = '/auth/credentials';
const register = (sandbox: TestSandbox, body: object): Promise<Answer> => sandbox.send('POST', path, { body });
const invalidToken = { status: 401, body: { code: 'UNAUTHORIZED', reason: 'Invalid OIDC token' } };
const part = (text: string): string => Buffer.from(text).toString('base64url');
/** The text in base64url, with a byte that isn't UTF-8 in place of its question mark. */
const notUtf8 = (text: string): string => Buffer.from(text.replace('?', '\xff'), 'latin1').toString('base64url');
const payload = part('{"iss":"accounts.google.com","sub":"1"}');

test.each([
  ['the e-mail of the token', { email: 'sub@example.com', sub: '7' }, 'sub@example.com'],
  ['else its subject', { email: undefined, sub: '7' }, '7'],
  ['an empty e-mail is none', { email: '', sub: '7' }, '7'],
  ["an e-mail that isn't text is none", { email: 5, sub: '7' }, '7'],
  ['else its issuer', { email: undefined, sub: undefined }, 'accounts.google.com'],
])('the nickname is %s (D12, D50)', async (_name, claims, nickname) => {
  const sandbox = await openSandbox();
  const { accountId } = await openWallet(sandbox);
  const { status, body } = await register(sandbox, oauthRequest(accountId, claims));
  expect(status).toBe(201);
  expect(body.nickname).toBe(nickname);
  expect(body).not.toHaveProperty('credentialId');
});

test.each([
  ['https://accounts.google.com', 201],
  ['accounts.google.com', 201],
  ['https://appleid.apple.com', 201],
  ['http://accounts.google.com', 401],
  ['https://accounts.google.com/', 401],
  ['https://accounts.google.com.evil.example', 401],
  ['', 401],
  [['accounts.google.com'], 401],
  [undefined, 401],
])('case 76: the issuer %j: %i', async (iss, status) => {
  const sandbox = await openSandbox();
  const { accountId } = await openWallet(sandbox);
  const answer = await register(sandbox, oauthRequest(accountId, { iss }));
  if (status === 201) expect(answer.status).toBe(201);
  else expect(answer).toMatchObject(invalidToken);
});

test.each([
  ['case 76: the magic token of verify', magic.oidcToken],
  ['case 71: an empty third part', `${part('{"alg":"none"}')}.${payload}.`],
  ['no characters', ''],
  ["a third part that isn't base64url", `${part('{}')}.${payload}.c`],
  ['a third part with padding', `${part('{}')}.${payload}.YQ==`],
  ['a third part with left-over bits', `${part('{}')}.${payload}.YR`],
  ['a line break inside', `${part('{}')}.${payload}.c2\nln`],
  ['a line break at its end', `${part('{}')}.${payload}.c2ln\n`],
  ['spaces around it', ` ${part('{}')}.${payload}.c2ln `],
  ['a nickname too long to store', oauthRequest('', { email: `${'a'.repeat(16_384)}@example.com` }).oidcToken],
  ['100,000 characters', 'a'.repeat(100_000)],
  ['an e-mail with a NUL', oauthRequest('', { email: 'a\u0000b@example.com' }).oidcToken],
  ['a subject with half a surrogate pair', oauthRequest('', { sub: '\ud83d' }).oidcToken],
  ['two parts', `${part('{}')}.${payload}`],
  ['four parts', `${part('{}')}.${payload}.c.d`],
  ['an empty header', `.${payload}.c2ln`],
  ["a header that isn't JSON", `${part('alg')}.${payload}.c2ln`],
  ...['[]', 'null', '5', '"alg"', 'true'].flatMap((json): [string, string][] => [
    [`a header that is ${json}`, `${part(json)}.${payload}.c2ln`],
    [`a payload that is ${json}`, `${part('{}')}.${part(json)}.c2ln`],
  ]),
  ['a payload in plain base64 with padding', `${part('{}')}.${Buffer.from('{"a":1}').toString('base64')}==.c2ln`],
  // A lax decoder would read JSON in it, with a replacement character as subject.
  ["a payload that isn't UTF-8", `${part('{}')}.${notUtf8('{"iss":"accounts.google.com","sub":"?"}')}.c2ln`],
  ["a header that isn't UTF-8", `${notUtf8('{"kid":"?"}')}.${payload}.c2ln`],
])("%s isn't a token: 401", async (_name, oidcToken) => {
  const sandbox = await openSandbox();
  const { accountId } = await openWallet(sandbox);
  expect(await register(sandbox, { type: 'OAUTH', accountId, oidcToken })).toMatchObject(invalidToken);
  expect((await walletState(sandbox, accountId)).credentials).toEqual([]);
});

test.each(['none', 'None', 'NONE', 'nOnE', ''])(
  'case 71: magic proofs look at the structure only, so alg %j with a third part will do',
  async (alg) => {
    const sandbox = await openSandbox();
    const { accountId } = await openWallet(sandbox);
    const oidcToken = `${part(JSON.stringify({ alg }))}.${payload}.c2ln`;
    expect((await register(sandbox, { type: 'OAUTH', accountId, oidcToken })).status).toBe(201);
  },
);

test.each([
  ['the same token', {}, 409],
  ['the issuer without its scheme', { iss: 'accounts.google.com' }, 409],
  ['the audience as a list', { aud: ['app'] }, 409],
  ['another e-mail', { email: 'other@example.com' }, 409],
  ['another subject', { sub: '2' }, 201],
  ['another audience', { aud: 'other' }, 201],
  ['no audience', { aud: undefined }, 201],
  ['another issuer', { iss: 'https://appleid.apple.com' }, 201],
])('case 76: a second token with %s: %i', async (_name, claims, status) => {
  const sandbox = await openSandbox();
  const { accountId } = await openSignedInWallet(sandbox);
  await addCredential(sandbox, oauthRequest(accountId));
  const answer = await signAndSend(sandbox, 'POST', path, oauthRequest(accountId, claims));
  expect(answer).toMatchObject({ status, body: status === 409 ? { code: 'CREDENTIAL_ALREADY_EXISTS' } : {} });
});

test('the same identity may sign in to another wallet too', async () => {
  const sandbox = await openSandbox();
  const wallets = [await openWallet(sandbox), await openWallet(sandbox, 'grace@example.com')];
  for (const { accountId } of wallets) {
    expect((await register(sandbox, oauthRequest(accountId))).status).toBe(201);
  }
});
