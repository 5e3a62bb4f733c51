import type { OperationId } from '../../../generated/operations.ts';
import type { JournalEntry } from './journalEntry.ts';

/** An event that has just happened. Exchanges are made into text only when a listener reads them. */
export type Happening =
  | {
      readonly type: 'EXCHANGE';
      readonly operationId: OperationId | null;
      readonly entry: () => JournalEntry;
      readonly bytes: number;
    }
  | { readonly type: 'CODE'; readonly accountId: string }
  | { readonly type: 'DUE'; readonly kind: string; readonly subjectId: string; readonly dueAt: number }
  | { readonly type: 'CONTROL'; readonly operationId: string }
  | { readonly type: 'MISSED'; readonly count: number };

/** An event on its way to listeners. All of them share its text. */
export class Told {
  readonly happening: Happening;
  #text: Uint8Array | undefined;

  constructor(happening: Happening) {
    this.happening = happening;
  }

  /** The memory that it holds while it waits. */
  get bytes(): number {
    return this.happening.type === 'EXCHANGE' ? this.happening.bytes : 0;
  }

  /** @param write called once for all listeners */
  text(write: (happening: Happening) => Uint8Array): Uint8Array {
    this.#text ??= write(this.happening);
    return this.#text;
  }
}

/** The events of one platform, from the first call of `next` on. */
export interface Listener {
  /** Waits for the next event; undefined once the listener has ended. */
  next(): Promise<Told | undefined>;
  /** Ends the listener, and a waiting `next` too. */
  end(): void;
}
