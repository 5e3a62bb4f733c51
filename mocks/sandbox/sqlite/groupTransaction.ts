import type { Kysely } from 'kysely';
import type { KnownRows } from '../store/known.ts';
import type { Reader, Result, Schema, Statement } from '../store/store.ts';
import { StorageUnavailable } from '../tools/problem.ts';

/** A connection that can tell whether its transaction is still open. */
interface OwnConnection extends Reader {
  readonly database: { readonly isOpen: boolean; readonly isTransaction: boolean; exec(sql: string): void };
}

/**
 * The transaction that a group of units shares, as each of them sees it. A full disk makes SQLite end the transaction by
 * itself; a statement after that would be a transaction of its own, and stay although its unit was refused.
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
   * To be asked when a unit's work is over, however it ended.
   * @param error what the work threw, if it did.
   * @throws StorageUnavailable when the engine has ended the transaction: that is what the whole group is told, whatever
   * the unit made of it.
   */
  requireOpen(error?: unknown): void {
    if (!this.#connection.database.isTransaction) throw endedByEngine(error);
  }

  /** Takes the transaction back if it is open. An engine that can't even do that is asked again by the next group. */
  giveUp(): void {
    const { database } = this.#connection;
    if (!database.isOpen || !database.isTransaction) return;
    try {
      database.exec('rollback');
    } catch {
      // Those who wait are told of the first failure; nothing is committed while the transaction is open.
    }
  }
}

function endedByEngine(cause?: unknown): StorageUnavailable {
  if (cause instanceof StorageUnavailable) return cause;
  return new StorageUnavailable(cause ?? new Error('The engine has ended the transaction'));
}
