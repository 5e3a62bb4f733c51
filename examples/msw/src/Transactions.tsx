import type { Transaction } from 'countersign';
import { useEffect, useState } from 'react';
import { service } from './service.ts';

/** The payments of a customer, newest first. */
export function Transactions({ customerId }: { readonly customerId: string }) {
  const [transactions, setTransactions] = useState<readonly Transaction[]>();
  const [problem, setProblem] = useState<string>();
  const [attempt, setAttempt] = useState(1);

  // Each new attempt sends the request again.
  useEffect(() => {
    const controller = new AbortController();
    const load = async () => {
      const query = { customerId };
      const { data, error } = await service.GET('/transactions', { params: { query }, signal: controller.signal });
      if (controller.signal.aborted) return;
      setTransactions(data?.data);
      setProblem(error?.message);
    };
    void load();
    return () => controller.abort();
  }, [customerId, attempt]);

  if (problem !== undefined) {
    return (
      <div role="alert">
        <p>{problem}</p>
        <button type="button" onClick={() => setAttempt(attempt + 1)}>
          Try again
        </button>
      </div>
    );
  }
  if (transactions === undefined) return <p>Loading…</p>;
  if (transactions.length === 0) return <p>No payments yet.</p>;
  return (
    <ul>
      {transactions.map(({ id, status, type }) => (
        <li key={id}>{`${type} ${status}`}</li>
      ))}
    </ul>
  );
}
