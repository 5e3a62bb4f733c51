import type { Kysely } from 'kysely';
import type { Known } from './known.ts';
import type { Cell, Reader, Result, Schema, Statement } from './store.ts';

/**
 * The reader of one unit of work. It stops working when the unit is over, so a late query can't run in another unit.
 */
export class UnitHandle implements Reader {
  readonly builder: Kysely<Schema>;
  readonly known: Known | undefined;
  readonly #connection: Reader;
  #open = true;

  constructor(connection: Reader) {
    this.#connection = connection;
    this.builder = connection.builder;
    this.known = connection.known;
  }

  execute(statement: Statement): Promise<Result> {
    if (!this.#open) throw new Error('A statement was run after its unit of work had ended: an await is missing');
    return this.#connection.execute(statement);
  }

  end(): void {
    this.#open = false;
  }
}

/** @throws TypeError for a value that our columns don't have; a driver would convert it silently */
export function checkCell(value: Cell): Cell {
  if (typeof value === 'number' && !Number.isSafeInteger(value)) {
    throw new TypeError(`Only whole numbers are stored, not ${value}`);
  }
  if (value !== null && typeof value !== 'string' && typeof value !== 'number') {
    throw new TypeError(`A ${typeof value} can't be stored in a column`);
  }
  return value;
}
