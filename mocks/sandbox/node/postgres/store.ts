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

/** The maximum number of attempts for a unit that meets a conflict. */
export const maxAttempts = 5;
/** The maximum number of units in one transaction. */
const groupLimit = 128;
/** After this time a group takes no further units, because other processes wait for the platform. In milliseconds. */
const groupTimeMs = 50;

interface Job {
  readonly size: UnitSize;
  readonly work: (reader: Reader) => Promise<unknown>;
  readonly done: (value: unknown) => void;
  readonly failed: (error: unknown) => void;
}

/** Resolves or rejects the promise of a unit that has run. */
type Tell = () => void;

export class PostgresStore implements Store {
  readonly #pool: pg.Pool;
  readonly #known: KnownByPlatform;
  readonly #reads: SharedReads;
  /** The waiting units of each platform. A platform has an entry while its units are being run. */
  readonly #waiting = new Map<string, Job[]>();
  readonly #served = new Set<Promise<void>>();
  readonly #counts = { units: 0, commits: 0, failures: 0 };

  /** @param seal is applied to each row that units share */
  constructor(pool: pg.Pool, seal?: (row: unknown) => unknown) {
    this.#pool = pool;
    this.#known = new KnownByPlatform(seal);
    this.#reads = new SharedReads((statement) => send(pool, statement));
  }

  async read<T>(work: (reader: Reader) => Promise<T>): Promise<T> {
    try {
      // Each statement runs separately and sees what is committed at that time. No connection waits for `work`.
      return await work({ builder, execute: (statement) => this.#reads.read(statement) });
    } catch (error) {
      throw asFailure(error);
    }
  }

  // The platform's units of this process wait here, without a connection each. So a busy platform leaves connections
  // for the others. After each group, the platform queues for a connection again.
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

  /** Call this when a connection was lost. The next server may lack what this one had committed. */
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

  /** Runs the waiting units in one transaction, up to the next large unit. */
  async #runGroup(platformId: string, queue: Job[]): Promise<void> {
    const group = takeSmall(queue, groupLimit);
    const tells: Tell[] = [];
    try {
      await this.#inTransaction(platformId, true, async (transaction) => {
        // More units have arrived during the wait for the lock.
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
      // A statement failed, and other units may have seen its effects. So each unit that had begun runs again in its
      // own transaction. The units that hadn't begun form a group again.
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

  /** Commits the work, or rolls all of it back. */
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
      // A connection that no longer answers is discarded, and with it everything it started.
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
 * Runs units one after the other, until the time of the group is over.
 * @param tells gets one entry for each unit that ran. Call them after the commit.
 * @throws the error of a failed statement, which ends the transaction, and the error of a unit that is alone
 */
async function runTogether(group: readonly Job[], transaction: GroupTransaction, tells: Tell[]): Promise<void> {
  const end = systemStopwatch() + groupTimeMs;
  for (const job of group) {
    // A unit that is alone needs no savepoint, because the end of the transaction rolls it back.
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
