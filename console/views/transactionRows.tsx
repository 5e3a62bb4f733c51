import type { Transaction } from '../../generated/types.ts';
import { Amount, Id, State, Time } from '../parts/basics.tsx';
import { words } from '../parts/format.ts';

/** A table of the loaded transactions. */
export function TransactionRows({ transactions }: { readonly transactions: readonly Transaction[] }) {
  if (transactions.length === 0) return <p className="soft">No transactions yet.</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached with the keyboard
    <section className="scroll" tabIndex={0} aria-label="Transactions, a table that scrolls">
      <table>
        <thead>
          <tr>
            <th scope="col">Created (UTC)</th>
            <th scope="col">Transaction</th>
            <th scope="col">Type</th>
            <th scope="col">Status</th>
            <th scope="col" className="number">
              Received
            </th>
          </tr>
        </thead>
        <tbody>
          {transactions.map((transaction) => (
            <tr key={transaction.id}>
              <td>
                <Time value={transaction.createdAt} />
              </td>
              <td>
                <Id value={transaction.id} />
              </td>
              <td>{words(transaction.type)}</td>
              <td>
                <State value={transaction.status} />
              </td>
              <td className="number">
                <Amount value={transaction.receivedAmount} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
