/**
 * Promise: with real proofs a one-time code is six random digits that only the outbox shows. It answers one
 * registration or challenge, once, within five minutes. Five wrong answers end it, and each of them is refused. A code
 * is only valid with the proofs that made it (D13, D22).
 */
import { describe, expect, test } from 'vitest';
import { newestCode } from '../../support/proofs/prover.ts';
import { type Answer, openSandbox, type TestSandbox } from '../../support/sandbox/harness.ts';
import { plantedChance } from '../../support/sandbox/plantedChance.ts';
import { clientKeys, magic, openWallet, registerEmailOtp, walletState } from '../../support/scenes/builders.ts';

const clientPublicKey = clientKeys(5).publicKeyHex;
const invalidCode = { status: 401, body: { status: 401, code: 'UNAUTHORIZED', reason: 'Invalid OTP code' } };

async function openCode(proofs: 'magic' | 'real' = 'real') {
  const sandbox = await openSandbox({ proofs });
  return { sandbox, ...(await register(sandbox)) };
}

/** A wallet whose EMAIL_OTP credential was just registered, so that a code is pending. */
async function register(sandbox: TestSandbox, email?: string) {
  const { accountId } = await openWallet(sandbox, email);
  const { id } = await registerEmailOtp(sandbox, accountId);
  const path = `/auth/credentials/${id}`;
  const answer = (otp: unknown): Promise<Answer> =>
    sandbox.send('POST', `${path}/verify`, { body: { type: 'EMAIL_OTP', otp, clientPublicKey } });
  const challenge = (): Promise<Answer> => sandbox.send('POST', `${path}/challenge`);
  const setProofs = async (proofs: string) => {
    expect((await sandbox.control('PUT', '/settings', { body: { proofs } })).status).toBe(200);
  };
  return { accountId, answer, challenge, setProofs };
}

/** A code that differs from the given one; another for each number. */
const wrong = (code: string, number = 1): string => String((Number(code) + number) % 1_000_000).padStart(6, '0');

describe('what a code is', () => {
  test('six digits, another one each time, and never the magic ones', async () => {
    const { sandbox, challenge } = await openCode();
    const codes = new Set([await newestCode(sandbox)]);
    for (let count = 1; count < 60; count += 1) {
      await sandbox.advance(60);
      await challenge();
      codes.add(await newestCode(sandbox));
    }
    // The chance that two of 60 draws from a million are equal is 2 in 1000. A bad source would give far fewer codes.
    expect(codes.size).toBeGreaterThan(55);
    for (const code of codes) expect(code).toMatch(/^(?!000000)\d{6}$/);
  });

  test.each([
    ['bytes that would make the magic code', [[0, 10, 20, 30, 40, 250], [0], [1, 2, 3, 4, 5, 6]], '123456'],
    [
      'bytes from 250 up, which would favour low digits',
      [
        [255, 254, 253, 252, 251, 250],
        [249, 9, 0, 18, 27, 7],
      ],
      '990877',
    ],
  ])('%s are passed over', async (_name, draws, code) => {
    const sandbox = await openSandbox({ proofs: 'real', chance: plantedChance(draws) });
    const { answer } = await register(sandbox);
    expect(await newestCode(sandbox)).toBe(code);
    expect((await answer(code)).status).toBe(200);
  });

  test('it goes to the outbox, newest first, and is in no log line and no reply', async () => {
    const { sandbox, accountId, answer, challenge } = await openCode();
    const replies: unknown[] = [];
    const codes = [await newestCode(sandbox)];
    for (const otp of ['123456', '654321']) {
      await sandbox.advance(1);
      replies.push((await challenge()).body, (await answer(otp)).body);
      codes.unshift(await newestCode(sandbox));
    }
    replies.push((await answer(codes[0])).body, await walletState(sandbox, accountId));
    const { body } = await sandbox.control('GET', '/outbox');
    const sent = ['09:00:02', '09:00:01', '09:00:00'].map((time) => `2025-10-13T${time}.000Z`);
    const to = 'ada@example.com';
    expect(body.data).toEqual(codes.map((code, index) => ({ to, code, accountId, sentAt: sent[index] })));
    // Digits next to other digits don't count, because ids and times contain many.
    for (const code of codes) expect(JSON.stringify([replies, sandbox.log])).not.toMatch(RegExp(`\\b${code}\\b`));
  });

  test.each(['123456 ', ' 123456', '12345', '1234567', '', '１２３４５６', '0000000', '000000'])(
    'case 68: %j is not the code 123456',
    async (otp) => {
      const sandbox = await openSandbox({ proofs: 'real', chance: plantedChance([[1, 2, 3, 4, 5, 6]]) });
      const { answer } = await register(sandbox);
      expect(await answer(otp)).toMatchObject(invalidCode);
      expect((await answer('123456')).status).toBe(200);
    },
  );

  test('case 68: zeros in front belong to it', async () => {
    const sandbox = await openSandbox({ proofs: 'real', chance: plantedChance([[0, 0, 0, 0, 4, 2]]) });
    const { answer } = await register(sandbox);
    expect(await answer('42')).toMatchObject(invalidCode);
    expect(await answer(42)).toMatchObject({ status: 400, body: { code: 'INVALID_INPUT' } });
    expect((await answer('000042')).status).toBe(200);
  });
});

describe('how long it lasts', () => {
  test.each([
    [299, 200],
    [300, 401],
    [301, 401],
  ])('case 43: %i s old: %i', async (seconds, status) => {
    const { sandbox, answer } = await openCode();
    const code = await newestCode(sandbox);
    await sandbox.advance(seconds);
    expect((await answer(code)).status).toBe(status);
  });

  test('it works once, and of ten at once one succeeds', async () => {
    const { sandbox, accountId, answer } = await openCode();
    const code = await newestCode(sandbox);
    const answers = await Promise.all(Array.from({ length: 10 }, () => answer(code)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(401)]);
    expect(await answer(code)).toMatchObject(invalidCode);
    expect((await walletState(sandbox, accountId)).sessions).toHaveLength(1);
  });

  test('a challenge replaces it', async () => {
    const { sandbox, answer, challenge } = await openCode();
    const first = await newestCode(sandbox);
    await challenge();
    const second = await newestCode(sandbox);
    expect(second).not.toBe(first);
    expect(await answer(first)).toMatchObject(invalidCode);
    expect((await answer(second)).status).toBe(200);
  });

  test("one wallet's code isn't valid on another one", async () => {
    const { sandbox, answer } = await openCode();
    const other = await register(sandbox, 'grace@example.com');
    expect(await answer(await newestCode(sandbox, other.accountId))).toMatchObject(invalidCode);
  });
});

describe('wrong answers', () => {
  test.each([
    [4, 200],
    [5, 401],
    [6, 401],
  ])('after %i of them the right one is %i', async (count, status) => {
    const { sandbox, accountId, answer } = await openCode();
    const code = await newestCode(sandbox);
    for (let number = 1; number <= count; number += 1) {
      expect(await answer(wrong(code, number))).toMatchObject(invalidCode);
    }
    expect((await answer(code)).status).toBe(status);
    expect((await walletState(sandbox, accountId)).sessions).toHaveLength(status === 200 ? 1 : 0);
  });

  test('each counts, also of many at once', async () => {
    const { sandbox, answer } = await openCode();
    const code = await newestCode(sandbox);
    await Promise.all(Array.from({ length: 5 }, (_, index) => answer(wrong(code, index + 1))));
    expect(await answer(code)).toMatchObject(invalidCode);
  });

  test('a request that is refused for its form does not count', async () => {
    const { sandbox, answer } = await openCode();
    const code = await newestCode(sandbox);
    for (let count = 0; count < 6; count += 1) expect((await answer(null)).status).toBe(400);
    expect((await answer(code)).status).toBe(200);
  });

  test('those for one code do not count for the next, nor for another wallet', async () => {
    const { sandbox, answer, challenge } = await openCode();
    const other = await register(sandbox, 'grace@example.com');
    const code = await newestCode(sandbox);
    for (let number = 1; number <= 5; number += 1) await answer('not a code');
    expect((await other.answer(code)).status).toBe(200);
    await challenge();
    const next = await newestCode(sandbox);
    for (let number = 1; number <= 4; number += 1) await answer(wrong(next, number));
    expect((await answer(next)).status).toBe(200);
  });
});

describe('the other proofs', () => {
  test('in magic nothing is sent, and wrong answers do not count', async () => {
    const { sandbox, answer, challenge } = await openCode('magic');
    await challenge();
    for (let number = 1; number <= 6; number += 1) expect(await answer(wrong('0', number))).toMatchObject(invalidCode);
    expect((await sandbox.control('GET', '/outbox')).body).toEqual({ data: [] });
    expect((await answer(magic.otp)).status).toBe(200);
  });

  test("a code made with magic proofs isn't valid with real ones; the next code is", async () => {
    const { sandbox, answer, challenge, setProofs } = await openCode('magic');
    await setProofs('real');
    expect(await answer(magic.otp)).toMatchObject(invalidCode);
    await challenge();
    expect(await answer(magic.otp)).toMatchObject(invalidCode);
    expect((await answer(await newestCode(sandbox))).status).toBe(200);
  });

  test("a code made with real proofs isn't valid with magic ones, and neither is the magic code for it", async () => {
    const { sandbox, answer, challenge, setProofs } = await openCode();
    await setProofs('magic');
    expect(await answer(await newestCode(sandbox))).toMatchObject(invalidCode);
    expect(await answer(magic.otp)).toMatchObject(invalidCode);
    await challenge();
    expect(await answer(await newestCode(sandbox))).toMatchObject(invalidCode);
    expect((await answer(magic.otp)).status).toBe(200);
  });
});
