import type { Kysely } from 'kysely';
import type { KnownRows } from '../store/known.ts';
import type { Reader, Result, Schema, Statement } from '../store/store.ts';
import { StorageUnavailable } from '../tools/problem.ts';

/** A connection that knows whether its transaction is still open. */
interface OwnConnection extends Reader {
  readonly database: { readonly isOpen: boolean; readonly isTransaction: boolean; exec(sql: string): void };
}

/**
 * The transaction that a group of units shares. A full disk makes SQLite end the transaction. A statement after that
 * would be a transaction of its own, and would stay although its unit was refused.
 */
export class GroupTransaction implements Reader {
  readonly builder: Kysely<Schema>;
  readonly known: KnownRows;
  readonly #connection: OwnConnection;

  constructor(connection: OwnConnection, known: KnownRows) {
    this.#connection = connection;
    this.builder = connection.builder;
    this.known = known;
  }

  execute(statement: Statement): Promise<Result> {
    if (!this.#connection.database.isTransaction) return Promise.reject(endedByEngine());
    return this.#connection.execute(statement);
  }

  /**
   * Call this when a unit's work is over, whether it failed or not.
   * @param error what the work threw, if it did.
   * @throws StorageUnavailable if the engine has ended the transaction. The whole group gets this error, even if the
   * unit handled its own.
   */
  requireOpen(error?: unknown): void {
    if (!this.#connection.database.isTransaction) throw endedByEngine(error);
  }

  /** Rolls the transaction back if it is open. If the engine can't even do that, the next group tries again. */
  giveUp(): void {
    const { database } = this.#connection;
    if (!database.isOpen || !database.isTransaction) return;
    try {
      database.exec('rollback');
    } catch {
      // The units get the first error. Nothing is committed while the transaction is open.
    }
  }
}

function endedByEngine(cause?: unknown): StorageUnavailable {
  if (cause instanceof StorageUnavailable) return cause;
  return new StorageUnavailable(cause ?? new Error('The engine has ended the transaction'));
}
