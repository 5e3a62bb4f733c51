/**
 * Promise: a one-time code is text that must match exactly. It answers one registration or challenge, once, within five
 * minutes. Only success uses it up (D13, D22).
 */
import { expect, test } from 'vitest';
import { type Answer, must, openSandbox, type TestSandbox } from '../support/sandbox/harness.ts';
import { clientKeys, magic, openWallet, registerEmailOtp, walletState } from '../support/scenes/builders.ts';

const clientPublicKey = clientKeys(5).publicKeyHex;
const verify = (sandbox: TestSandbox, id: string, body: object): Promise<Answer> =>
  sandbox.send('POST', `/auth/credentials/${id}/verify`, { body });
const emailOtp = (otp: string = magic.otp) => ({ type: 'EMAIL_OTP', otp, clientPublicKey });
const invalidCode = { status: 401, body: { status: 401, code: 'UNAUTHORIZED', reason: 'Invalid OTP code' } };
const invalidField = { status: 400, body: { details: { errors: [{ in: 'body', pointer: '/otp' }] } } };

async function openCode() {
  const sandbox = await openSandbox();
  const { accountId } = await openWallet(sandbox);
  const { id } = await registerEmailOtp(sandbox, accountId);
  return { sandbox, accountId, send: (body: object) => verify(sandbox, id, body), id };
}

test.each([
  ['0', 401],
  ['', 401],
  [' 000000', 401],
  ['000000 ', 401],
  ['0000000', 401],
  ['00000', 401],
  ['000001', 401],
  ['٠٠٠٠٠٠', 401],
  [0, 400],
  [null, 400],
  [['000000'], 400],
  [undefined, 400],
  ['000000', 200],
])('case 68: the code %j: %i', async (otp, status) => {
  const { sandbox, accountId, send } = await openCode();
  const answer = await send({ ...emailOtp(), otp });
  expect(answer.status).toBe(status);
  if (status === 401) expect(answer).toMatchObject(invalidCode);
  if (status === 400) expect(answer).toMatchObject(invalidField);
  expect((await walletState(sandbox, accountId)).sessions).toHaveLength(status === 200 ? 1 : 0);
});

test("case 68: a code written as a JSON number with leading zeros isn't JSON: 400", async () => {
  const { sandbox, id } = await openCode();
  const text = `{"type":"EMAIL_OTP","otp":000000,"clientPublicKey":"${clientPublicKey}"}`;
  const answer = await sandbox.send('POST', `/auth/credentials/${id}/verify`, { text });
  expect(answer).toMatchObject({ status: 400, body: { code: 'INVALID_INPUT' } });
});

test('a code works once: again without a new challenge is 401', async () => {
  const { sandbox, send, id } = await openCode();
  expect((await send(emailOtp())).status).toBe(200);
  expect(await send(emailOtp())).toMatchObject(invalidCode);
  must(await sandbox.send('POST', `/auth/credentials/${id}/challenge`));
  expect((await send(emailOtp())).status).toBe(200);
});

test('of ten at once with one code one succeeds', async () => {
  const { send } = await openCode();
  const answers = await Promise.all(Array.from({ length: 10 }, () => send(emailOtp())));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(answers.filter(({ status }) => status === 401)).toHaveLength(9);
});

test('a wrong code, or a request that is refused for its form, does not use the right one up', async () => {
  const { send } = await openCode();
  for (let count = 0; count < 10; count += 1) await send(emailOtp('123456'));
  must(await send({ ...emailOtp(), clientPublicKey: 'zz' }), 400);
  expect((await send(emailOtp())).status).toBe(200);
});

test.each([
  [299, 200],
  [300, 401],
  [301, 401],
])('case 43: a code that is %i s old: %i', async (seconds, status) => {
  const { sandbox, send } = await openCode();
  await sandbox.advance(seconds);
  expect((await send(emailOtp())).status).toBe(status);
});

test('two challenges make one code pending, not two', async () => {
  const { sandbox, send, id } = await openCode();
  must(await sandbox.send('POST', `/auth/credentials/${id}/challenge`));
  expect((await send(emailOtp())).status).toBe(200);
  expect(await send(emailOtp())).toMatchObject(invalidCode);
});
