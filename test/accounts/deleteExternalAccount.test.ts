/**
 * Promise: a deleted external account is gone for good, and nothing else is. A deleted customer's accounts stay (D39).
 */
import { describe, expect, test } from 'vitest';
import { expectRefusal } from '../support/expect/apiError.ts';
import { testCommonRefusals } from '../support/requests/refusals.ts';
import type { TestSandbox } from '../support/sandbox/harness.ts';
import { openPlatform } from '../support/sandbox/platforms.ts';
import { deleteCustomer } from '../support/scenes/businesses.ts';
import {
  externalAccountsPath,
  listExternal,
  mustAdd,
  newCustomer,
  openBareSandbox,
  usdcRequest,
  usdRequest,
} from '../support/scenes/externalAccounts.ts';

testCommonRefusals('deleteExternalAccount', `${externalAccountsPath}/ExternalAccount:none`);

const remove = (sandbox: TestSandbox, id: string) => sandbox.send('DELETE', `${externalAccountsPath}/${id}`);

describe('deletion', () => {
  test.each(['of a customer', 'of the platform'])('of an account %s takes that one away', async (whose) => {
    const sandbox = await openBareSandbox();
    const owner = whose === 'of a customer' ? { customerId: await newCustomer(sandbox) } : {};
    const [first, second, third] = [
      await mustAdd(sandbox, usdRequest('1', owner)),
      await mustAdd(sandbox, usdRequest('2', owner)),
      await mustAdd(sandbox, usdcRequest('1', owner)),
    ];
    const { status, body } = await remove(sandbox, second.id);
    expect([status, body]).toEqual([204, undefined]);
    expect(await listExternal(sandbox)).toEqual([third, first]);
    expectRefusal(await sandbox.send('GET', `${externalAccountsPath}/${second.id}`), 404, 'ACCOUNT_NOT_FOUND');
    expectRefusal(await remove(sandbox, second.id), 404, 'ACCOUNT_NOT_FOUND');
    expect(await listExternal(sandbox)).toEqual([third, first]);
  });

  test('at once, one of several succeeds', async () => {
    const sandbox = await openBareSandbox();
    const { id } = await mustAdd(sandbox, usdcRequest('1'));
    await mustAdd(sandbox, usdcRequest('2'));
    const answers = await Promise.all(Array.from({ length: 5 }, () => remove(sandbox, id)));
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 404, 404, 404, 404]);
    expect(await listExternal(sandbox)).toHaveLength(1);
  });

  test('sends no body, and ignores one that was sent (D53)', async () => {
    const sandbox = await openBareSandbox();
    const { id } = await mustAdd(sandbox, usdcRequest('1'));
    const answer = await sandbox.send('DELETE', `${externalAccountsPath}/${id}`, { text: '' });
    expect([answer.status, answer.body, answer.headers.get('content-type')]).toEqual([204, undefined, null]);
  });
});

describe('refusals', () => {
  test.each(['ExternalAccount:none', 'none', 'InternalAccount:none'])('%s is 404', async (id) => {
    expectRefusal(await remove(await openBareSandbox(), id), 404, 'ACCOUNT_NOT_FOUND');
  });

  test("another platform's account is 404 and stays", async () => {
    const sandbox = await openBareSandbox();
    const { id } = await mustAdd(sandbox, usdcRequest('1'));
    expectRefusal(await remove(await openPlatform(sandbox), id), 404, 'ACCOUNT_NOT_FOUND');
    expect(await listExternal(sandbox)).toHaveLength(1);
  });

  test("a deleted customer's account is 410 and stays", async () => {
    const sandbox = await openBareSandbox();
    const customerId = await newCustomer(sandbox);
    const account = await mustAdd(sandbox, usdRequest('1', { customerId }));
    await deleteCustomer(sandbox, customerId);
    expectRefusal(await remove(sandbox, account.id), 410, 'CUSTOMER_DELETED');
    expect(await listExternal(sandbox)).toEqual([account]);
  });
});
