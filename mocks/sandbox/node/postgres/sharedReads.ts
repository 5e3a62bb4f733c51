import type { Result, Statement } from '../../store/store.ts';

interface Running {
  /** Resolves when the read has ended, with or without success. */
  readonly over: Promise<void>;
  /** The read that follows, if it was requested. */
  next?: Promise<Result>;
}

/**
 * Runs reads outside of units, such as the read of a request's token. If the same read is requested while it runs, it
 * runs once more afterwards, for all requests that arrived meanwhile. So each result is newer than its request.
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
