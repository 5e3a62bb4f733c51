/**
 * Promise: every platform has its own issuer, with the documents of OpenID Connect Discovery. Its tokens verify with
 * its published key, and are invalid on other platforms (D59). test/auth/real/ tests what a token needs.
 */
import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose';
import { describe, expect, test } from 'vitest';
import { seededChance } from '../../mocks/sandbox/tools/chance.ts';
import { expectRefusal, faultPlaces } from '../support/expect/apiError.ts';
import { openPort } from '../support/process/server.ts';
import { must, openSandbox, origin, startOfTime, type TestSandbox } from '../support/sandbox/harness.ts';
import { openPlatform } from '../support/sandbox/platforms.ts';
import { oauthRequest, openWallet } from '../support/scenes/builders.ts';

const now = startOfTime / 1000;
const issuerOf = (platformId: string): string => `${origin}/__sandbox/oidc/${platformId}`;
const mint = (sandbox: TestSandbox, body: unknown) => sandbox.control('POST', '/oidc/token', { body });
const keysOf = async (sandbox: TestSandbox, platformId: string) =>
  (await sandbox.control('GET', `/oidc/${platformId}/jwks`, { authorization: null })).body;

describe('the documents', () => {
  test('discovery leads to the key set, and its key verifies a token', async () => {
    const sandbox = await openSandbox();
    const path = '/oidc/sandbox/.well-known/openid-configuration';
    const discovery = await sandbox.control('GET', path, { authorization: null });
    expect([discovery.status, discovery.body]).toEqual([
      200,
      {
        issuer: issuerOf('sandbox'),
        jwks_uri: `${issuerOf('sandbox')}/jwks`,
        response_types_supported: ['id_token'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['ES256'],
      },
    ]);
    const keys = await (await sandbox.fetch(new Request(discovery.body.jwks_uri))).json();
    const { status, body } = await mint(sandbox, { sub: 'user-1', email: 'ada@example.com' });
    expect([status, body.issuer]).toEqual([201, discovery.body.issuer]);
    const options = { issuer: body.issuer, audience: 'countersign-app', currentDate: new Date(startOfTime) };
    const verified = await jwtVerify(body.idToken, createLocalJWKSet(keys), options);
    expect(verified.protectedHeader).toEqual({ alg: 'ES256', kid: keys.keys[0].kid });
    const claims = { sub: 'user-1', email: 'ada@example.com', aud: 'countersign-app' };
    expect(verified.payload).toEqual({ ...claims, iss: body.issuer, iat: now, exp: now + 3600 });
  });

  test('the key set has one key, public and named', async () => {
    const { keys } = await keysOf(await openSandbox(), 'sandbox');
    const text = expect.stringMatching(/^[\w-]{43}$/);
    const kid = expect.stringMatching(/^[\w-]{16}$/);
    expect(keys).toEqual([{ kty: 'EC', crv: 'P-256', alg: 'ES256', use: 'sig', kid, x: text, y: text }]);
  });

  test('the key stays through a reset, and differs by platform and by store', async () => {
    const sandbox = await openSandbox();
    const platform = await openPlatform(sandbox);
    const key = await keysOf(sandbox, platform.platformId);
    must(await platform.control('POST', '/reset'));
    expect(await keysOf(sandbox, platform.platformId)).toEqual(key);
    const others = [await keysOf(sandbox, 'sandbox')];
    others.push(await keysOf(await openSandbox({ chance: seededChance(2) }), 'sandbox'));
    expect(new Set([key, ...others].map(({ keys }) => keys[0].kid)).size).toBe(3);
  });

  test('addresses follow the name and port that were called', async () => {
    const port = await openPort(await openSandbox());
    for (const host of ['localhost', '127.0.0.1']) {
      const issuer = `http://${host}:${port.port}/__sandbox/oidc/sandbox`;
      const path = '/__sandbox/oidc/sandbox/.well-known/openid-configuration';
      const { body } = await port.exchange(
        `GET ${path} HTTP/1.1\r\nHost: ${host}:${port.port}\r\nConnection: close\r\n\r\n`,
      );
      expect(body).toMatchObject({ issuer, jwks_uri: `${issuer}/jwks` });
    }
  });

  test.each(['nobody', 'sandbox%20', 'SANDBOX', 'sandbox%2Fjwks', '%00'])('platform "%s": 404', async (platformId) => {
    const sandbox = await openSandbox();
    for (const path of ['jwks', '.well-known/openid-configuration']) {
      expectRefusal(await sandbox.control('GET', `/oidc/${platformId}/${path}`), 404, 'NOT_FOUND');
    }
  });
});

describe('a token', () => {
  test('is dated by the clock of the platform, for its first audience', async () => {
    const sandbox = await openSandbox();
    await sandbox.advance(100);
    must(await sandbox.control('PUT', '/settings', { body: { audiences: ['first', 'second'] } }));
    const { idToken } = (await mint(sandbox, { sub: 'a' })).body;
    expect(decodeJwt(idToken)).toMatchObject({ aud: 'first', iat: now + 100, exp: now + 3700 });
    must(await sandbox.control('PUT', '/settings', { body: { audiences: [] } }));
    expect(decodeJwt((await mint(sandbox, { sub: 'a' })).body.idToken).aud).toBe('countersign-app');
  });

  test('takes every claim unchanged, wrong ones too, so that tests can make invalid tokens', async () => {
    const claims = {
      sub: 'a',
      iss: 'https://elsewhere.example',
      aud: ['x', 'y'],
      iat: 1,
      exp: 2,
      nonce: 'n',
      email: 'a@example.com',
      own: { deep: [1] },
    };
    const { idToken } = (await mint(await openSandbox(), claims)).body;
    expect(decodeJwt(idToken)).toEqual(claims);
    expect(decodeProtectedHeader(idToken)).toMatchObject({ alg: 'ES256' });
  });

  test.each<[name: string, body: unknown, places: string[]]>([
    ['no subject', { email: 'a@example.com' }, ['body /sub']],
    ['no body', undefined, ['body /sub']],
    ['an empty subject', { sub: '' }, ['body /sub']],
    ["a subject that isn't text", { sub: 1 }, ['body /sub']],
    ['a subject that is too long', { sub: 'a'.repeat(256) }, ['body /sub']],
  ])('with %s: 400', async (_name, body, places) => {
    const refused = expectRefusal(await mint(await openSandbox(), body), 400, 'INVALID_INPUT');
    expect(faultPlaces(refused)).toEqual(places);
  });

  test.each(['magic', 'real'] as const)('registers on its own platform and no other, in %s proofs', async (proofs) => {
    const sandbox = await openSandbox();
    const [mine, theirs] = [await openPlatform(sandbox, { proofs }), await openPlatform(sandbox, { proofs })];
    const { idToken } = (await mint(mine, { sub: 'user-1' })).body;
    const register = async (platform: TestSandbox) => {
      const { accountId } = await openWallet(platform);
      const body = { ...oauthRequest(accountId), oidcToken: idToken };
      return platform.send('POST', '/auth/credentials', { body });
    };
    expect((await register(mine)).status).toBe(201);
    const refused = expectRefusal(await register(theirs), 401, 'UNAUTHORIZED');
    expect(refused.reason).toBe('Invalid OIDC token');
  });
});
