import type pg from 'pg';
import type { Known } from '../../store/known.ts';
import type { Cell, Reader, Result, Row, Statement } from '../../store/store.ts';
import { sha256 } from '../machine/crypto.ts';
import { ask, builder, send } from './connection.ts';
import { inOne, PendingWrites, type Write } from './pendingWrites.ts';
import { shapeOf } from './shapes.ts';

/**
 * If a process stops inside a unit, its platform is released after this time. No process waits longer. In milliseconds.
 */
const stuckTimeoutMs = 30_000;

/**
 * Sent together with the lock, in one round trip. With READ COMMITTED, the statements after the lock see everything
 * that was committed before the lock was granted. The limits apply only to the transaction. As settings of the
 * connection, a pooler would refuse them or pass them on to other clients.
 */
const begin = `begin isolation level read committed; set local lock_timeout = ${stuckTimeoutMs};
  set local idle_in_transaction_session_timeout = ${stuckTimeoutMs}`;

/** The writes since the last mark. */
interface Layer {
  readonly pending: PendingWrites;
  /** The name of its savepoint. Absent until a write is sent that a rollback may undo. */
  savepoint?: string;
}

/**
 * One transaction under its platform's lock. Statements whose result no unit reads are held back and sent together, at the
 * latest with the commit. Some are sent earlier, without waiting for their answers. If one of them fails, units may have
 * continued after it. None of these units has been answered yet, because {@link commit} comes first, and fails.
 */
export class GroupTransaction implements Reader {
  readonly builder = builder;
  readonly known: Known | undefined;
  readonly #client: pg.ClientBase;
  readonly #platformId: string;
  readonly #layers: Layer[] = [{ pending: new PendingWrites() }];
  readonly #underWay: Promise<void>[] = [];
  #savepoints = 0;
  #hasWritten = false;
  /** The error of the first statement that failed. `isHidden` if no unit waited for the statement. */
  #failure: { readonly error: unknown; readonly isHidden: boolean } | undefined;

  /** @param known absent for a unit that must see the result of each statement at once; then nothing is held back */
  constructor(client: pg.ClientBase, platformId: string, known: Known | undefined) {
    this.#client = client;
    this.#platformId = platformId;
    this.known = known;
  }

  async execute(statement: Statement): Promise<Result> {
    const shape = shapeOf(statement.sql);
    if (['insert', 'change', 'number', 'anything'].includes(shape.does)) this.#hasWritten = true;
    if (this.known === undefined) return this.#sendNow(statement);
    const top = this.#top.pending;
    switch (shape.does) {
      case 'read':
        this.#sendPending(shape.tables);
        return this.#sendNow(statement);
      case 'insert':
      case 'change':
        return { rows: [], affected: top.addRows(shape, statement.parameters) };
      case 'number': {
        const [sequence, platformId] = statement.parameters;
        top.number = { sequence: Number(sequence), platformId: String(platformId) };
        return { rows: [], affected: 1 };
      }
      case 'mark':
        this.mark();
        return nothing;
      case 'keep':
        this.keep();
        return nothing;
      case 'take back':
        this.takeBack();
        return nothing;
      case 'anything':
        this.#sendPending();
        return this.#sendNow(statement);
    }
  }

  /** Starts a part that can be rolled back separately. @returns the mark for {@link takeBack} */
  mark(): number {
    return this.#layers.push({ pending: new PendingWrites() }) - 1;
  }

  /** Ends the last part. From now on it can only be rolled back together with the part before it. */
  keep(): void {
    const { pending, savepoint } = this.#layers.pop() as Layer;
    if (savepoint !== undefined) this.#sendOff({ sql: `release savepoint ${savepoint}`, parameters: [] });
    this.#top.pending.absorb(pending);
  }

  /** Rolls back everything since a {@link mark}, by default the last one, with the parts that were started after it. */
  takeBack(mark = this.#layers.length - 1): void {
    this.#layers.length = mark + 1;
    const { pending, savepoint } = this.#top;
    pending.clear();
    // If a layer above has a savepoint, this one has too, and the server drops those above with this one.
    if (savepoint !== undefined) this.#sendOff({ sql: `rollback to savepoint ${savepoint}`, parameters: [] });
  }

  /**
   * Call this when the work of a unit has ended, with or without an error.
   * @param thrown the error of the work, if it threw one
   * @throws the error that ends the transaction, if a statement has failed
   */
  requireSound(thrown?: unknown): void {
    if (this.#failure === undefined) return;
    if (this.#failure.isHidden) throw this.#failure.error;
    throw thrown ?? new Error('A unit of work went on after one of its statements had failed');
  }

  /**
   * Sends what is left, and commits.
   * @returns the new version of the platform's row, if the transaction wrote anything
   * @throws the error of a failed statement; then nothing is stored
   */
  async commit(): Promise<{ readonly hasWritten: boolean; readonly version?: string | undefined }> {
    let last: Promise<Result> | undefined;
    if (this.#hasWritten) {
      const { pending } = this.#top;
      const { number } = pending;
      if (number?.platformId === this.#platformId) pending.number = undefined;
      const writes = pending.take();
      if (this.#platformId !== '') writes.push(renewVersion(this.#platformId, number?.sequence));
      last = writes.length === 0 ? undefined : this.#sendNow(inOne(writes), true);
    }
    const [{ command }, result] = await Promise.all([
      ask(this.#client, { text: 'commit' }),
      last?.catch(() => undefined),
      ...this.#underWay,
    ]);
    // If a statement of a transaction failed, PostgreSQL answers its commit with a rollback.
    if (command !== 'COMMIT') {
      this.requireSound();
      throw new Error('The server has rolled a transaction back instead of committing it');
    }
    return { hasWritten: this.#hasWritten, version: versionOf(result?.rows[0]) };
  }

  get #top(): Layer {
    return this.#layers.at(-1) as Layer;
  }

  /** Sends what is held back for these tables, or everything, without waiting for the answer. */
  #sendPending(tables?: readonly string[]): void {
    if (tables === undefined) this.#openSavepoints(this.#layers.length - 1);
    for (const [index, { pending }] of this.#layers.entries()) {
      const writes = pending.take(tables);
      if (writes.length === 0) continue;
      this.#openSavepoints(index);
      this.#sendOff(inOne(writes));
    }
  }

  /** A layer's writes must come after its savepoint, and the writes of the layers below before it. */
  #openSavepoints(upTo: number): void {
    for (const [index, layer] of this.#layers.entries()) {
      if (index > upTo) return;
      if (index === 0 || layer.savepoint !== undefined) continue;
      const before = (this.#layers[index - 1] as Layer).pending.take();
      if (before.length > 0) this.#sendOff(inOne(before));
      this.#savepoints += 1;
      // Each name is used once. A rollback to an older savepoint of the same name would revive a failed transaction.
      layer.savepoint = `unit_${this.#savepoints}`;
      this.#sendOff({ sql: `savepoint ${layer.savepoint}`, parameters: [] });
    }
  }

  #sendOff(statement: Statement): void {
    this.#underWay.push(
      this.#sendNow(statement, true).then(
        () => {},
        () => {},
      ),
    );
  }

  async #sendNow(statement: Statement, isHidden = false): Promise<Result> {
    try {
      return await send(this.#client, statement);
    } catch (error) {
      this.#failure ??= { error, isHidden };
      throw error;
    }
  }
}

const nothing: Result = { rows: [], affected: 0 };

/** Begins a transaction and waits for the platform's lock. @returns the version of the platform's row */
export async function beginUnderLock(client: pg.ClientBase, platformId: string): Promise<string | undefined> {
  const text = `${begin}; select pg_advisory_xact_lock(${lockOf(platformId)});
    select xmin::text as version from platforms where id = ${client.escapeLiteral(platformId)}`;
  const results = (await ask(client, { text })) as unknown as readonly pg.QueryResult<Row>[];
  return versionOf(results.at(-1)?.rows[0]);
}

/**
 * Renews the version of a platform's row. It is the number of the transaction that last wrote the row, which the server
 * stores with each row. This must run outside of savepoints, because they have separate numbers.
 */
function renewVersion(platformId: string, number: number | undefined): Write {
  return {
    parameters: [number ?? null, platformId],
    text: (first) =>
      `update "platforms" set "sequence" = coalesce($${first}, "sequence") where "id" = $${first + 1}
        returning xmin::text as "version"`,
  };
}

function versionOf(row: Row | undefined): string | undefined {
  const version: Cell | undefined = row?.['version'];
  return typeof version === 'string' ? version : undefined;
}

/**
 * The number of a platform's lock. If two platforms had the same number, which is very unlikely, they would wait for
 * each other.
 */
function lockOf(platformId: string): bigint {
  return Buffer.from(sha256(`countersign platform ${platformId}`)).readBigInt64BE();
}
