/**
 * Promise: a passkey's earlier data limits its next data: its counter grows or stays at zero, its user handle stays the
 * same. The platform's settings decide where it may be used (D19, D43, D58).
 */
import { describe, expect, test } from 'vitest';
import { isCounterFresh } from '../../../mocks/sandbox/proofs/webauthn.ts';
import { createPasskey, flags } from '../../support/proofs/authenticator.ts';
import { invalidPasskey, openPasskey } from '../../support/proofs/passkeys.ts';
import { challengeCredential, openProver, verify } from '../../support/proofs/prover.ts';
import { openWallet } from '../../support/scenes/builders.ts';

describe('the counter', () => {
  test.each<[string, { readonly registered: number; readonly shown: readonly (readonly [number, number])[] }]>([
    [
      'case 59: zero each time',
      {
        registered: 0,
        shown: [
          [0, 200],
          [0, 200],
          [0, 200],
        ],
      },
    ],
    [
      'growing, by one or by more',
      {
        registered: 1,
        shown: [
          [2, 200],
          [3, 200],
          [1000, 200],
          [4_294_967_295, 200],
        ],
      },
    ],
    [
      'standing still since the registration',
      {
        registered: 5,
        shown: [
          [5, 401],
          [6, 200],
          [6, 401],
        ],
      },
    ],
    [
      'going back',
      {
        registered: 5,
        shown: [
          [9, 200],
          [8, 401],
          [9, 401],
          [10, 200],
        ],
      },
    ],
    [
      'falling to zero',
      {
        registered: 0,
        shown: [
          [0, 200],
          [1, 200],
          [0, 401],
          [2, 200],
        ],
      },
    ],
  ])('%s', async (_name, { registered, shown }) => {
    const { sandbox, answer } = await openPasskey({ counter: registered });
    for (const [counter, status] of shown) {
      await sandbox.advance(60);
      expect(await answer({ counter }), String(counter)).toMatchObject(status === 200 ? { status } : invalidPasskey);
    }
  });

  test('a refused assertion neither moves it nor uses the challenge up', async () => {
    const { ask, send, passkey } = await openPasskey({ counter: 1 });
    const { challenge, requestId } = await ask();
    const { sign } = createPasskey({ seed: 'another' });
    expect(await send(passkey.assert(challenge, { counter: 50, sign }), requestId)).toMatchObject(invalidPasskey);
    expect(await send(passkey.assert(challenge, { counter: 1 }), requestId)).toMatchObject(invalidPasskey);
    expect((await send(passkey.assert(challenge, { counter: 2 }), requestId)).status).toBe(200);
  });

  test('of two answers at once that show the same one, one signs in', async () => {
    const { ask, send, passkey } = await openPasskey({ counter: 1 });
    const asked = [await ask(), await ask()];
    const answers = await Promise.all(
      asked.map(({ challenge, requestId }) => send(passkey.assert(challenge, { counter: 2 }), requestId)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401]);
  });

  // Another sign-in can end between the check of a signature and the end of its own sign-in.
  test.each<[stored: number, shown: number, isFresh: boolean]>([
    [0, 0, true],
    [0, 1, true],
    [1, 0, false],
    [1, 1, false],
    [1, 2, true],
    [2, 1, false],
  ])('is compared with the newest one at the end as well: after %i, %i is fresh: %s', (stored, shown, isFresh) => {
    expect(isCounterFresh(stored, shown)).toBe(isFresh);
  });
});

describe('case 61: the user handle', () => {
  const handle = Buffer.from('user-1').toString('base64url');
  const other = Buffer.from('user-2').toString('base64url');

  test('the first one binds; it may be left out, but not be another', async () => {
    const { sandbox, answer } = await openPasskey();
    expect((await answer()).status).toBe(200);
    expect((await answer({ userHandle: handle })).status).toBe(200);
    expect((await answer()).status).toBe(200);
    expect(await answer({ userHandle: other })).toMatchObject(invalidPasskey);
    await sandbox.advance(60);
    expect((await answer({ userHandle: handle })).status).toBe(200);
  });

  test('one that came with a failed assertion does not bind', async () => {
    const { answer } = await openPasskey();
    const { sign } = createPasskey({ seed: 'another' });
    expect(await answer({ userHandle: other, sign })).toMatchObject(invalidPasskey);
    expect((await answer({ userHandle: handle })).status).toBe(200);
  });

  test('it is compared as bytes', async () => {
    const { answer } = await openPasskey();
    const four = Buffer.from('four').toString('base64url');
    for (const userHandle of [four, `${four}==`]) expect((await answer({ userHandle })).status).toBe(200);
  });

  test('64 bytes are taken, 65 are not, padded or not (WebAuthn L3, 5.4.3)', async () => {
    for (const [length, status] of [
      [63, 200],
      [64, 200],
      [65, 400],
      [66, 400],
    ] as const) {
      const userHandle = Buffer.alloc(length, 7).toString('base64url');
      const padded = userHandle.padEnd(Math.ceil(userHandle.length / 4) * 4, '=');
      const { answer } = await openPasskey();
      for (const text of [userHandle, padded])
        expect([length, (await answer({ userHandle: text })).status]).toEqual([length, status]);
    }
  });

  test.each([null, '', 7, 'a+b/'])('%j: 400 that names the field', async (userHandle) => {
    const { answer, sessions } = await openPasskey();
    const refused = await answer({ userHandle: userHandle as string });
    const errors = [{ in: 'body', pointer: '/assertion/userHandle' }];
    expect(refused).toMatchObject({ status: 400, body: { code: 'INVALID_INPUT', details: { errors } } });
    expect(await sessions()).toBe(0);
  });
});

describe('the backup flags (WebAuthn L3, 6.1.3)', () => {
  const { userPresent, userVerified, attested } = flags;
  const [eligible, backedUp] = [0x08, 0x10];
  const asserted = userPresent | userVerified;
  const rows: readonly (readonly [string, number, number, number])[] = [
    ['made to stay on one device, and so again', 0, 0, 200],
    ['made to stay on one device, then eligible', 0, eligible, 401],
    ['eligible, then to stay on one device', eligible, 0, 401],
    ['eligible, and so again', eligible, eligible, 200],
    ['eligible, then backed up', eligible, eligible | backedUp, 200],
    ['backed up, then no longer', eligible | backedUp, eligible, 200],
    ['eligible, then backed up without being eligible', eligible, backedUp, 401],
  ];
  test.each(rows)('%s', async (_name, atFirst, later, status) => {
    const prover = await openProver('real');
    const { accountId } = await openWallet(prover.sandbox);
    const passkey = createPasskey();
    const challenge = Buffer.from('registration').toString('base64url');
    const attestation = passkey.attest(challenge, { flags: asserted | attested | atFirst });
    const body = { type: 'PASSKEY', accountId, nickname: 'Laptop', challenge, attestation };
    const { body: credential } = await prover.sandbox.send('POST', '/auth/credentials', { body });
    const asked = await challengeCredential(prover.sandbox, credential.id);
    const assertion = passkey.assert(asked.body.challenge, { flags: asserted | later });
    const proof = { body: { type: 'PASSKEY', assertion }, headers: { 'Request-Id': asked.body.requestId } };
    const answer = await verify(prover.sandbox, credential.id, proof);
    expect(answer).toMatchObject(status === 200 ? { status } : invalidPasskey);
  });
});

describe('where a passkey may be used', () => {
  const atFirst: readonly (readonly [string, number])[] = [
    ['http://localhost', 200],
    ['http://localhost:4010', 200],
    ['http://localhost:1', 200],
    ['https://localhost', 200],
    ['https://localhost:8443', 200],
    ['http://localhost:*', 401],
    ['http://localhost:', 401],
    ['http://localhost:80a', 401],
    ['http://localhost:4010/', 401],
    ['http://localhost.evil.example:4010', 401],
    ['http://evil.example#http://localhost:4010', 401],
    ['http://127.0.0.1:4010', 401],
    ['HTTP://LOCALHOST:4010', 401],
    ['https://evil.example', 401],
    ['null', 401],
    ['', 401],
  ];
  test.each(atFirst)('at first: %j %i', async (origin, status) => {
    const { answer } = await openPasskey();
    const given = await answer({ clientData: { origin } });
    expect(given).toMatchObject(status === 200 ? { status } : invalidPasskey);
  });

  const origins = ['https://app.example', 'https://dev.example:*', 'android:apk-key-hash:c29tZSBoYXNo'];
  const custom: readonly (readonly [string, string, number])[] = [
    ['https://app.example', 'app.example', 200],
    ['https://app.example', 'example', 200],
    ['https://app.example:8443', 'app.example', 401],
    ['http://app.example', 'app.example', 401],
    ['https://www.app.example', 'app.example', 401],
    ['https://dev.example', 'app.example', 200],
    ['https://dev.example:3000', 'app.example', 200],
    ['http://dev.example:3000', 'app.example', 401],
    ['android:apk-key-hash:c29tZSBoYXNo', 'app.example', 200],
    ['android:apk-key-hash:b3RoZXI', 'app.example', 401],
    ['http://localhost:4010', 'app.example', 401],
    ['https://app.example', 'localhost', 401],
  ];
  test.each(custom)('with origins and rpIds set: %s for %s: %i', async (origin, rpId, status) => {
    const facts = { origin: 'https://app.example', rpId: 'app.example' };
    const { answer } = await openPasskey(facts, { origins, rpIds: ['app.example', 'example'] });
    const given = await answer({ clientData: { origin }, rpId });
    expect(given).toMatchObject(status === 200 ? { status } : invalidPasskey);
  });

  const frames: readonly (readonly [string, Readonly<Record<string, unknown>>, number])[] = [
    ['a listed page', { crossOrigin: true, topOrigin: 'https://shop.example' }, 200],
    ['another page', { crossOrigin: true, topOrigin: 'https://evil.example' }, 401],
    ['a listed page at another port', { crossOrigin: true, topOrigin: 'https://shop.example:444' }, 401],
    ['a page that is not named', { crossOrigin: true }, 401],
    ['no frame', { crossOrigin: false }, 200],
  ];
  test.each(frames)('in a frame of %s, with topOrigins set: %#', async (_name, clientData, status) => {
    const { answer } = await openPasskey({}, { topOrigins: ['https://shop.example'] });
    expect(await answer({ clientData })).toMatchObject(status === 200 ? { status } : invalidPasskey);
  });

  test.each([{ origins: [] }, { rpIds: [] }])('with %j: nowhere', async (settings) => {
    const { answer, set } = await openPasskey();
    await set(settings);
    expect(await answer()).toMatchObject(invalidPasskey);
  });
});
