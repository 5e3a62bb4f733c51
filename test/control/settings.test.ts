/**
 * Promise: a platform's settings can be read. A change replaces the named ones and keeps the rest, and a malformed
 * change has no effect (D43).
 */
import { describe, expect, test } from 'vitest';
import { expectRefusal, faultPlaces } from '../support/expect/apiError.ts';
import { must, openSandbox, type TestSandbox } from '../support/sandbox/harness.ts';
import { openWallet, registerEmailOtp, signIn } from '../support/scenes/builders.ts';

const atFirst = {
  proofs: 'magic',
  origins: ['http://localhost', 'http://localhost:*', 'https://localhost:*'],
  rpIds: ['localhost'],
  topOrigins: [],
  issuers: [],
  audiences: ['countersign-app'],
};
const read = async (sandbox: TestSandbox) => (await sandbox.control('GET', '/settings')).body;
const change = (sandbox: TestSandbox, body: unknown) => sandbox.control('PUT', '/settings', { body });
const key = { kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA', kid: 'one' };

test('at first: magic proofs, this machine as origin, no issuer but the local one', async () => {
  expect(await read(await openSandbox())).toEqual(atFirst);
  expect((await read(await openSandbox({ proofs: 'real' }))).proofs).toBe('real');
});

describe('a change', () => {
  test.each<[name: string, body: object]>([
    ['proofs', { proofs: 'real' }],
    ['origins', { origins: ['https://app.example', 'http://localhost:*'] }],
    ['an Android app as origin', { origins: ['android:apk-key-hash:AAAA'] }],
    ['rpIds', { rpIds: ['app.example'] }],
    ['topOrigins', { topOrigins: ['https://shop.example'] }],
    ['audiences', { audiences: ['a', 'b'] }],
    ['an issuer with its keys', { issuers: [{ issuer: 'https://a.example', jwks: { keys: [key] } }] }],
    ['an issuer with no key yet', { issuers: [{ issuer: 'https://a.example', jwks: { keys: [] } }] }],
    ['an issuer by address', { issuers: [{ issuer: 'a', jwksUri: 'http://127.0.0.1:1/keys' }] }],
    ['emptied lists', { origins: [], rpIds: [], topOrigins: [], issuers: [], audiences: [] }],
    ['all of them', { ...atFirst, proofs: 'real', origins: ['http://a.example'], rpIds: ['a.example'] }],
  ])('of %s keeps the rest', async (_name, body) => {
    const sandbox = await openSandbox();
    const answer = await change(sandbox, body);
    expect([answer.status, answer.body]).toEqual([200, { ...atFirst, ...body }]);
    expect(await read(sandbox)).toEqual({ ...atFirst, ...body });
  });

  test('follows on another, and a reset takes both back', async () => {
    const sandbox = await openSandbox();
    await change(sandbox, { proofs: 'real', rpIds: ['a.example'] });
    await change(sandbox, { rpIds: ['b.example', 'c.example'] });
    expect(await read(sandbox)).toEqual({ ...atFirst, proofs: 'real', rpIds: ['b.example', 'c.example'] });
    must(await sandbox.control('POST', '/reset'));
    expect(await read(sandbox)).toEqual(atFirst);
  });

  test('of proofs works from the next request on, both ways', async () => {
    const sandbox = await openSandbox();
    const sent = async () => (await sandbox.control('GET', '/outbox')).body.data.length;
    const register = async (email: string) => {
      const { accountId } = await openWallet(sandbox, email);
      return registerEmailOtp(sandbox, accountId);
    };
    await signIn(sandbox, (await register('a@example.com')).id);
    expect(await sent()).toBe(0);
    await change(sandbox, { proofs: 'real' });
    await register('b@example.com');
    expect(await sent()).toBe(1);
    await change(sandbox, { proofs: 'magic' });
    await signIn(sandbox, (await register('c@example.com')).id);
    expect(await sent()).toBe(1);
  });
});

describe('refusals', () => {
  const issuer = 'https://a.example';
  test.each<[name: string, body: unknown, places: string[]]>([
    ['nothing', {}, ['body ']],
    ['no body', undefined, ['body ']],
    ['an unknown setting', { clock: 1 }, ['body /clock']],
    ['proofs of another kind', { proofs: 'Real' }, ['body /proofs']],
    ['proofs of no kind', { proofs: null }, ['body /proofs']],
    ['an origin alone', { origins: 'http://localhost' }, ['body /origins']],
    ["an origin that isn't text", { origins: [1] }, ['body /origins/0']],
    ['an empty rpId', { rpIds: ['localhost', ''] }, ['body /rpIds/1']],
    ['any page as a top origin', { topOrigins: ['https://a.example', '*'] }, ['body /topOrigins/1']],
    ['any port of a top origin', { topOrigins: ['https://a.example:*'] }, ['body /topOrigins/0']],
    ['an audience that is too long', { audiences: ['a'.repeat(513)] }, ['body /audiences/0']],
    ['too many of them', { audiences: Array.from({ length: 101 }, (_, index) => `a${index}`) }, ['body /audiences']],
    ['an issuer alone', { issuers: issuer }, ['body /issuers']],
    ['an issuer as text', { issuers: [issuer] }, ['body /issuers/0']],
    ['neither keys nor address', { issuers: [{ issuer }] }, ['body /issuers/0']],
    ['both', { issuers: [{ issuer, jwks: { keys: [] }, jwksUri: 'https://a.example' }] }, ['body /issuers/0']],
    ['keys of nobody', { issuers: [{ jwks: { keys: [] } }] }, ['body /issuers/0', 'body /issuers/0/issuer']],
    ['a key set without keys', { issuers: [{ issuer, jwks: {} }] }, ['body /issuers/0/jwks/keys']],
    ['a key without kty', { issuers: [{ issuer, jwks: { keys: [{}] } }] }, ['body /issuers/0/jwks/keys/0/kty']],
    ['an address of another scheme', { issuers: [{ issuer, jwksUri: 'file:///keys' }] }, ['body /issuers/0/jwksUri']],
    ['an invalid address', { issuers: [{ issuer, jwksUri: 'keys' }] }, ['body /issuers/0/jwksUri']],
    ['more about an issuer', { issuers: [{ issuer, keys: [] }] }, ['body /issuers/0/keys']],
    ['one fault beside what is right', { proofs: 'real', rpIds: [''] }, ['body /rpIds/0']],
  ])('%s: 400, and nothing changes', async (_name, body, places) => {
    const sandbox = await openSandbox();
    const refused = expectRefusal(await change(sandbox, body), 400, 'INVALID_INPUT');
    expect(faultPlaces(refused)).toEqual(places);
    expect(await read(sandbox)).toEqual(atFirst);
  });

  test('what an issuer lacks is said in words', async () => {
    const refused = await change(await openSandbox(), { issuers: [{ issuer }] });
    expect(refused.body.message).toContain('must have issuer and one of jwks and jwksUri');
  });
});
