/**
 * Promise: a key set at an address is fetched on every call, so a new key is valid at once and a withdrawn one invalid.
 * If the key set can't be fetched, the token is refused, but the service has no error. Every platform has its own
 * issuer, and tokens of one platform aren't valid on another (D20, D59, D60).
 */
import { describe, expect, test } from 'vitest';
import {
  claimsOf,
  type IssuerKey,
  invalidToken,
  makeIssuerKey,
  openKeyServer,
  openTrusting,
  signToken,
  startSeconds,
  testIssuer,
} from '../../support/proofs/issuer.ts';
import { mintToken } from '../../support/proofs/prover.ts';
import { basic, openSandbox, origin } from '../../support/sandbox/harness.ts';
import { clientKeys, oidcToken, openWallet } from '../../support/scenes/builders.ts';

const key = makeIssuerKey('ES256', 'k1');
const tokenBy = (signer: IssuerKey) => signToken(signer, claimsOf(testIssuer));

describe('a key set behind an address', () => {
  const rotated = makeIssuerKey('ES256', 'k2');

  test('is fetched once on every call, whatever the token is', async () => {
    const server = await openKeyServer([key]);
    const { register, signIn } = await openTrusting(server);
    const { body: credential } = await register(await tokenBy(key));
    expect(server.fetches()).toBe(1);
    expect((await signIn(credential.id, await tokenBy(key))).status).toBe(200);
    expect(server.fetches()).toBe(2);
    for (const stranger of [rotated, makeIssuerKey('ES256', 'k1')]) {
      expect(await signIn(credential.id, await tokenBy(stranger))).toMatchObject(invalidToken);
    }
    expect(server.fetches()).toBe(4);
  });

  test.each([
    ['under the same kid', 'r2'],
    ['in a set without kid', undefined],
  ])('case 132: a key replaced %s is used at once, the withdrawn one is refused', async (_name, kid) => {
    const [before, after] = [makeIssuerKey('ES256', kid), makeIssuerKey('ES256', kid)];
    const server = await openKeyServer([before]);
    const { register, signIn, count } = await openTrusting(server);
    const { body: credential } = await register(await tokenBy(before));
    expect((await signIn(credential.id, await tokenBy(before))).status).toBe(200);
    server.serve([after]);
    expect((await signIn(credential.id, await tokenBy(after))).status).toBe(200);
    expect(await signIn(credential.id, await tokenBy(before))).toMatchObject(invalidToken);
    expect(await count()).toEqual({ credentials: 1, sessions: 2 });
  });

  test("that can't be fetched: the last one stands in for 60 seconds of the platform's clock", async () => {
    const server = await openKeyServer([key]);
    const { sandbox, register, signIn } = await openTrusting(server);
    const { body: credential } = await register(await tokenBy(key));
    server.fail(503, '');
    const tokenAt = async (seconds: number) =>
      signIn(credential.id, await signToken(key, claimsOf(testIssuer, { iat: startSeconds + seconds })));
    expect((await tokenAt(0)).status).toBe(200);
    await sandbox.advance(60);
    expect((await tokenAt(60)).status).toBe(200);
    await sandbox.advance(0.001);
    const late = await tokenAt(61);
    expect(late).toMatchObject(invalidToken);
    expect(late.body.details.hint).toBe("the issuer's key set can't be fetched: its address answers 503");
    // To use the kept set isn't a fetch, so it doesn't extend the set's minute.
    server.serve([rotated]);
    expect(await tokenAt(61)).toMatchObject(invalidToken);
    server.fail(503, '');
    expect(await tokenAt(61)).toMatchObject(invalidToken);
  });

  test('a new key is taken up by its kid, an old one goes', async () => {
    const server = await openKeyServer([key]);
    const { register, signIn } = await openTrusting(server);
    const { body: credential } = await register(await tokenBy(key));
    server.serve([rotated]);
    expect((await signIn(credential.id, await tokenBy(rotated))).status).toBe(200);
    expect(await signIn(credential.id, await tokenBy(key))).toMatchObject(invalidToken);
  });

  test.each<[string, number, string, Readonly<Record<string, string>>?]>([
    ['an error', 500, '{"keys":[]}'],
    ['no JSON', 200, '<html>'],
    ['no key set', 200, '{"keys":7}'],
    ['null', 200, 'null'],
    ['a redirect', 302, '', { location: 'http://127.0.0.1:1/jwks' }],
  ])('that answers %s: 401, and good again when it is', async (_name, status, text, headers) => {
    const server = await openKeyServer([key]);
    const { register } = await openTrusting(server);
    server.fail(status, text, headers);
    expect(await register(await tokenBy(key))).toMatchObject(invalidToken);
    server.serve([key]);
    expect((await register(await tokenBy(key))).status).toBe(201);
  });

  test('that nobody answers at: 401', async () => {
    const { set, register } = await openTrusting([key]);
    await set({ issuers: [{ issuer: testIssuer, jwksUri: 'http://127.0.0.1:1/jwks' }] });
    expect(await register(await tokenBy(key))).toMatchObject(invalidToken);
  });

  test('the settings decide which address is asked', async () => {
    const [first, second] = [await openKeyServer([key]), await openKeyServer([rotated])];
    const { set, register, signIn } = await openTrusting(first);
    const { body: credential } = await register(await tokenBy(key));
    await set({ issuers: [{ issuer: testIssuer, jwksUri: second.uri }] });
    expect(await signIn(credential.id, await tokenBy(key))).toMatchObject(invalidToken);
    expect((await signIn(credential.id, await tokenBy(rotated))).status).toBe(200);
  });
});

test('a key set of an address that the settings dropped meanwhile stands in for nothing', async () => {
  const [first, second] = [await openKeyServer([key]), await openKeyServer([key])];
  const { set, register, signIn } = await openTrusting(first);
  const { body: credential } = await register(await tokenBy(key));
  await set({ issuers: [{ issuer: testIssuer, jwksUri: second.uri }] });
  expect((await signIn(credential.id, await tokenBy(key))).status).toBe(200);
  await set({ issuers: [{ issuer: testIssuer, jwksUri: first.uri }] });
  first.fail(503, '');
  expect(await signIn(credential.id, await tokenBy(key))).toMatchObject(invalidToken);
});

describe("the platform's own issuer", () => {
  async function openOwn() {
    const sandbox = await openSandbox({ proofs: 'real' });
    const { accountId } = await openWallet(sandbox);
    const register = (token: string) =>
      sandbox.send('POST', '/auth/credentials', { body: { type: 'OAUTH', accountId, oidcToken: token } });
    return { sandbox, register };
  }

  test.each(['http://127.0.0.1:4010', 'http://[::1]:4010', 'http://localhost:5999', 'https://localhost'])(
    'is the same at %s: who registered at one address signs in at another',
    async (address) => {
      const { sandbox, register } = await openOwn();
      const { body: credential } = await register(await mintToken(sandbox, { sub: 'ada' }));
      const there = await mintToken(sandbox, { sub: 'ada', iss: `${address}/__sandbox/oidc/sandbox` });
      const body = { type: 'OAUTH', oidcToken: there, clientPublicKey: clientKeys().publicKeyHex };
      const answer = await sandbox.send('POST', `/auth/credentials/${credential.id}/verify`, { body });
      expect(answer.status).toBe(200);
    },
  );

  test.each([
    'http://evil.example/__sandbox/oidc/sandbox',
    'http://localhost.evil.example/__sandbox/oidc/sandbox',
    'http://localhost:4010@evil.example/__sandbox/oidc/sandbox',
    'http://localhost:4010/__sandbox/oidc/sandbox/',
    'http://localhost:4010/__sandbox/oidc/',
    'http://localhost:4010/evil?/__sandbox/oidc/sandbox',
    '/__sandbox/oidc/sandbox',
  ])('is not at %s', async (iss) => {
    const { sandbox, register } = await openOwn();
    expect(await register(await mintToken(sandbox, { sub: 'ada', iss }))).toMatchObject(invalidToken);
  });

  test("another platform's tokens aren't valid here, even if they name our issuer", async () => {
    const { sandbox, register } = await openOwn();
    const { body: other } = await sandbox.control('POST', '/platforms', { body: { proofs: 'real' } });
    const authorization = basic(other.clientId, other.clientSecret);
    const issuer = `${origin}/__sandbox/oidc/sandbox`;
    for (const claims of [{ sub: 'ada' }, { sub: 'ada', iss: issuer }]) {
      const { body } = await sandbox.control('POST', '/oidc/token', { body: claims, authorization });
      expect(await register(body.idToken)).toMatchObject(invalidToken);
    }
  });

  test('publishes the key by which its tokens verify, and they name it', async () => {
    const { sandbox, register } = await openOwn();
    const { body: discovery } = await sandbox.control('GET', '/oidc/sandbox/.well-known/openid-configuration');
    const { body: jwks } = await sandbox.control('GET', '/oidc/sandbox/jwks');
    expect(discovery).toMatchObject({
      issuer: `${origin}/__sandbox/oidc/sandbox`,
      jwks_uri: `${discovery.issuer}/jwks`,
    });
    const token = await mintToken(sandbox, { sub: 'ada' });
    const [header, claims] = token.split('.').slice(0, 2).map(read);
    expect(jwks.keys).toEqual([expect.objectContaining({ kid: header['kid'], alg: header['alg'] })]);
    expect(JSON.stringify(jwks)).not.toMatch(/"d"/);
    expect(claims).toMatchObject({ iss: discovery.issuer, aud: 'countersign-app', sub: 'ada' });
    // A token in the form of magic proofs isn't valid here.
    expect(await register(oidcToken({ iss: discovery.issuer }))).toMatchObject(invalidToken);
  });
});

function read(part: string) {
  return JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
}
