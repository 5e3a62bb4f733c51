/** The part of a reply that the ledger and the control surface's check read. A web `Response` has this shape. */
import type { Reply } from '../../../mocks/exchange/exchange.ts';

export interface Answered {
  readonly status: number;
  readonly headers: Pick<Headers, 'get' | 'has'>;
  text(): Promise<string>;
}

/**
 * Converts an app's reply with text or no content. It doesn't make a `Response`, which would take longer than the check
 * itself.
 *
 * @param method of the request: a reply to HEAD gets no content.
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
