import type { Result, Statement } from '../../store/store.ts';

interface Running {
  /** Ends when the read has, whichever way. */
  readonly over: Promise<void>;
  /** The read after it, once somebody has asked for it. */
  next?: Promise<Result>;
}

/**
 * Reads outside of units, such as of the token that a request names. What is asked for again while it is read is read
 * once more afterwards, for all who have asked meanwhile: everybody gets what was there after they had asked.
 */
export class SharedReads {
  readonly #send: (statement: Statement) => Promise<Result>;
  readonly #running = new Map<string, Running>();

  constructor(send: (statement: Statement) => Promise<Result>) {
    this.#send = send;
  }

  read(statement: Statement): Promise<Result> {
    const key = JSON.stringify([statement.sql, ...statement.parameters]);
    const running = this.#running.get(key);
    if (running === undefined) return this.#begin(key, statement);
    running.next ??= running.over.then(() => this.#begin(key, statement));
    return running.next;
  }

  #begin(key: string, statement: Statement): Promise<Result> {
    const result = this.#send(statement);
    const end = (): void => {
      if (running.next === undefined) this.#running.delete(key);
    };
    const running: Running = { over: result.then(end, end) };
    this.#running.set(key, running);
    return result;
  }
}
