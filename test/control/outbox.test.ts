/**
 * Promise: the outbox shows every one-time code that an e-mail would have carried, with recipient and time, newest
 * first, on its own platform. With magic proofs nothing is sent (D22, D43). test/auth/real/codes.test.ts tests what the
 * codes do.
 */
import { expect, test } from 'vitest';
import { must, openSandbox, type TestSandbox } from '../support/sandbox/harness.ts';
import { openWallet, registerEmailOtp } from '../support/scenes/builders.ts';

const read = async (sandbox: TestSandbox) => (await sandbox.control('GET', '/outbox')).body;

test('empty at first, and in magic proofs for ever', async () => {
  const sandbox = await openSandbox();
  const { accountId } = await openWallet(sandbox);
  const { id } = await registerEmailOtp(sandbox, accountId);
  must(await sandbox.send('POST', `/auth/credentials/${id}/challenge`));
  expect(await read(sandbox)).toEqual({ data: [] });
});

test('a message of each registration and challenge, with the address as the customer has it, newest first', async () => {
  const sandbox = await openSandbox({ proofs: 'real' });
  expect(await read(sandbox)).toEqual({ data: [] });
  const one = await openWallet(sandbox, 'Ada+Wallet@Example.com');
  const two = await openWallet(sandbox, 'grace@example.com');
  const { id } = await registerEmailOtp(sandbox, one.accountId);
  await sandbox.advance(1);
  await registerEmailOtp(sandbox, two.accountId);
  await sandbox.advance(1);
  must(await sandbox.send('POST', `/auth/credentials/${id}/challenge`));
  const message = (to: string, accountId: string, second: number) => ({
    to,
    code: expect.stringMatching(/^\d{6}$/),
    accountId,
    sentAt: `2025-10-13T09:00:0${second}.000Z`,
  });
  expect(await read(sandbox)).toEqual({
    data: [
      message('Ada+Wallet@Example.com', one.accountId, 2),
      message('grace@example.com', two.accountId, 1),
      message('Ada+Wallet@Example.com', one.accountId, 0),
    ],
  });
});

test('a challenge that is refused sends nothing', async () => {
  const sandbox = await openSandbox({ proofs: 'real' });
  const { accountId } = await openWallet(sandbox);
  const { id } = await registerEmailOtp(sandbox, accountId);
  const statuses: number[] = [];
  for (let count = 0; count < 7; count += 1) {
    statuses.push((await sandbox.send('POST', `/auth/credentials/${id}/challenge`)).status);
  }
  expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429]);
  expect((await read(sandbox)).data).toHaveLength(6);
  must(await sandbox.send('POST', '/auth/credentials', { body: { type: 'EMAIL_OTP', accountId } }), 400);
  expect((await read(sandbox)).data).toHaveLength(6);
});

test('the newest hundred are shown; a reset empties it', async () => {
  const sandbox = await openSandbox({ proofs: 'real' });
  const { accountId } = await openWallet(sandbox);
  const { id } = await registerEmailOtp(sandbox, accountId);
  for (let count = 0; count < 101; count += 1) {
    await sandbox.advance(60);
    must(await sandbox.send('POST', `/auth/credentials/${id}/challenge`));
  }
  const { data } = await read(sandbox);
  expect(data).toHaveLength(100);
  expect([data[0].sentAt, data.at(-1).sentAt]).toEqual(['2025-10-13T10:41:00.000Z', '2025-10-13T09:02:00.000Z']);
  must(await sandbox.control('POST', '/reset'));
  expect(await read(sandbox)).toEqual({ data: [] });
});
