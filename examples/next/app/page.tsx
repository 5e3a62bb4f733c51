import { createService } from '../lib/service';
import { findCustomer } from '../lib/session';
import { PayOut } from './payOut';

/** Rendered on the server, because the token is there. */
export default async function Page() {
  const customerId = await findCustomer();
  if (customerId === undefined) return <p>Sign in first.</p>;
  const { data, error } = await createService().GET('/customers/internal-accounts', {
    params: { query: { customerId } },
  });
  if (error) throw new Error(error.message);
  return (
    <main>
      <h1>Payouts</h1>
      <ul>
        {data.data.map(({ id, balance: { amount, currency } }) => (
          <li key={id}>{`${(amount / 10 ** currency.decimals).toFixed(2)} ${currency.code}`}</li>
        ))}
      </ul>
      <PayOut />
    </main>
  );
}
