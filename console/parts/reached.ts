import type { JournalEntry } from '../../generated/controlTypes.ts';

type Reached = Pick<JournalEntry, 'operationId' | 'response'>;

/** The filter for exchanges that reached no operation. */
export const noOperation = 'none';

const refusals: Readonly<Record<number, string>> = {
  400: 'unreadable address',
  404: 'unknown path',
  405: 'unknown method',
};

/** The operation that an exchange reached, or why it reached none. */
export function titleOf({ operationId, response }: Reached): string {
  return operationId ?? refusals[response.status] ?? 'no operation';
}
