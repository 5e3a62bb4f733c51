/**
 * Promise: with real proofs an OIDC token is checked at registration and at every verification. Its issuer and audience
 * must be those of the settings, it must be as recent as D20 requires, and it must have the registered identity. A
 * nonce binds it to the client's key. Every other token is 401 and changes nothing (D20, D60).
 */
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  claimsOf,
  invalidToken,
  makeIssuerKey,
  openTrusting,
  signToken,
  startSeconds,
  testIssuer,
} from '../../support/proofs/issuer.ts';
import { clientKeys, magic } from '../../support/scenes/builders.ts';

const key = makeIssuerKey('ES256', 'k1');
const token = (claims: Readonly<Record<string, unknown>> = {}) => signToken(key, claimsOf(testIssuer, claims));

/** Tries a token with those claims at registration and, after another one was registered, at verification. */
async function tryBoth(claims: (now: number) => Readonly<Record<string, unknown>>, advance = 0) {
  const { sandbox, register, signIn, count, open } = await openTrusting([key]);
  const { body: credential } = await register(await token());
  await sandbox.advance(advance);
  const now = startSeconds + advance;
  const tried = await token({ iat: now, exp: now + 3600, ...claims(now) });
  const verified = await signIn(credential.id, tried);
  const other = await open('grace@example.com');
  const registered = await other.register(tried);
  expect(await count()).toEqual({ credentials: 1, sessions: verified.status === 200 ? 1 : 0 });
  expect(await other.count()).toEqual({ credentials: registered.status === 201 ? 1 : 0, sessions: 0 });
  return { verified, registered };
}

describe('the form of a token (D17)', () => {
  const cut = (text: string, at: number) => [text.slice(0, at), text.slice(at)] as const;
  const forms: readonly (readonly [string, (good: string) => string])[] = [
    ['a line break at its end', (good) => `${good}\n`],
    ['a line break inside the signature', (good) => cut(good, good.length - 5).join('\n')],
    ['spaces around', (good) => ` ${good} `],
    ['a space inside the payload', (good) => cut(good, good.indexOf('.') + 5).join(' ')],
    ['padding', (good) => `${good}==`],
    ['bits left over', (good) => good.replace(/.$/, (last) => (last === 'B' ? 'C' : 'B'))],
    [
      'the alphabet of plain base64',
      (good) =>
        good
          .replaceAll('-', '+')
          .replaceAll('_', '/')
          .replace(/\.[^.]*$/, '.+/+/'),
    ],
    ['100,000 characters', (good) => good.padEnd(100_000, 'A')],
  ];
  test.each(forms)('with %s: 401', async (_name, change) => {
    const { register, signIn, count } = await openTrusting([key]);
    const good = await token();
    expect(await register(change(good))).toMatchObject(invalidToken);
    const { body: credential } = await register(good);
    expect(await signIn(credential.id, change(await token()))).toMatchObject(invalidToken);
    expect(await count()).toEqual({ credentials: 1, sessions: 0 });
  });
});

describe('times', () => {
  const rows: readonly (readonly [string, boolean, (now: number) => Readonly<Record<string, unknown>>])[] = [
    ['case 70: iat 60 s ago', true, (now) => ({ iat: now - 60 })],
    ['case 70: iat 61 s ago', false, (now) => ({ iat: now - 61 })],
    ['case 70: iat 3 s ahead', true, (now) => ({ iat: now + 3 })],
    ['case 70: iat 5 s ahead', true, (now) => ({ iat: now + 5 })],
    ['case 70: iat 6 s ahead', false, (now) => ({ iat: now + 6 })],
    ['case 70: iat 600 s ahead', false, (now) => ({ iat: now + 600 })],
    ['case 70: exp a second ahead', true, (now) => ({ exp: now + 1 })],
    ['case 70: exp now', false, (now) => ({ exp: now })],
    ['case 70: exp past, within the leeway for iat', false, (now) => ({ exp: now - 3 })],
    ['no iat', false, () => ({ iat: undefined })],
    ['no exp', false, () => ({ exp: undefined })],
    ['iat as text', false, (now) => ({ iat: String(now) })],
    ['exp as text', false, (now) => ({ exp: String(now + 60) })],
    ['times in milliseconds', false, (now) => ({ iat: now * 1000, exp: now * 1000 + 60_000 })],
    ['nbf past', true, (now) => ({ nbf: now - 60 })],
    ['nbf 600 s ahead', false, (now) => ({ nbf: now + 600 })],
  ];
  test.each(rows)("%s, on the platform's clock: %s", async (_name, accepted, claims) => {
    const { verified, registered } = await tryBoth(claims, 86_400);
    expect(verified).toMatchObject(accepted ? { status: 200 } : invalidToken);
    expect(registered).toMatchObject(accepted ? { status: 201 } : invalidToken);
  });

  test('a token that was good is too old a minute later, on every verify', async () => {
    const { sandbox, register, signIn } = await openTrusting([key]);
    const good = await token();
    const { body: credential } = await register(good);
    expect((await signIn(credential.id, good)).status).toBe(200);
    await sandbox.advance(60);
    expect((await signIn(credential.id, good)).status).toBe(200);
    await sandbox.advance(1);
    expect(await signIn(credential.id, good)).toMatchObject(invalidToken);
  });
});

describe('case 73: audiences', () => {
  const app = 'countersign-app';
  test.each<[unknown, unknown, boolean]>([
    [app, undefined, true],
    [[app], undefined, true],
    [[app, 'countersign-admin'], undefined, true],
    [[app, 'stranger'], undefined, false],
    [[app, 'stranger'], app, true],
    [['stranger', 'other'], app, false],
    [[app, 'countersign-admin'], 'stranger', false],
    [[app, 'stranger'], 'stranger', false],
    [app, app, true],
    [app, 'countersign-admin', true],
    [app, 'stranger', false],
    ['stranger', undefined, false],
    ['stranger', app, false],
    ['Countersign-App', undefined, false],
    ['', undefined, false],
    [[], undefined, false],
    [[], app, false],
    [['', app], app, false],
    [[app, 7], app, false],
    [[[app]], undefined, false],
    [undefined, undefined, false],
    [undefined, app, false],
    [null, undefined, false],
    [app, [app], false],
    [app, null, false],
    [{ 0: app }, undefined, false],
  ])('aud %j, azp %j: %s', async (aud, azp, accepted) => {
    const { set, register } = await openTrusting([key]);
    await set({ audiences: [app, 'countersign-admin'] });
    expect(await register(await token({ aud, azp }))).toMatchObject(accepted ? { status: 201 } : invalidToken);
  });

  test('the current settings decide', async () => {
    const { set, register, signIn } = await openTrusting([key]);
    await set({ audiences: ['other-app'] });
    expect(await register(await token())).toMatchObject(invalidToken);
    const { body: credential } = await register(await token({ aud: 'other-app' }));
    await set({ audiences: [app] });
    expect(await signIn(credential.id, await token({ aud: 'other-app' }))).toMatchObject(invalidToken);
  });
});

describe('the identity', () => {
  test.each<[string, Readonly<Record<string, unknown>>, boolean]>([
    ['the same', {}, true],
    ['its audience as a list', { aud: ['countersign-app'] }, true],
    ['another e-mail, which is only a name', { email: 'other@example.com' }, true],
    ['another subject', { sub: 'user-2' }, false],
    ['the subject in capitals', { sub: 'USER-1' }, false],
    ['another accepted audience', { aud: 'countersign-admin' }, false],
    ['another trusted issuer', { iss: 'https://other.example' }, false],
    ['no subject', { sub: undefined }, false],
    ['an empty subject', { sub: '' }, false],
    ['a subject that is a number', { sub: 1 }, false],
  ])('%s: %s', async (_name, claims, accepted) => {
    const { set, register, signIn } = await openTrusting([key]);
    const jwks = { keys: [key.publicJwk] };
    const issuers = [testIssuer, 'https://other.example'].map((issuer) => ({ issuer, jwks }));
    await set({ issuers, audiences: ['countersign-app', 'countersign-admin'] });
    const { body: credential } = await register(await token());
    const answer = await signIn(credential.id, await token(claims));
    expect(answer).toMatchObject(accepted ? { status: 200 } : invalidToken);
  });

  test.each([{ sub: undefined }, { sub: '' }, { sub: 7 }, { sub: 'a\u0000b' }, { sub: '\ud800' }])(
    'without a subject, or with one that cannot be kept, nothing is registered: %j',
    async (claims) => {
      const { register, count } = await openTrusting([key]);
      expect(await register(await token(claims))).toMatchObject(invalidToken);
      expect(await count()).toEqual({ credentials: 0, sessions: 0 });
    },
  );

  test('the e-mail names the credential, or else the subject', async () => {
    const { register, open } = await openTrusting([key]);
    expect((await register(await token({ email: 'ada@example.com' }))).body.nickname).toBe('ada@example.com');
    const other = await open('grace@example.com');
    expect((await other.register(await token())).body.nickname).toBe('user-1');
  });

  test('case 76: one identity once per wallet, and on another wallet too', async () => {
    const { sandbox, accountId, register, open } = await openTrusting([key]);
    expect((await register(await token())).status).toBe(201);
    const body = { type: 'OAUTH', accountId, oidcToken: await token({ email: 'other@example.com' }) };
    const again = await sandbox.send('POST', '/auth/credentials', { body });
    expect(again).toMatchObject({ status: 409, body: { code: 'CREDENTIAL_ALREADY_EXISTS' } });
    const other = await open('grace@example.com');
    expect((await other.register(await token())).status).toBe(201);
  });
});

describe('the nonce', () => {
  const { publicKeyHex } = clientKeys(3);
  const hash = (text: string | Uint8Array) => createHash('sha256').update(text);
  test.each<[string, unknown, boolean]>([
    ['absent', undefined, true],
    ["the hash of the key's text", hash(publicKeyHex).digest('hex'), true],
    ["the hash of the key's bytes", hash(Buffer.from(publicKeyHex, 'hex')).digest('hex'), false],
    ['that of another key', hash(clientKeys(4).publicKeyHex).digest('hex'), false],
    ['the hash in base64url', hash(publicKeyHex).digest('base64url'), false],
    ['the hash in capitals', hash(publicKeyHex).digest('hex').toUpperCase(), false],
    ['the key itself', publicKeyHex, false],
    ['empty', '', false],
    ['null', null, false],
  ])('%s: %s', async (_name, nonce, accepted) => {
    const { register, signIn } = await openTrusting([key]);
    const { body: credential } = await register(await token());
    const answer = await signIn(credential.id, await token({ nonce }), publicKeyHex);
    expect(answer).toMatchObject(accepted ? { status: 200 } : invalidToken);
  });

  test('at registration there is no key yet, so any will do', async () => {
    const { register } = await openTrusting([key]);
    expect((await register(await token({ nonce: 'of a sign-in page' }))).status).toBe(201);
  });
});

describe('the issuer', () => {
  test.each([
    'https://issuer.example/',
    'http://issuer.example',
    'issuer.example',
    '',
    undefined,
    null,
    7,
    [testIssuer],
  ])('case 76: %j is none of the settings: 401', async (iss) => {
    const { register, count } = await openTrusting([key]);
    expect(await register(await token({ iss }))).toMatchObject(invalidToken);
    expect(await count()).toEqual({ credentials: 0, sessions: 0 });
  });

  test("the issuers of magic proofs aren't recognised", async () => {
    const { register } = await openTrusting([key]);
    for (const iss of ['https://accounts.google.com', 'https://appleid.apple.com']) {
      expect(await register(await token({ iss }))).toMatchObject(invalidToken);
    }
  });

  test('one that is taken out of the settings is believed no longer', async () => {
    const { set, register, signIn } = await openTrusting([key]);
    const { body: credential } = await register(await token());
    await set({ issuers: [] });
    expect(await signIn(credential.id, await token())).toMatchObject(invalidToken);
  });

  test('case 76: the magic token is none, to register or to sign in', async () => {
    const { register, signIn } = await openTrusting([key]);
    expect(await register(magic.oidcToken)).toMatchObject(invalidToken);
    const { body: credential } = await register(await token());
    expect(await signIn(credential.id, magic.oidcToken)).toMatchObject(invalidToken);
  });
});
