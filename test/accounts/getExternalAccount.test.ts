/** Promise: an external account reads as it was added, and an id of any other object isn't found (D45). */
import { describe, expect, test } from 'vitest';
import { expectRefusal } from '../support/expect/apiError.ts';
import { testCommonRefusals } from '../support/requests/refusals.ts';
import { openSandbox } from '../support/sandbox/harness.ts';
import { openPlatform } from '../support/sandbox/platforms.ts';
import { deleteCustomer } from '../support/scenes/businesses.ts';
import {
  externalAccountsPath,
  mustAdd,
  newCustomer,
  usdcRequest,
  usdRequest,
} from '../support/scenes/externalAccounts.ts';

testCommonRefusals('getExternalAccount', `${externalAccountsPath}/ExternalAccount:none`);

describe('reading', () => {
  test.each(['of a customer', 'of the platform', 'of a deleted customer'])('an account %s', async (whose) => {
    const sandbox = await openSandbox();
    const customerId = await newCustomer(sandbox);
    const body = usdRequest('12103', { platformAccountId: 'a' });
    const added = await mustAdd(sandbox, whose === 'of the platform' ? body : { ...body, customerId });
    await mustAdd(sandbox, usdcRequest('other'));
    if (whose === 'of a deleted customer') await deleteCustomer(sandbox, customerId);
    await sandbox.advance(86_400);
    const answer = await sandbox.send('GET', `${externalAccountsPath}/${added.id}`);
    expect([answer.status, answer.body]).toEqual([200, added]);
  });
});

describe('404', () => {
  test.each(['ExternalAccount:none', 'none', 'ExternalAccount:', 'ExternalAccount:%2F', 'Customer:none', '%00'])(
    'for %s',
    async (id) => {
      const answer = await (await openSandbox()).send('GET', `${externalAccountsPath}/${id}`);
      expectRefusal(answer, 404, 'ACCOUNT_NOT_FOUND');
    },
  );

  test("for an internal account's id", async () => {
    const sandbox = await openSandbox();
    const [account] = (await sandbox.send('GET', '/customers/internal-accounts')).body.data;
    expectRefusal(await sandbox.send('GET', `${externalAccountsPath}/${account.id}`), 404, 'ACCOUNT_NOT_FOUND');
  });

  test("for another platform's account", async () => {
    const sandbox = await openSandbox();
    const { id } = await mustAdd(sandbox, usdcRequest('a'));
    const other = await openPlatform(sandbox);
    expectRefusal(await other.send('GET', `${externalAccountsPath}/${id}`), 404, 'ACCOUNT_NOT_FOUND');
    expect((await sandbox.send('GET', `${externalAccountsPath}/${id}`)).status).toBe(200);
  });
});
