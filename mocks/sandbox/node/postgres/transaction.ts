import pg from 'pg';
import type { Known } from '../../store/known.ts';
import type { Cell, Reader, Result, Statement } from '../../store/store.ts';
import { OutcomeUnknown, StorageUnavailable } from '../../tools/problem.ts';
import { sha256 } from '../machine/crypto.ts';
import { ask, builder, send } from './connection.ts';
import { inOne, PendingWrites, type Place, type PlatformNumbers, setNumbers, type Write } from './pendingWrites.ts';
import { type Shape, shapeOf } from './shapes.ts';

/**
 * If a process stops inside a unit, its platform is released after this time. No process waits longer. In milliseconds.
 */
const stuckTimeoutMs = 30_000;

/**
 * Sent together with the locks, in one round trip. With READ COMMITTED, the statements after a lock see everything
 * that was committed before the lock was granted. The limits apply only to the transaction. As settings of the
 * connection, a pooler would refuse them or pass them on to other clients.
 */
const begin = `begin isolation level read committed; set local lock_timeout = ${stuckTimeoutMs};
  set local idle_in_transaction_session_timeout = ${stuckTimeoutMs}`;

/** What statements do that change data. */
const writing: ReadonlySet<Shape['does']> = new Set(['insert', 'change', 'replace', 'remove', 'number', 'anything']);

/** The writes since the last mark. */
interface Layer {
  readonly pending: PendingWrites;
  /** The name of its savepoint. Absent until a write is sent that a rollback may undo. */
  savepoint?: string;
}

/**
 * One transaction under the locks of its platforms. Statements whose result no unit reads are held back and sent together, at the
 * latest with the commit. Some are sent earlier, without waiting for their answers. If one of them fails, units may have
 * continued after it. None of these units has been answered yet, because {@link commit} comes first, and fails.
 */
export class GroupTransaction {
  readonly #client: pg.ClientBase;
  readonly #known: ReadonlyMap<string, Known> | undefined;
  /** The platforms that have changed something, also if it was rolled back. */
  readonly #changed = new Set<string>();
  readonly #layers: Layer[] = [{ pending: new PendingWrites() }];
  readonly #underWay: Promise<void>[] = [];
  #savepoints = 0;
  /** The error of the first statement that failed. `isHidden` if no unit waited for the statement. */
  #failure: { readonly error: unknown; readonly isHidden: boolean } | undefined;

  /**
   * @param known the known rows of each platform. Absent for a unit that must see the result of each statement at once; then
   * nothing is held back.
   */
  constructor(client: pg.ClientBase, known: ReadonlyMap<string, Known> | undefined) {
    this.#client = client;
    this.#known = known;
  }

  /** The same transaction for the units of one platform. */
  of(platformId: string): Reader {
    return {
      builder,
      known: this.#known?.get(platformId),
      execute: (statement) => this.#execute(platformId, statement),
    };
  }

  async #execute(platformId: string, statement: Statement): Promise<Result> {
    const shape = shapeOf(statement.sql);
    if (writing.has(shape.does)) this.#changed.add(platformId);
    if (this.#known === undefined) return this.#sendNow(statement);
    const top = this.#top.pending;
    switch (shape.does) {
      case 'read':
        this.#sendPending(shape.tables);
        return this.#sendNow(statement);
      case 'insert':
        // A new record may have an id, or another unique value, of a removed one. Then the order matters.
        if (this.#layers.some(({ pending }) => pending.collides(shape, statement.parameters))) {
          this.#sendPending([shape.table]);
        }
        return { rows: [], affected: top.addRows(shape, statement.parameters) };
      case 'change':
        return { rows: [], affected: top.addRows(shape, statement.parameters) };
      case 'replace': {
        const [platformId, id, read] = statement.parameters.slice(shape.columns.length) as [string, string, number];
        const place = { table: shape.table, platformId, id };
        const pending = this.#versionOf(place);
        if (pending !== undefined && pending !== read) return nothing;
        top.replace(place, read, shape, statement.parameters);
        return { rows: [], affected: 1 };
      }
      case 'remove':
        top.remove(shape, statement.parameters);
        return { rows: [], affected: 1 };
      case 'number': {
        const [sequence, latest, id] = statement.parameters;
        top.numbers.set(String(id), { sequence: Number(sequence), latest: Number(latest) });
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
    const tables = this.#layers.flatMap((layer) => pending.collisionsWith(layer.pending));
    if (tables.length > 0) this.#sendPending(tables);
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

  /** Sends what is held back, and waits for the answers. @throws the error of a failed statement */
  async flush(): Promise<void> {
    this.#sendPending();
    await Promise.all(this.#underWay.splice(0));
    this.requireSound();
  }

  /**
   * Sends what is left, and commits.
   * @returns the new version of each platform's row that has one, because the platform has changed something
   * @throws the error of a failed statement; then nothing is stored. OutcomeUnknown if the answer to the commit was lost
   */
  async commit(): Promise<ReadonlyMap<string, string>> {
    let last: Promise<Result> | undefined;
    if (this.#changed.size > 0) {
      const { pending } = this.#top;
      // What concerns the whole store has no platform, and so no version.
      const changed = [...this.#changed].filter((id) => id !== '');
      const numbers = pending.takeNumbers();
      const writes = pending.take();
      // The result of a statement with replacements is their check.
      if (writes.some(({ expected }) => expected !== undefined)) this.#sendOff(inOne(writes.splice(0)));
      if (changed.length > 0) writes.push(renewVersions(changed, numbers));
      last = writes.length === 0 ? undefined : this.#sendNow(inOne(writes), true);
    }
    const [{ command }, result] = await Promise.all([
      ask(this.#client, { text: 'commit' }).catch((error: unknown) => this.#explainLostCommit(error)),
      last?.catch(() => undefined),
      ...this.#underWay,
    ]);
    // If a statement of a transaction failed, PostgreSQL answers its commit with a rollback.
    if (command !== 'COMMIT') {
      this.requireSound();
      throw new Error('The server has rolled a transaction back instead of committing it');
    }
    return new Map(result?.rows.map(({ id, version }) => [String(id), String(version)]));
  }

  /**
   * The server may have committed although its answer didn't arrive. It hasn't if it refused the commit, or a statement before
   * it. A pooler in between reports a lost server as an error too.
   */
  #explainLostCommit(error: unknown): never {
    const isRefused = this.#failure?.error instanceof pg.DatabaseError;
    const isAnswered =
      error instanceof pg.DatabaseError && error.severity === 'ERROR' && !mayHaveCommitted.test(error.code ?? '');
    if (isRefused || isAnswered || this.#changed.size === 0) throw error;
    throw new OutcomeUnknown(error instanceof StorageUnavailable ? error.cause : error);
  }

  get #top(): Layer {
    return this.#layers.at(-1) as Layer;
  }

  /** The version that a record has after all writes that are held back. The upper layers are newer. */
  #versionOf(place: Place): Cell | undefined {
    for (const { pending } of this.#layers.toReversed()) {
      const version = pending.versionOf(place);
      if (version !== undefined) return version;
    }
    return undefined;
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

// SQLSTATE classes of a lost connection, of an intervention and of a broken server, and "statement completion unknown".
const mayHaveCommitted = /^(?:08|57|58|XX|40003)/;

const nothing: Result = { rows: [], affected: 0 };

/**
 * Begins a transaction under the locks of platforms.
 * @param isPatient whether to wait for locks that others hold. Wait for one lock only, because two processes that wait for each
 * other's would wait forever.
 * @returns the version of each platform's row, for the platforms whose lock was free or was waited for
 */
export async function beginUnderLocks(
  client: pg.ClientBase,
  platformIds: readonly string[],
  isPatient: boolean,
): Promise<ReadonlyMap<string, string | undefined>> {
  const rows = platformIds.map((id) => `(${client.escapeLiteral(id)}, '${lockOf(id)}'::bigint)`);
  const lock = isPatient ? 'pg_advisory_xact_lock(number) is not null' : 'pg_try_advisory_xact_lock(number)';
  const ids = platformIds.map((id) => client.escapeLiteral(id));
  const text = `${begin}; select id, ${lock} as "isLocked" from (values ${rows}) as locks (id, number);
    select id, xmin::text as version from platforms where id in (${ids})`;
  const results = (await ask(client, { text })) as unknown as readonly pg.QueryResult[];
  const [locks, versions] = results.slice(-2) as [pg.QueryResult, pg.QueryResult];
  const found = new Map(versions.rows.map(({ id, version }) => [id, version]));
  return new Map(locks.rows.filter(({ isLocked }) => isLocked).map(({ id }) => [id, found.get(id)]));
}

/**
 * Renews the versions of platforms' rows, and stores their last numbers. A version is the number of the transaction that last
 * wrote the row, which the server stores with each row. This must run outside of savepoints, because they have separate
 * numbers.
 */
function renewVersions(platformIds: readonly string[], numbers: ReadonlyMap<string, PlatformNumbers>): Write {
  const rows = platformIds.map((id) => ({ id, ...numbers.get(id) }));
  return {
    parameters: [JSON.stringify(rows)],
    text: (first) => `${setNumbers(first)} returning platforms.id, platforms.xmin::text as "version"`,
  };
}

/**
 * The number of a platform's lock. If two platforms had the same number, which is very unlikely, they would wait for
 * each other.
 */
function lockOf(platformId: string): bigint {
  return Buffer.from(sha256(`countersign platform ${platformId}`)).readBigInt64BE();
}
