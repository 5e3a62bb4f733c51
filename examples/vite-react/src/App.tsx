import type { ExternalAccount, InternalAccount } from 'countersign';
import { Suspense, use, useActionState, useState } from 'react';
import { must, service } from './service.ts';

interface Accounts {
  readonly own: readonly InternalAccount[];
  readonly banks: readonly ExternalAccount[];
}

async function loadAccounts(): Promise<Accounts> {
  const [own, banks] = await Promise.all([
    service.GET('/customers/internal-accounts'),
    service.GET('/customers/external-accounts'),
  ]);
  return { own: must(own).data, banks: must(banks).data };
}

export function App() {
  const [accounts, setAccounts] = useState(loadAccounts);
  return (
    <main>
      <h1>Payouts</h1>
      <Suspense fallback={<p>Loading…</p>}>
        <Balances accounts={accounts} />
        <PayOut accounts={accounts} onPaid={() => setAccounts(loadAccounts())} />
      </Suspense>
    </main>
  );
}

function Balances({ accounts }: { readonly accounts: Promise<Accounts> }) {
  return (
    <ul>
      {use(accounts).own.map(({ id, balance }) => (
        <li key={id}>{formatAmount(balance)}</li>
      ))}
    </ul>
  );
}

interface PayOutProps {
  readonly accounts: Promise<Accounts>;
  readonly onPaid: () => void;
}

function PayOut({ accounts, onPaid }: PayOutProps) {
  const { own, banks } = use(accounts);
  const dollars = own.find(({ balance }) => balance.currency.code === 'USD');
  // One key for each payment that the user wants, so that a second click doesn't pay twice.
  const [key, setKey] = useState(() => crypto.randomUUID());
  const [message, pay, isPaying] = useActionState(async (_before: string, form: FormData) => {
    const { data, error } = await service.POST('/transfer-out', {
      params: { header: { 'Idempotency-Key': key } },
      body: {
        source: { accountId: dollars?.id ?? '' },
        destination: { accountId: String(form.get('bank')) },
        amount: Math.round(Number(form.get('amount')) * 100),
      },
    });
    if (error) return error.message;
    setKey(crypto.randomUUID());
    onPaid();
    return `The payment is ${data.status}.`;
  }, '');
  return (
    <form action={pay}>
      <label>
        US dollars <input name="amount" type="number" min="0.01" step="0.01" defaultValue="25" required />
      </label>
      <select name="bank" aria-label="Bank account">
        {banks.map(({ id, beneficiaryVerifiedData }) => (
          <option key={id} value={id}>
            {beneficiaryVerifiedData?.fullName ?? id}
          </option>
        ))}
      </select>
      <button type="submit" disabled={isPaying || dollars === undefined}>
        Pay out
      </button>
      <output>{message}</output>
    </form>
  );
}

/** Amounts are in the currency's smallest unit. */
function formatAmount({ amount, currency }: InternalAccount['balance']): string {
  const { code, decimals } = currency;
  return `${(amount / 10 ** decimals).toLocaleString('en', { minimumFractionDigits: 2 })} ${code}`;
}
