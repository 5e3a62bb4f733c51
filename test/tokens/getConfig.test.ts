/** Promise: every new platform has a configuration, with the promised defaults (D41, D68). */
import { expect, test } from 'vitest';
import { testCommonRefusals } from '../support/requests/refusals.ts';
import { must, openSandbox } from '../support/sandbox/harness.ts';
import { openPlatform } from '../support/sandbox/platforms.ts';

testCommonRefusals('getConfig', '/config');

const currency = (currencyCode: string) => ({
  currencyCode,
  minAmount: 1,
  maxAmount: 9_000_000_000_000_000,
  requiredCounterpartyFields: [],
  enabledTransactionTypes: ['INCOMING', 'OUTGOING'],
});
const defaults = {
  id: expect.stringMatching(/^PlatformConfig:[0-9a-f-]{36}$/),
  umaDomain: 'countersign.example',
  supportedCurrencies: ['USD', 'USDC', 'USDB'].map(currency),
  isRegulatedFinancialInstitution: false,
  embeddedWalletConfig: {
    otpLength: 6,
    alphanumeric: false,
    expirationSeconds: 300,
    sendFromEmailSenderName: 'Notifications',
  },
  createdAt: '2025-10-13T09:00:00.000Z',
  updatedAt: '2025-10-13T09:00:00.000Z',
};

test('of the first platform, and of one that was just made', async () => {
  const sandbox = await openSandbox();
  const other = await openPlatform(sandbox);
  const [mine, theirs] = [await sandbox.send('GET', '/config'), await other.send('GET', '/config')];
  expect([mine.status, mine.body]).toEqual([200, defaults]);
  expect([theirs.status, theirs.body]).toEqual([200, defaults]);
  expect(mine.body.id).not.toBe(theirs.body.id);
});

test('stays the same at every reading, whatever the time', async () => {
  const sandbox = await openSandbox();
  const { body } = await sandbox.send('GET', '/config');
  await sandbox.advance(86_400);
  expect((await sandbox.send('GET', '/config')).body).toEqual(body);
});

test('goes with an account of the platform per currency', async () => {
  const sandbox = await openSandbox();
  const { body } = await sandbox.send('GET', '/platform/internal-accounts');
  const shown = body.data.map((one: { balance: { currency: { code: string } } }) => one.balance.currency.code);
  expect(shown.reverse()).toEqual(['USD', 'USDC', 'USDB']);
});

test('comes back with a reset', async () => {
  const sandbox = await openSandbox();
  must(await sandbox.send('PATCH', '/config', { body: { umaDomain: 'pay.example' } }));
  must(await sandbox.control('POST', '/reset'));
  expect((await sandbox.send('GET', '/config')).body).toEqual(defaults);
});
