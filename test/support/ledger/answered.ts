/** A reply as the ledger and the control surface's contract look at it. A web `Response` is one, and is read by them. */
import type { Reply } from '../../../mocks/exchange/exchange.ts';

export interface Answered {
  readonly status: number;
  readonly headers: Pick<Headers, 'get' | 'has'>;
  text(): Promise<string>;
}

/**
 * A reply of an app whose content is text or nothing. No `Response` is made of it, which would take longer than to look at it.
 *
 * @param method of the request: HEAD gets no content.
 */
export function toAnswered({ status, headers, content }: Reply, method: string): Answered {
  const named = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const text = typeof content === 'string' && method !== 'HEAD' ? content : '';
  return {
    status,
    headers: {
      get: (name) => named.get(name.toLowerCase()) ?? null,
      has: (name) => named.has(name.toLowerCase()),
    },
    text: async () => text,
  };
}
