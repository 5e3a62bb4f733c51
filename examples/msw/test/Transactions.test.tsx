import { cleanup, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test } from 'vitest';
import { Transactions } from '../src/Transactions.tsx';
import { control, platform } from './sandbox.ts';

afterEach(cleanup);

async function findAmara(): Promise<string> {
  const { data } = await platform.GET('/customers', { params: { query: { platformCustomerId: 'world-individual' } } });
  return data?.data[0]?.id ?? '';
}

/** Pays 25 dollars to a bank account. The last three digits of its number select the outcome. */
async function payTo(customerId: string, accountNumber: string): Promise<void> {
  const own = await platform.GET('/customers/internal-accounts', {
    params: { query: { customerId, currency: 'USD' } },
  });
  const bank = await platform.POST('/customers/external-accounts', {
    body: {
      customerId,
      currency: 'USD',
      accountInfo: {
        accountType: 'USD_ACCOUNT',
        accountNumber,
        routingNumber: '021000021',
        beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName: 'Amara Okafor' },
      },
    },
  });
  await platform.POST('/transfer-out', {
    body: {
      source: { accountId: own.data?.data[0]?.id ?? '' },
      destination: { accountId: bank.data?.id ?? '' },
      amount: 2500,
    },
  });
}

test('a customer without payments', async () => {
  render(<Transactions customerId={await findAmara()} />);
  expect(await screen.findByText('No payments yet.')).toBeTruthy();
});

test('a payment that waits for its bank, and what comes of it 30 seconds later', async () => {
  const customerId = await findAmara();
  await payTo(customerId, '12345678005');
  const { unmount } = render(<Transactions customerId={customerId} />);
  expect(await screen.findByText('OUTGOING PENDING')).toBeTruthy();
  unmount();

  await control.clock.advance(30);
  render(<Transactions customerId={customerId} />);
  expect(await screen.findByText('OUTGOING FAILED')).toBeTruthy();
});

test('a service that is down for a moment', async () => {
  const customerId = await findAmara();
  await control.faults.replace({ rules: [{ operation: 'listTransactions', status: 503, times: 1 }] });
  render(<Transactions customerId={customerId} />);
  await userEvent.click(await screen.findByRole('button', { name: 'Try again' }));
  expect(await screen.findByText('No payments yet.')).toBeTruthy();
});
