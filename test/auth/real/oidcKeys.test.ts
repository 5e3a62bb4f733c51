/**
 * Promise: a token is accepted only if a key of its issuer's set signed it, with an algorithm of the list. The header
 * can't select another key or algorithm (D20, D60).
 */
import { createHmac, createPublicKey } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  claimsOf,
  forgeToken,
  type IssuerKey,
  invalidToken,
  makeIssuerKey,
  openKeyServer,
  openTrusting,
  signToken,
  type TokenAlgorithm,
  testIssuer,
} from '../../support/proofs/issuer.ts';
import { runs } from '../../support/run/length.ts';

const key = makeIssuerKey('ES256', 'k1');
const rsa = makeIssuerKey('RS256', 'r1');
const tokenBy = (signer: IssuerKey, header: object = {}) => signToken(signer, claimsOf(testIssuer), header);

describe('the algorithm', () => {
  test.each<[TokenAlgorithm, boolean]>([
    ['RS256', true],
    ['PS256', true],
    ['ES256', true],
    ['EdDSA', true],
    ['RS384', false],
    ['ES384', false],
  ])('%s: %s', async (alg, accepted) => {
    const own = makeIssuerKey(alg, 'own');
    const { register, signIn } = await openTrusting([own]);
    const answer = await register(await tokenBy(own));
    expect(answer).toMatchObject(accepted ? { status: 201 } : invalidToken);
    if (accepted) expect((await signIn(answer.body.id, await tokenBy(own))).status).toBe(200);
  });

  test.each(['none', 'None', 'NONE', 'nOnE', '', undefined, null, 'es256', 'ES256 ', 'HS256', 7])(
    'case 71: %j in the header, without signature or with a true one: 401',
    async (alg) => {
      const { register } = await openTrusting([key]);
      for (const signer of [() => '', key.privateKey, () => 'x']) {
        expect(await register(forgeToken({ alg, kid: 'k1' }, claimsOf(testIssuer), signer))).toMatchObject(
          invalidToken,
        );
      }
    },
  );

  test('HS256 with the public key as its secret: 401', async () => {
    const { register } = await openTrusting([rsa]);
    const publicKey = createPublicKey(rsa.privateKey);
    const secrets = [
      publicKey.export({ format: 'pem', type: 'spki' }),
      publicKey.export({ format: 'der', type: 'spki' }),
      JSON.stringify(rsa.publicJwk),
    ];
    for (const secret of secrets) {
      const signer = (input: string) => createHmac('sha256', secret).update(input).digest();
      const header = { alg: 'HS256', kid: 'r1' };
      expect(await register(forgeToken(header, claimsOf(testIssuer), signer))).toMatchObject(invalidToken);
    }
  });

  test('a key that is set for one algorithm is good for no other; nor is one for encryption', async () => {
    const pss: IssuerKey = { ...rsa, alg: 'PS256' };
    for (const marked of [{ alg: 'RS256' }, { use: 'enc' }, { key_ops: ['encrypt'] }]) {
      const { register } = await openTrusting([{ ...rsa, publicJwk: { ...rsa.publicJwk, ...marked } }]);
      expect(await register(await tokenBy(pss)), JSON.stringify(marked)).toMatchObject(invalidToken);
    }
  });

  test('a key in the header, or an address of one, is not believed', async () => {
    const { register } = await openTrusting([key]);
    const stranger = makeIssuerKey('ES256', 'k1');
    const server = await openKeyServer([stranger]);
    for (const header of [{ jwk: stranger.publicJwk }, { jku: server.uri }, { x5u: server.uri }]) {
      expect(await register(await tokenBy(stranger, header as object))).toMatchObject(invalidToken);
    }
    expect(server.fetches()).toBe(0);
  });

  test('a critical extension that nobody knows: 401', async () => {
    const { register } = await openTrusting([key]);
    const forged = forgeToken(
      { alg: 'ES256', kid: 'k1', crit: ['b64x'], b64x: 1 },
      claimsOf(testIssuer),
      key.privateKey,
    );
    expect(await register(forged)).toMatchObject(invalidToken);
  });
});

describe('case 74: the kid', () => {
  const unnamed = makeIssuerKey('ES256');
  const other = makeIssuerKey('ES256', 'k2');
  const twin = makeIssuerKey('ES256', 'k1');
  const stranger = makeIssuerKey('ES256', 'k1');
  const noKid = { kid: undefined };

  test.each<[string, readonly IssuerKey[], IssuerKey, object, boolean]>([
    ['missing, with one key', [key], key, noKid, true],
    ['missing on both sides', [unnamed], unnamed, {}, true],
    ['missing, with one key that fits the algorithm', [rsa, key], key, noKid, true],
    ['missing, with two that fit', [key, other], key, noKid, false],
    ['that of the first of two', [key, other], key, {}, true],
    ['that of the second of two', [key, other], other, {}, true],
    ['that of the wrong one of two', [key, other], key, { kid: 'k2' }, false],
    ['unknown', [key], key, { kid: 'k9' }, false],
    ['named, with a key that has none', [unnamed], unnamed, { kid: 'k1' }, false],
    ['of a key of another type', [rsa, key], key, { kid: 'r1' }, false],
    ['of two keys, the first signed', [key, twin], key, {}, true],
    ['of two keys, the second signed', [key, twin], twin, {}, true],
    ['of two keys, neither signed', [key, twin], stranger, {}, false],
    ['of two keys, a third one signed', [key, twin, other], other, { kid: 'k1' }, false],
    ['of two keys of different types', [{ ...rsa, publicJwk: { ...rsa.publicJwk, kid: 'k1' } }, key], key, {}, true],
    ['with no key at all', [], key, {}, false],
  ])('%s: given or fetched alike', async (_name, keys, signer, header, accepted) => {
    for (const source of [keys, await openKeyServer(keys)]) {
      const { register } = await openTrusting(source);
      expect(await register(await tokenBy(signer, header))).toMatchObject(accepted ? { status: 201 } : invalidToken);
    }
  });

  test('a damaged key among those of one kid does not hide the right one', async () => {
    const damaged = { ...twin, publicJwk: { ...twin.publicJwk, x: 'AAAA' } };
    const { register } = await openTrusting([damaged, key]);
    expect((await register(await tokenBy(key))).status).toBe(201);
  });

  test.each([null, '', 7, ['k1'], {}])("%j isn't a name of a key: 401", async (kid) => {
    const { register } = await openTrusting([key]);
    const forged = forgeToken({ alg: 'ES256', kid }, claimsOf(testIssuer), key.privateKey);
    expect(await register(forged)).toMatchObject(invalidToken);
  });
});

describe('what is signed', () => {
  test('changing any character of it, or of the signature: 401', async () => {
    const { register } = await openTrusting([key]);
    const good = await tokenBy(key);
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.=*';
    // The last character of a part may have unused bits, so a change there can decode to the same bytes.
    const ends = [...good].flatMap((_, at) => (good[at + 1] === '.' || at + 1 === good.length ? [at] : []));
    const places = fc.nat(good.length - 1).filter((at) => !ends.includes(at));
    await fc.assert(
      fc.asyncProperty(places, fc.constantFrom(...alphabet), async (at, character) => {
        fc.pre(good[at] !== character);
        const changed = good.slice(0, at) + character + good.slice(at + 1);
        expect(await register(changed)).toMatchObject(invalidToken);
      }),
      { numRuns: runs(100) },
    );
  });

  test.each(['', '.', '..', '...', 'a.b', 'a.b.c.d.e', 'null.null.null', 'e30.e30.', 'e30.bnVsbA.e30', ' '])(
    "%j isn't a token: 401",
    async (text) => {
      const { register } = await openTrusting([key]);
      expect(await register(text)).toMatchObject(invalidToken);
    },
  );
});
