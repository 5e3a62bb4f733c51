import type pg from 'pg';
import { UnitHandle } from '../../store/handle.ts';
import type { Reader, Store, StoreCounts, UnitSize } from '../../store/store.ts';
import { systemStopwatch } from '../../tools/clock.ts';
import { StorageUnavailable } from '../../tools/problem.ts';
import { ask, builder, send } from './connection.ts';
import { isConflict, isUnavailable } from './errors.ts';
import { KnownByPlatform } from './knownByPlatform.ts';
import { SharedReads } from './sharedReads.ts';
import { beginUnderLock, GroupTransaction } from './transaction.ts';

/** How often a unit that meets a conflict is tried in all. */
export const maxAttempts = 5;
/** So many units share one transaction at most. */
const groupLimit = 128;
/** For so long a group takes further units: other processes wait for the platform. Milliseconds. */
const groupTimeMs = 50;

interface Job {
  readonly size: UnitSize;
  readonly work: (reader: Reader) => Promise<unknown>;
  readonly done: (value: unknown) => void;
  readonly failed: (error: unknown) => void;
}

/** Tells the one who waits for a unit how it has ended. */
type Tell = () => void;

export class PostgresStore implements Store {
  readonly #pool: pg.Pool;
  readonly #known: KnownByPlatform;
  readonly #reads: SharedReads;
  /** The units that wait, by platform; a platform is there for as long as somebody serves it. */
  readonly #waiting = new Map<string, Job[]>();
  readonly #served = new Set<Promise<void>>();
  readonly #counts = { units: 0, commits: 0, failures: 0 };

  /** @param seal given each row that units share. */
  constructor(pool: pg.Pool, seal?: (row: unknown) => unknown) {
    this.#pool = pool;
    this.#known = new KnownByPlatform(seal);
    this.#reads = new SharedReads((statement) => send(pool, statement));
  }

  async read<T>(work: (reader: Reader) => Promise<T>): Promise<T> {
    try {
      // Each statement by itself: it sees what is committed when it runs, and no connection waits for `work`.
      return await work({ builder, execute: (statement) => this.#reads.read(statement) });
    } catch (error) {
      throw asFailure(error);
    }
  }

  // The platform's units of this process wait here, not each with a connection of its own, so that a busy platform
  // leaves connections to the others. After each group the platform goes to the end of the line for one.
  transaction<T>(platformId: string, work: (reader: Reader) => Promise<T>, size: UnitSize = 'small'): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const job = { size, work, done: resolve as (value: unknown) => void, failed: reject };
      const waiting = this.#waiting.get(platformId);
      if (waiting !== undefined) {
        waiting.push(job);
        return;
      }
      const queue = [job];
      this.#waiting.set(platformId, queue);
      const served = this.#serve(platformId, queue).finally(() => this.#served.delete(served));
      this.#served.add(served);
    });
  }

  counts(): StoreCounts {
    let waiting = 0;
    for (const queue of this.#waiting.values()) waiting += queue.length;
    return { ...this.#counts, waiting };
  }

  async close(): Promise<void> {
    await Promise.all(this.#served);
    await this.#pool.end();
  }

  /** To be called when a connection was lost: another server may take its place that lacks what this one had committed. */
  forget(): void {
    this.#known.forget();
  }

  async #serve(platformId: string, queue: Job[]): Promise<void> {
    while (queue.length > 0) {
      if (queue[0]?.size === 'large') await this.#runAlone(platformId, queue.shift() as Job);
      else await this.#runGroup(platformId, queue);
    }
    this.#waiting.delete(platformId);
  }

  /** Runs those that wait in one transaction, up to the next that is large. */
  async #runGroup(platformId: string, queue: Job[]): Promise<void> {
    const group = takeSmall(queue, groupLimit);
    const tells: Tell[] = [];
    try {
      await this.#inTransaction(platformId, true, async (transaction) => {
        // Others have come while the lock was waited for.
        group.push(...takeSmall(queue, groupLimit - group.length));
        await runTogether(group, transaction, tells);
        queue.unshift(...group.splice(tells.length));
      });
      this.#counts.units += tells.length;
      for (const tell of tells) tell();
    } catch (error) {
      const isAlone = group.length === 1;
      const isOver = isAlone ? !isConflict(error) : isUnavailable(error) && !isConflict(error);
      if (isOver || error instanceof StorageUnavailable) {
        for (const job of group) this.#refuse(job, error);
        return;
      }
      // A statement has failed, and others may have met its consequences. By itself each has its own fate, and those
      // that had not begun are a group again.
      queue.unshift(...group.splice(tells.length + 1));
      for (const job of group) await this.#runAlone(platformId, job, isAlone ? 2 : 1);
    }
  }

  async #runAlone(platformId: string, job: Job, firstAttempt = 1): Promise<void> {
    for (let attempt = firstAttempt; ; attempt += 1) {
      try {
        const value = await this.#inTransaction(platformId, job.size === 'small', (transaction) =>
          runUnit(job, transaction),
        );
        this.#counts.units += 1;
        job.done(value);
        return;
      } catch (error) {
        if (attempt < maxAttempts && isConflict(error)) continue;
        this.#refuse(job, error);
        return;
      }
    }
  }

  #refuse(job: Job, error: unknown): void {
    const failure = asFailure(error);
    if (failure instanceof StorageUnavailable) this.#counts.failures += 1;
    job.failed(failure);
  }

  /** Commits what `work` has done, or leaves nothing of it. */
  async #inTransaction<T>(
    platformId: string,
    isSmall: boolean,
    work: (transaction: GroupTransaction) => Promise<T>,
  ): Promise<T> {
    const client = await this.#pool.connect().catch((error: unknown) => {
      throw new StorageUnavailable(error);
    });
    let lost: Error | undefined;
    try {
      const version = await beginUnderLock(client, platformId);
      const known = this.#known.open(platformId, version);
      const transaction = new GroupTransaction(client, platformId, isSmall ? known : undefined);
      const value = await work(transaction);
      const after = await transaction.commit();
      this.#counts.commits += 1;
      if (isSmall) this.#known.keep(platformId, after.hasWritten ? after.version : version);
      return value;
    } catch (error) {
      // What can't be asked any more is thrown away, and with it what it had begun.
      if (error instanceof StorageUnavailable) lost = error;
      else await ask(client, { text: 'rollback' }).catch((failure: Error) => (lost = failure));
      if (lost !== undefined) this.forget();
      throw error;
    } finally {
      client.release(lost);
    }
  }
}

function takeSmall(queue: Job[], most: number): Job[] {
  const large = queue.findIndex(({ size }) => size === 'large');
  return queue.splice(0, Math.min(large < 0 ? queue.length : large, most));
}

/**
 * Runs units one after the other, until the group has taken its time.
 * @param tells is given how to tell each of those that were run, once the transaction is kept.
 * @throws what a statement has failed with, which ends the transaction; and what a unit that is alone has failed with.
 */
async function runTogether(group: readonly Job[], transaction: GroupTransaction, tells: Tell[]): Promise<void> {
  const end = systemStopwatch() + groupTimeMs;
  for (const job of group) {
    // One that is alone needs no savepoint: what takes it back is the end of the transaction.
    const mark = group.length === 1 ? undefined : transaction.mark();
    try {
      const value = await runUnit(job, transaction);
      tells.push(() => job.done(value));
    } catch (error) {
      transaction.requireSound(error);
      if (mark === undefined) throw error;
      transaction.takeBack(mark);
      tells.push(() => job.failed(error));
    }
    if (mark !== undefined) transaction.keep();
    if (systemStopwatch() > end) return;
  }
}

async function runUnit({ work }: Job, transaction: GroupTransaction): Promise<unknown> {
  const handle = new UnitHandle(transaction);
  try {
    const value = await work(handle);
    transaction.requireSound();
    return value;
  } catch (error) {
    transaction.requireSound(error);
    throw error;
  } finally {
    handle.end();
  }
}

function asFailure(error: unknown): unknown {
  return isUnavailable(error) ? new StorageUnavailable(error) : error;
}
