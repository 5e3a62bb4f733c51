import type { Kysely } from 'kysely';
import type { KnownRows } from './known.ts';
import type { Cell, Reader, Result, Schema, Statement } from './store.ts';

/** What one unit of work is given: it stops working when the unit is over, so a stray query can't land in another's. */
export class UnitHandle implements Reader {
  readonly builder: Kysely<Schema>;
  readonly known: KnownRows | undefined;
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

/** @throws TypeError for what no column of ours holds; a driver would turn it into something else without a word. */
export function checkCell(value: Cell): Cell {
  if (typeof value === 'number' && !Number.isSafeInteger(value)) {
    throw new TypeError(`Only whole numbers are stored, not ${value}`);
  }
  if (value !== null && typeof value !== 'string' && typeof value !== 'number') {
    throw new TypeError(`A ${typeof value} can't be stored in a column`);
  }
  return value;
}
