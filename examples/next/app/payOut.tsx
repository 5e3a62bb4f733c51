'use client';
import { useRouter } from 'next/navigation';
import { useActionState, useState } from 'react';

export function PayOut() {
  const router = useRouter();
  // One key for each payment that the user wants, so that a second click doesn't pay twice.
  const [key, setKey] = useState(() => crypto.randomUUID());
  const [message, pay, isPaying] = useActionState(async (_before: string, form: FormData) => {
    const response = await fetch('/api/payouts', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Idempotency-Key': key },
      body: JSON.stringify({ cents: Math.round(Number(form.get('amount')) * 100) }),
    });
    const reply: { readonly status: string | number; readonly message?: string } = await response.json();
    if (!response.ok) return reply.message ?? 'The payment was not made.';
    setKey(crypto.randomUUID());
    router.refresh();
    return `The payment is ${reply.status}.`;
  }, '');
  return (
    <form action={pay}>
      <label>
        US dollars <input name="amount" type="number" min="0.01" step="0.01" defaultValue="25" required />
      </label>
      <button type="submit" disabled={isPaying}>
        Pay out
      </button>
      <output>{message}</output>
    </form>
  );
}
