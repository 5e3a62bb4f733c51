import type pg from 'pg';
import type { Known } from '../../store/known.ts';
import type { Cell, Reader, Result, Row, Statement } from '../../store/store.ts';
import { sha256 } from '../machine/crypto.ts';
import { ask, builder, send } from './connection.ts';
import { inOne, PendingWrites, type Write } from './pendingWrites.ts';
import { shapeOf } from './shapes.ts';

/** A process that stopped inside a unit gives the platform free after this time, and nobody waits longer. Milliseconds. */
const stuckTimeoutMs = 30_000;

/**
 * Sent with the lock, in one journey. READ COMMITTED: what runs after the lock sees all that was committed before it was
 * given. The bounds hold for the transaction alone; as settings of the connection, a pooler would refuse them or hand
 * them on to others.
 */
const begin = `begin isolation level read committed; set local lock_timeout = ${stuckTimeoutMs};
  set local idle_in_transaction_session_timeout = ${stuckTimeoutMs}`;

/** Since the last place that can be gone back to. */
interface Layer {
  readonly pending: PendingWrites;
  /** The name of its savepoint, once the server has one: not before something is sent that might be taken back. */
  savepoint?: string;
}

/**
 * One transaction under its platform's lock. Statements whose outcome nobody looks at are kept back and sent together, at
 * the latest with the commit, or without waiting for their answers. If one of them fails, units have gone on that must
 * not be answered: nobody is before {@link commit}, and it fails then.
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
  /** The first statement's error; `isHidden` when no unit has waited for the statement. */
  #failure: { readonly error: unknown; readonly isHidden: boolean } | undefined;

  /** @param known absent for a unit that is to see the outcome of each statement at once; nothing is kept back then. */
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

  /** Begins what can be taken back by itself. @returns where it begins. */
  mark(): number {
    return this.#layers.push({ pending: new PendingWrites() }) - 1;
  }

  /** Ends what was begun last; it shares the fate of what was before it. */
  keep(): void {
    const { pending, savepoint } = this.#layers.pop() as Layer;
    if (savepoint !== undefined) this.#sendOff({ sql: `release savepoint ${savepoint}`, parameters: [] });
    this.#top.pending.absorb(pending);
  }

  /** Takes back what was done since a {@link mark}, the last by default, with all that was begun after it. */
  takeBack(mark = this.#layers.length - 1): void {
    this.#layers.length = mark + 1;
    const { pending, savepoint } = this.#top;
    pending.clear();
    // A layer above has no savepoint that this one lacks, and the server's go with this one's.
    if (savepoint !== undefined) this.#sendOff({ sql: `rollback to savepoint ${savepoint}`, parameters: [] });
  }

  /**
   * To be asked when a unit's work is over, however it ended.
   * @param thrown what the work has thrown, if it has.
   * @throws the error that ends the transaction, if a statement has failed.
   */
  requireSound(thrown?: unknown): void {
    if (this.#failure === undefined) return;
    if (this.#failure.isHidden) throw this.#failure.error;
    throw thrown ?? new Error('A unit of work went on after one of its statements had failed');
  }

  /**
   * Sends what is left, and ends the transaction.
   * @returns the version that the platform's row has then, if the transaction has written anything.
   * @throws what a statement has failed with; then nothing was kept.
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
    // PostgreSQL answers the commit of a transaction in which a statement failed by rolling it back.
    if (command !== 'COMMIT') {
      this.requireSound();
      throw new Error('The server has rolled a transaction back instead of committing it');
    }
    return { hasWritten: this.#hasWritten, version: versionOf(result?.rows[0]) };
  }

  get #top(): Layer {
    return this.#layers.at(-1) as Layer;
  }

  /** Sends what was kept back of these tables, or everything, without waiting for it. */
  #sendPending(tables?: readonly string[]): void {
    if (tables === undefined) this.#openSavepoints(this.#layers.length - 1);
    for (const [index, { pending }] of this.#layers.entries()) {
      const writes = pending.take(tables);
      if (writes.length === 0) continue;
      this.#openSavepoints(index);
      this.#sendOff(inOne(writes));
    }
  }

  /** What a layer sends must lie behind its savepoint, and all that layers below it have before. */
  #openSavepoints(upTo: number): void {
    for (const [index, layer] of this.#layers.entries()) {
      if (index > upTo) return;
      if (index === 0 || layer.savepoint !== undefined) continue;
      const before = (this.#layers[index - 1] as Layer).pending.take();
      if (before.length > 0) this.#sendOff(inOne(before));
      this.#savepoints += 1;
      // No name twice: taking back to a savepoint of before would bring a failed transaction back to life.
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

/** Begins a transaction and waits for the platform's lock. @returns the version of the platform's row. */
export async function beginUnderLock(client: pg.ClientBase, platformId: string): Promise<string | undefined> {
  const text = `${begin}; select pg_advisory_xact_lock(${lockOf(platformId)});
    select xmin::text as version from platforms where id = ${client.escapeLiteral(platformId)}`;
  const results = (await ask(client, { text })) as unknown as readonly pg.QueryResult<Row>[];
  return versionOf(results.at(-1)?.rows[0]);
}

/**
 * A row's version is the number of the transaction that has written it last, which the server keeps beside each row.
 * Outside of savepoints, which have numbers of their own that may be taken back.
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

/** The number of a platform's lock. Two platforms of one number, which is not to be expected, would wait for each other. */
function lockOf(platformId: string): bigint {
  return Buffer.from(sha256(`countersign platform ${platformId}`)).readBigInt64BE();
}
