/**
 * Promise: HTTP Basic follows RFC 7617 exactly, with any characters in the secret. A refusal reveals nothing to an
 * attacker, and tells a client which scheme to use.
 */

import { hash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { operations } from '../../generated/operations.ts';
import { WebHeaders } from '../../mocks/exchange/web.ts';
import { operation } from '../../mocks/sandbox/domains/operation.ts';
import { storeToken } from '../../mocks/sandbox/domains/tokens/procedures.ts';
import { viewToken } from '../../mocks/sandbox/domains/tokens/records.ts';
import { handlers } from '../../mocks/sandbox/registry/handlers.ts';
import { createAuthenticateToken } from '../../mocks/sandbox/steps/authenticate.ts';
import type { Store } from '../../mocks/sandbox/store/store.ts';
import { expectRefusal } from '../support/expect/apiError.ts';
import { basic, data, openSandbox, type TestSandbox } from '../support/sandbox/harness.ts';

/** A sandbox with a token that has these credentials. The service itself only makes plain ones. */
async function openWithToken(clientId: string, clientSecret: string): Promise<TestSandbox> {
  const createToken = operation('createToken', {
    async handle(call, unit) {
      const secretHash = hash('sha256', clientSecret);
      const token = await storeToken(unit, { ...call.body, clientId, secretHash });
      return { status: 201, body: { ...viewToken(token), clientSecret } };
    },
  });
  const sandbox = await openSandbox({ handlers: { ...handlers, createToken } });
  data(await sandbox.client.POST('/tokens', { body: { name: 'planted', permissions: ['VIEW'] } }));
  return sandbox;
}

const base64 = (...parts: (string | number)[]): string =>
  Buffer.concat(parts.map((part) => (typeof part === 'number' ? Buffer.from([part]) : Buffer.from(part)))).toString(
    'base64',
  );
const statusWith = async (sandbox: TestSandbox, authorization: string): Promise<number> =>
  (await sandbox.send('GET', '/customers', { authorization })).status;

describe('the pair', () => {
  test.each([
    ['case 28: colons in the secret', 'tok_1', 'pa:ss:word', 'dG9rXzE6cGE6c3M6d29yZA=='],
    ['case 29: letters beyond ASCII', 'tok_1', 'pässwörd', 'dG9rXzE6cMOkc3N3w7ZyZA=='],
    ['RFC 7617, 2: the example', 'Aladdin', 'open sesame', 'QWxhZGRpbjpvcGVuIHNlc2FtZQ=='],
    ['RFC 7617, 2.1: the example', 'test', '123£', 'dGVzdDoxMjPCow=='],
    ['a colon first', 'a', ':', base64('a::')],
    ['a secret beyond the basic plane', 'a', '🔑', base64('a:🔑')],
    ['spaces at the ends', 'a ', ' b ', base64('a : b ')],
    ['a secret of 256 characters', 'a', 'x'.repeat(256), base64(`a:${'x'.repeat(256)}`)],
  ])('%s is accepted', async (_name, clientId, clientSecret, encoded) => {
    const sandbox = await openWithToken(clientId, clientSecret);
    expect(await statusWith(sandbox, `Basic ${encoded}`)).toBe(200);
    expect(data(await sandbox.as(clientId, clientSecret).GET('/customers')).totalCount).toBe(2);
  });

  test('case 29: the same secret in Latin-1 is 401', async () => {
    const sandbox = await openWithToken('tok_1', 'pässwörd');
    const answer = await sandbox.send('GET', '/customers', { authorization: 'Basic dG9rXzE6cORzc3f2cmQ=' });
    expectRefusal(answer, 401, 'UNAUTHORIZED');
  });

  test.each([
    ['composed and decomposed', 'e\u0301', '\u00e9'],
    ['upper and lower case', 'secret', 'Secret'],
    ['with and without a space', 'secret', 'secret '],
    ['with and without a last colon', 'secret', 'secret:'],
    ['a prefix', 'secret', 'secre'],
    ['nothing', 'secret', ''],
  ])('secrets are compared byte for byte: %s', async (_name, kept, given) => {
    const sandbox = await openWithToken('tok_1', kept);
    expect([await statusWith(sandbox, basic('tok_1', kept)), await statusWith(sandbox, basic('tok_1', given))]).toEqual(
      [200, 401],
    );
  });

  test.each([
    ['a byte order mark', '\ufeffsandbox'],
    ['a NUL', 'sandbox\u0000'],
    ['a capital', 'Sandbox'],
    ['a space in front', ' sandbox'],
    ['a space behind', 'sandbox '],
  ])('with %s the client id is another, and nobody', async (_name, clientId) => {
    expect(await statusWith(await openSandbox(), basic(clientId, 'sandbox'))).toBe(401);
  });
});

describe('the header', () => {
  const pair = base64('sandbox:sandbox');

  test.each([`Basic ${pair}`, `basic ${pair}`, `BASIC ${pair}`, `bAsIc   ${pair}`, ` Basic ${pair} `])(
    'case 31: "%s" is accepted: the scheme is written in any case',
    async (authorization) => {
      expect(await statusWith(await openSandbox(), authorization)).toBe(200);
    },
  );

  test.each([
    ['nothing', ''],
    ['the scheme alone', 'Basic'],
    ['no base64', 'Basic !!!'],
    ['the pair as it is', 'Basic sandbox:sandbox'],
    ['base64url', `Basic ${base64('sandbox:', 0xfb, 0xff).replaceAll('+', '-').replaceAll('/', '_')}`],
    ['no space', `Basic${pair}`],
    ['two pairs', `Basic ${pair}, Basic ${pair}`],
    ['something behind', `Basic ${pair} x`],
    ['padding in the middle', `Basic =${pair}`],
    ['a length that no bytes have', `Basic ${base64('sandbox:sandbox')}A`],
    ['padding where there is nothing to fill', `Basic ${base64('sandbox:sandbox')}==`],
    ['a letter beyond ASCII', `Basic ${pair}é`],
    ['bits left over', `Basic ${base64('sandbox:sandbo').replace(/.=+$/, 'x')}`],
    ['no colon', `Basic ${base64('sandbox')}`],
    ['an empty pair', `Basic ${base64(':')}`],
    ['broken UTF-8', `Basic ${base64('sandbox:', 0xff)}`],
    ['an overlong form', `Basic ${base64(0xc1, 0xb3, 'andbox:sandbox')}`],
    ['a NUL', `Basic ${base64('sandbox', 0, ':sandbox')}`],
    ['another scheme', `Bearer ${pair}`],
    ['Digest', 'Digest username="sandbox", realm="Countersign", response="0"'],
    ['something huge', `Basic ${'A'.repeat(500_000)}`],
    ['an injection', `Basic ${base64("' or 1=1 --:x")}`],
  ])('%s is 401', async (_name, authorization) => {
    const sandbox = await openSandbox();
    const answer = await sandbox.send('GET', '/customers', { authorization });
    const { message } = expectRefusal(answer, 401, 'UNAUTHORIZED');
    expect(message).not.toContain(pair);
    expect(sandbox.log).toEqual([]);
  });

  test.each(operations.filter(({ security }) => security === 'basic'))(
    'case 32: $id without a header, and with Bearer, is 401 and names Basic',
    async ({ method, path }) => {
      const sandbox = await openSandbox();
      for (const authorization of [null, 'Bearer sandbox']) {
        const answer = await sandbox.send(method, path.replaceAll(/\{\w+\}/g, 'none'), { authorization });
        expectRefusal(answer, 401, 'UNAUTHORIZED');
        expect(answer.headers.get('www-authenticate')).toBe('Basic realm="Countersign", charset="UTF-8"');
      }
    },
  );
});

describe('what a refusal tells', () => {
  test('an unknown client id and a wrong secret get the same reply', async () => {
    const sandbox = await openSandbox();
    const ask = async (clientId: string, secret: string) => {
      const headers = { 'x-request-id': 'same' };
      const answer = await sandbox.send('GET', '/customers', { authorization: basic(clientId, secret), headers });
      return [answer.status, answer.body, Object.fromEntries(answer.headers)];
    };
    const wrongSecret = await ask('sandbox', 'wrong');
    expect(await ask('nobody', 'wrong')).toEqual(wrongSecret);
    expect(await ask('sandbox', '')).toEqual(wrongSecret);
    expect(await ask("sandbox' --", 'sandbox')).toEqual(wrongSecret);
  });

  test('without credentials the reply says nothing about ids, bodies or parameters', async () => {
    const sandbox = await openSandbox();
    const options = { authorization: basic('sandbox', 'wrong') };
    const answers = [
      await sandbox.send('GET', '/customers', options),
      await sandbox.send('GET', '/customers?surprise=1', options),
      await sandbox.send('GET', '/customers/Customer:none', options),
      await sandbox.send('GET', '/customers/none', options),
      await sandbox.send('POST', '/tokens', { ...options, text: '{' }),
    ];
    for (const { status, body } of answers) expect([status, body]).toEqual([401, answers[0]?.body]);
  });

  test('case 31: the control surface takes the same credentials and refuses alike', async () => {
    const sandbox = await openSandbox();
    expect((await sandbox.control('GET', '/clock', { authorization: `bASIC ${pairOf('sandbox')}` })).status).toBe(200);
    expectRefusal(await sandbox.control('GET', '/clock', { authorization: null }), 401, 'UNAUTHORIZED');
    expectRefusal(await sandbox.control('POST', '/reset', { authorization: basic('a', 'b') }), 401, 'UNAUTHORIZED');
  });
});

describe('remembered tokens', () => {
  /** Asks as a client, on a store with a token of every id. `version` is what it reports of its tokens, if anything. */
  function openStore(reported: { version?: number }) {
    let reads = 0;
    const read = async () => {
      reads += 1;
      return {
        platformId: 'Platform:1',
        token: { id: 'Token:1', permissions: [], secretHash: hash('sha256', 'secret') },
      };
    };
    const changes = reported.version === undefined ? undefined : { ofTable: () => reported.version };
    const authenticate = createAuthenticateToken({ read, changes } as unknown as Store);
    /** Returns how often the store was read for it. */
    return async (clientId: string): Promise<number> => {
      const before = reads;
      await authenticate(new WebHeaders(new Headers({ authorization: basic(clientId, 'secret') })));
      return reads - before;
    };
  }

  test('are read again after any token has changed, or always if the store reports no changes', async () => {
    const reported = { version: 1 };
    const ask = openStore(reported);
    expect([await ask('a'), await ask('a'), await ask('b'), await ask('a')]).toEqual([1, 0, 1, 0]);
    reported.version = 2;
    expect([await ask('a'), await ask('a')]).toEqual([1, 0]);
    const silent = openStore({});
    expect([await silent('a'), await silent('a')]).toEqual([1, 1]);
  });

  test('are a thousand at most', async () => {
    const ask = openStore({ version: 1 });
    for (let index = 0; index < 1000; index += 1) await ask(`client-${index}`);
    expect(await ask('client-0')).toBe(0);
    await ask('one more');
    expect([await ask('client-0'), await ask('one more')]).toEqual([1, 0]);
  });
});

function pairOf(both: string): string {
  return base64(`${both}:${both}`);
}
