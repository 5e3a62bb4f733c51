/** Makes a customer through the interface, with helpers for tests of its update. */
import { expect } from 'vitest';
import type { Customer } from '../../../generated/types.ts';
import { openSandbox, type TestSandbox } from '../sandbox/harness.ts';
import { accountsOf } from '../sandbox/platforms.ts';

/** Creates a customer, on a new sandbox unless one is given. */
export async function openCustomer(body: object, sandbox?: TestSandbox) {
  const used = sandbox ?? (await openSandbox());
  const created = await used.send('POST', '/customers', { body });
  expect(created.status).toBe(201);
  const path = `/customers/${created.body.id}`;
  return {
    sandbox: used,
    customer: created.body as Customer,
    update: (change: unknown, headers: Record<string, string> = {}) =>
      used.send('PATCH', path, { body: change, headers }),
    read: async () => (await used.send('GET', path)).body,
    /** Each account as `currency status amount`, oldest first. */
    accounts: async () =>
      (await accountsOf(used, created.body.id)).map(
        ({ status, balance }) => `${balance.currency.code} ${status} ${balance.amount}`,
      ),
    fund: async (currency: string, amount: number) => {
      const account = (await accountsOf(used, created.body.id)).find(
        ({ balance }) => balance.currency.code === currency,
      );
      return used.send('POST', `/sandbox/internal-accounts/${account?.id}/fund`, { body: { amount } });
    },
  };
}
