/**
 * Promise: a challenge for EMAIL_OTP sends a new code and returns the credential unchanged. For PASSKEY it returns a
 * WebAuthn challenge that is bound to the client's key. OAUTH has no challenge. After five challenges per credential
 * and minute, it returns 429 with the exact time to wait (D12, D14, D17, D19).
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { testCommonRefusals } from '../support/requests/refusals.ts';
import { runs } from '../support/run/length.ts';
import { type Answer, openSandbox, startOfTime, type TestSandbox } from '../support/sandbox/harness.ts';
import {
  assertionRequest,
  clientKeys,
  magic,
  oauthRequest,
  openSignedInWallet,
  openWallet,
  passkeyRequest,
  registerEmailOtp,
  signIn,
} from '../support/scenes/builders.ts';

const challenge = (sandbox: TestSandbox, id: string, body?: object): Promise<Answer> =>
  sandbox.send('POST', `/auth/credentials/${id}/challenge`, { body });
const key = { clientPublicKey: clientKeys().publicKeyHex };
const badKey = {
  status: 400,
  body: { code: 'INVALID_INPUT', details: { errors: [{ in: 'body', pointer: '/clientPublicKey' }] } },
};

testCommonRefusals('challengeCredential', '/auth/credentials/AuthMethod:none/challenge');

test.each(['AuthMethod:none', 'Session:none', 'none'])('%s names no credential: 404', async (id) => {
  const sandbox = await openSandbox();
  expect(await challenge(sandbox, id, key)).toMatchObject({ status: 404, body: { code: 'CREDENTIAL_NOT_FOUND' } });
});

describe('EMAIL_OTP', () => {
  test.each([
    ['no body', {}],
    ['an empty object', { body: {} }],
    ['no bytes, but the type of JSON', { text: '', headers: { 'content-type': 'application/json' } }],
    ['a key', { body: key }],
    ['an invalid key', { body: { clientPublicKey: 'zz' } }],
    ['an empty key', { body: { clientPublicKey: '' } }],
    ['a compressed key', { body: { clientPublicKey: `02${key.clientPublicKey.slice(2, 66)}` } }],
    ['a key off the curve', { body: { clientPublicKey: `04${'0'.repeat(128)}` } }],
  ])('case 23: %s: 200 with the credential, unchanged and without further fields', async (_name, options) => {
    const sandbox = await openSandbox();
    const { accountId } = await openWallet(sandbox);
    const credential = await registerEmailOtp(sandbox, accountId);
    await sandbox.advance(30);
    const answer = await sandbox.send('POST', `/auth/credentials/${credential.id}/challenge`, options);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual(credential);
  });

  test.each([
    ["a key that isn't text", { clientPublicKey: 4 }, '/clientPublicKey'],
    ['an unknown field', { otp: magic.otp }, '/otp'],
  ])('%s: 400, and no code is sent', async (_name, body, pointer) => {
    const sandbox = await openSandbox();
    const { accountId } = await openWallet(sandbox);
    const credential = await registerEmailOtp(sandbox, accountId);
    await signIn(sandbox, credential.id);
    const answer = await challenge(sandbox, credential.id, body);
    expect(answer).toMatchObject({ status: 400, body: { details: { errors: [{ in: 'body', pointer }] } } });
    await expect(signIn(sandbox, credential.id)).rejects.toThrow('Invalid OTP code');
  });

  test('the code it sends can be used for five minutes from then', async () => {
    const sandbox = await openSandbox();
    const { accountId } = await openWallet(sandbox);
    const credential = await registerEmailOtp(sandbox, accountId);
    await sandbox.advance(299);
    await challenge(sandbox, credential.id);
    await sandbox.advance(299);
    expect(await signIn(sandbox, credential.id)).toMatchObject({ type: 'EMAIL_OTP' });
  });
});

describe('PASSKEY', () => {
  test('answers the four fields; the challenge is 32 bytes in base64url without padding (case 62)', async () => {
    const sandbox = await openSandbox();
    const { passkey } = await openSignedInWallet(sandbox);
    const answer = await challenge(sandbox, passkey.id, key);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      credentialId: passkey.credentialId,
      challenge: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
      requestId: expect.stringMatching(/^Request:[0-9a-f-]{36}$/),
      expiresAt: new Date(startOfTime + 300_000).toISOString(),
    });
  });

  test('no two challenges are the same, for one key or two', async () => {
    const sandbox = await openSandbox();
    const { passkey } = await openSignedInWallet(sandbox);
    const keys = [key, key, { clientPublicKey: clientKeys(2).publicKeyHex }];
    const answers = await Promise.all(keys.map((body) => challenge(sandbox, passkey.id, body)));
    expect(new Set(answers.map(({ body }) => body.challenge)).size).toBe(3);
    expect(new Set(answers.map(({ body }) => body.requestId)).size).toBe(3);
  });

  test('a second challenge leaves the first one usable', async () => {
    const sandbox = await openSandbox();
    const { passkey } = await openSignedInWallet(sandbox);
    const first = await challenge(sandbox, passkey.id, key);
    await challenge(sandbox, passkey.id, key);
    const headers = { 'Request-Id': first.body.requestId };
    const path = `/auth/credentials/${passkey.id}/verify`;
    expect((await sandbox.send('POST', path, { body: assertionRequest(), headers })).status).toBe(200);
  });

  test.each([
    ['no body', undefined],
    ['no key', {}],
    ['an invalid key', { clientPublicKey: 'zz' }],
    ['an empty key', { clientPublicKey: '' }],
    ['case 49: a compressed key', { clientPublicKey: `02${key.clientPublicKey.slice(2, 66)}` }],
    ['case 50: a key off the curve', { clientPublicKey: `04${'0'.repeat(128)}` }],
  ])('case 23: %s: 400 that names clientPublicKey', async (_name, body) => {
    const sandbox = await openSandbox();
    const { passkey } = await openSignedInWallet(sandbox);
    expect(await challenge(sandbox, passkey.id, body)).toMatchObject(badKey);
  });
});

test.each([
  ['with a key', key],
  ['without a body', undefined],
])('OAUTH has no challenge, %s: 400 that names the credential (D12)', async (_name, body) => {
  const sandbox = await openSandbox();
  const { accountId } = await openWallet(sandbox);
  const { body: oauth } = await sandbox.send('POST', '/auth/credentials', { body: oauthRequest(accountId) });
  const errors = [{ in: 'path', pointer: '/id' }];
  const answer = await challenge(sandbox, oauth.id, body);
  expect(answer).toMatchObject({ status: 400, body: { code: 'INVALID_INPUT', details: { errors } } });
});

describe('the limit: five in any 60 seconds (D14)', () => {
  const limited = { status: 429, body: { status: 429, code: 'RATE_LIMITED' } };

  async function openFor(type: 'EMAIL_OTP' | 'PASSKEY') {
    const sandbox = await openSandbox();
    const { accountId } = await openWallet(sandbox);
    const body = type === 'PASSKEY' ? passkeyRequest(accountId) : { type, accountId };
    const { body: credential } = await sandbox.send('POST', '/auth/credentials', { body });
    return { sandbox, accountId, next: () => challenge(sandbox, credential.id, key), credential };
  }

  test.each(['EMAIL_OTP', 'PASSKEY'] as const)(
    'case 13: %s: the sixth is 429; after exactly Retry-After seconds it succeeds',
    async (type) => {
      const { sandbox, next } = await openFor(type);
      for (let count = 0; count < 5; count += 1) expect((await next()).status).toBe(200);
      const refused = await next();
      expect(refused).toMatchObject(limited);
      expect(refused.headers.get('retry-after')).toBe('60');
      await sandbox.advance(59);
      const again = await next();
      expect(again).toMatchObject(limited);
      expect(again.headers.get('retry-after')).toBe('1');
      await sandbox.advance(1);
      expect((await next()).status).toBe(200);
    },
  );

  test('case 13: a page at another origin can read Retry-After by name', async () => {
    const { sandbox, next, credential } = await openFor('EMAIL_OTP');
    for (let count = 0; count < 5; count += 1) await next();
    const headers = { origin: 'http://localhost:3000' };
    const answer = await sandbox.send('POST', `/auth/credentials/${credential.id}/challenge`, { headers });
    expect(answer).toMatchObject(limited);
    expect(answer.headers.get('access-control-allow-origin')).toBe(headers.origin);
    expect(answer.headers.get('access-control-expose-headers')?.split(/,\s*/)).toContain('Retry-After');
  });

  test('the time to wait is rounded up to whole seconds, and long enough', async () => {
    const { sandbox, next } = await openFor('EMAIL_OTP');
    for (const pause of [0.5, 10, 10, 10, 10]) {
      await next();
      await sandbox.advance(pause);
    }
    const refused = await next();
    expect(refused.headers.get('retry-after')).toBe('20');
    await sandbox.advance(20);
    expect((await next()).status).toBe(200);
  });

  test('is counted for each credential by itself', async () => {
    const { sandbox, next } = await openFor('EMAIL_OTP');
    for (let count = 0; count < 6; count += 1) await next();
    const { accountId } = await openWallet(sandbox, 'grace@example.com');
    const other = await registerEmailOtp(sandbox, accountId);
    expect((await challenge(sandbox, other.id)).status).toBe(200);
  });

  test('a refused challenge does not count, whatever refused it, and sends no code', async () => {
    const passkey = await openFor('PASSKEY');
    for (let count = 0; count < 9; count += 1)
      expect(await challenge(passkey.sandbox, passkey.credential.id)).toMatchObject(badKey);
    for (let count = 0; count < 5; count += 1) expect((await passkey.next()).status).toBe(200);

    const email = await openFor('EMAIL_OTP');
    for (let count = 0; count < 5; count += 1) await email.next();
    await signIn(email.sandbox, email.credential.id);
    for (let second = 0; second < 59; second += 20) {
      expect(await email.next()).toMatchObject(limited);
      await email.sandbox.advance(20);
    }
    await expect(signIn(email.sandbox, email.credential.id)).rejects.toThrow('Invalid OTP code');
    expect((await email.next()).status).toBe(200);
  });

  test('of eight at once five succeed', async () => {
    const { next } = await openFor('PASSKEY');
    const answers = await Promise.all(Array.from({ length: 8 }, next));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 429, 429, 429]);
  });

  test('any sequence of pauses agrees with a plain count of the last 60 seconds', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 25_000 }), { minLength: 6, maxLength: 25 }),
        async (pauses) => {
          const { sandbox, next } = await openFor('EMAIL_OTP');
          let now = 0;
          let granted: number[] = [];
          for (const pause of pauses) {
            granted = granted.filter((instant) => now - instant < 60_000);
            const answer = await next();
            if (granted.length < 5) {
              expect(answer.status).toBe(200);
              granted.push(now);
            } else {
              const wait = ((granted[0] ?? 0) + 60_000 - now) / 1000;
              expect(answer.status).toBe(429);
              expect(Number(answer.headers.get('retry-after'))).toBe(Math.ceil(wait));
            }
            await sandbox.advance(pause / 1000);
            now += pause;
          }
        },
      ),
      { numRuns: runs(10) },
    );
  });
});
