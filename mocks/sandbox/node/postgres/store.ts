import type pg from 'pg';
import { once } from '../../../../contract/memoize.ts';
import { UnitHandle } from '../../store/handle.ts';
import type { Reader, Slices, Store, StoreCounts, UnitSize } from '../../store/store.ts';
import { gather } from '../../store/units/gather.ts';
import { systemStopwatch } from '../../tools/clock.ts';
import { StorageUnavailable } from '../../tools/problem.ts';
import { clearTimeout, setImmediate, setTimeout } from '../machine/timers.ts';
import { ask, builder, send } from './connection.ts';
import { isConflict, isUnavailable } from './errors.ts';
import { KnownByPlatform } from './knownByPlatform.ts';
import { SharedReads } from './sharedReads.ts';
import { beginUnderLocks, GroupTransaction } from './transaction.ts';

/** The maximum number of attempts for a unit that meets a conflict. */
export const maxAttempts = 5;
/** The maximum number of units in one transaction. */
const groupLimit = 128;
/** After this time a group takes no further units, because other processes wait for its platforms. In milliseconds. */
const groupTimeMs = 50;
/** The connections that long work leaves to others. */
const connectionsOfUnits = 4;
/** The maximum number of groups at the same time. One can run its units while the other waits for the server. */
const groupsAtOnce = 2;

interface Job {
  readonly platformId: string;
  readonly size: UnitSize | 'hold';
  readonly work: (reader: Reader, slices?: Slices) => Promise<unknown>;
  readonly done: (value: unknown) => void;
  readonly failed: (error: unknown) => void;
}

/** What happened to the platforms of a group. */
interface Served {
  /** The platforms that were not left out. */
  readonly locked: readonly string[];
  /** Those of which a unit has begun. */
  readonly begun: ReadonlySet<string>;
}

/** Resolves or rejects the promise of a unit that has run. */
type Tell = () => void;

export class PostgresStore implements Store {
  readonly #pool: pg.Pool;
  readonly #known: KnownByPlatform;
  readonly #reads: SharedReads;
  readonly #stop: (() => void) | undefined;
  /** The waiting units of each platform that isn't served. */
  readonly #ready = new Map<string, Job[]>();
  /** The waiting units of each platform that is served. */
  readonly #served = new Map<string, Job[]>();
  readonly #underWay = new Set<Promise<void>>();
  #groups = 0;
  #isScheduled = false;
  readonly #counts = { units: 0, commits: 0, failures: 0 };
  /** How much more long work may begin. Each has a connection of its own, and the units need some too. */
  #freePlaces: number;
  readonly #waitingForPlace: PromiseWithResolvers<void>[] = [];

  /** @param seal is applied to each row that units share. @param stop is called when the store closes */
  constructor(
    pool: pg.Pool,
    { seal, stop }: { seal?: ((row: unknown) => unknown) | undefined; stop?: () => void } = {},
  ) {
    this.#pool = pool;
    this.#freePlaces = Math.max(1, pool.options.max - connectionsOfUnits);
    this.#stop = stop;
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

  // Units of this process wait here, without a connection each. Those that wait together share a transaction, also if they are of
  // different platforms.
  transaction<T>(platformId: string, work: (reader: Reader) => Promise<T>, size: UnitSize = 'small'): Promise<T> {
    return this.#add(platformId, work, size);
  }

  /** The slices are parts of one transaction, which has the platform's lock. */
  async hold<T>(platformId: string, work: (slices: Slices) => Promise<T>): Promise<T> {
    await this.#takePlace();
    try {
      return await this.#add(platformId, (_reader, slices) => work(slices as Slices), 'hold');
    } finally {
      this.#freePlaces += 1;
      this.#waitingForPlace.shift()?.resolve();
    }
  }

  async #takePlace(): Promise<void> {
    while (this.#freePlaces === 0) {
      const turn = Promise.withResolvers<void>();
      this.#waitingForPlace.push(turn);
      await turn.promise;
    }
    this.#freePlaces -= 1;
  }

  #add<T>(platformId: string, work: (reader: Reader, slices?: Slices) => Promise<T>, size: Job['size']): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const job = { platformId, size, work, done: resolve as (value: unknown) => void, failed: reject };
      const waiting = this.#served.get(platformId) ?? this.#ready.get(platformId);
      if (waiting === undefined) this.#ready.set(platformId, [job]);
      else waiting.push(job);
      this.#schedule();
    });
  }

  counts(): StoreCounts {
    return { ...this.#counts, waiting: countOf(this.#ready.values()) + countOf(this.#served.values()) };
  }

  async close(): Promise<void> {
    // Units that wait, or have just arrived, still run.
    for (;;) {
      this.#serveReady();
      if (this.#underWay.size === 0) break;
      await Promise.all(this.#underWay);
    }
    this.#stop?.();
    await this.#pool.end();
  }

  /** Call this when a connection was lost. The next server may lack what this one had committed. */
  forget(): void {
    this.#known.forget();
  }

  /**
   * Call this when the database can't be reached. Units that wait would otherwise find that out one after the other, and the last
   * of them would wait for a long time.
   */
  refuseWaiting(cause: unknown = new Error('The database does not answer')): void {
    for (const queue of [...this.#ready.values(), ...this.#served.values()]) {
      for (const job of queue.splice(0)) this.#refuse(job, new StorageUnavailable(cause));
    }
    this.#ready.clear();
    for (const turn of this.#waitingForPlace.splice(0)) turn.reject(new StorageUnavailable(cause));
  }

  /** Not at once, so that units of the same turn of the event loop share a group. */
  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(async () => {
      if (this.#groups < groupsAtOnce) await gather(() => countOf(this.#ready.values()), systemStopwatch);
      this.#isScheduled = false;
      this.#serveReady();
    });
  }

  #serveReady(): void {
    while (this.#ready.size > 0 && this.#groups < groupsAtOnce) {
      const platforms = new Map([...this.#ready].slice(0, groupLimit));
      for (const [platformId, queue] of platforms) {
        this.#ready.delete(platformId);
        this.#served.set(platformId, queue);
      }
      this.#groups += 1;
      const makeRoom = once(() => {
        this.#groups -= 1;
      });
      // A group with a slow statement doesn't keep the platforms waiting that aren't in it.
      const patience = setTimeout(() => {
        makeRoom();
        this.#serveReady();
      }, groupTimeMs);
      this.#track(
        this.#serveTogether(platforms).finally(() => {
          clearTimeout(patience);
          makeRoom();
          if (this.#ready.size > 0) this.#schedule();
        }),
      );
    }
  }

  #track(work: Promise<void>): void {
    const tracked = work.finally(() => this.#underWay.delete(tracked));
    this.#underWay.add(tracked);
  }

  /** Runs one group. Platforms that can't share it, because of a large unit or another process, are then served apart. */
  async #serveTogether(platforms: ReadonlyMap<string, Job[]>): Promise<void> {
    const sharing = new Map([...platforms].filter(([, queue]) => queue[0]?.size === 'small'));
    const nobody = { locked: [], begun: new Set<string>() };
    const { locked, begun } = sharing.size === 0 ? nobody : await this.#runGroup(sharing, false);
    // If the time was over before their turn came, they are first in the next group.
    const inOrder = locked.toSorted((one, two) => Number(begun.has(one)) - Number(begun.has(two)));
    for (const platformId of inOrder) this.#release(platformId, platforms.get(platformId) as Job[]);
    for (const [platformId, queue] of platforms) {
      if (!locked.includes(platformId)) this.#track(this.#serveApart(platformId, queue));
    }
  }

  /** Waits for the platform's lock, on a connection of its own, until none of its units waits. */
  async #serveApart(platformId: string, queue: Job[]): Promise<void> {
    while (queue.length > 0) {
      if (queue[0]?.size !== 'small') await this.#runAlone(queue.shift() as Job);
      else await this.#runGroup(new Map([[platformId, queue]]), true);
    }
    this.#release(platformId, queue);
  }

  #release(platformId: string, queue: Job[]): void {
    this.#served.delete(platformId);
    if (queue.length > 0) this.#ready.set(platformId, queue);
  }

  /**
   * Runs the waiting units of platforms in one transaction, those of each up to its next large one.
   * @param isPatient whether to wait for the lock. Otherwise, platforms whose lock isn't free are left out.
   */
  async #runGroup(queues: ReadonlyMap<string, Job[]>, isPatient: boolean): Promise<Served> {
    const putBack = (jobs: readonly Job[]): void => {
      for (const job of jobs.toReversed()) queues.get(job.platformId)?.unshift(job);
    };
    let locked: readonly string[] = [...queues.keys()];
    const group = takeSmall(queues.values(), groupLimit);
    const tells: Tell[] = [];
    const served = (): Served => ({ locked, begun: new Set(group.map(({ platformId }) => platformId)) });
    try {
      await this.#inTransaction(locked, { isPatient, holdsBack: true }, async (transaction, own) => {
        locked = own;
        putBack(group.splice(0));
        // With those that have arrived during the wait for the lock.
        const ownQueues = own.map((platformId) => queues.get(platformId) as Job[]);
        group.push(...takeSmall(ownQueues, groupLimit));
        await runTogether(group, transaction, tells);
        putBack(group.splice(tells.length));
      });
      this.#counts.units += tells.length;
      for (const tell of tells) tell();
    } catch (error) {
      const isAlone = group.length === 1;
      const isOver = isAlone ? !isConflict(error) : isUnavailable(error) && !isConflict(error);
      if (isOver || error instanceof StorageUnavailable) {
        for (const job of group) this.#refuse(job, error);
        return served();
      }
      // A statement failed, and other units may have seen its effects. So each unit that had begun runs again in its
      // own transaction. The units that hadn't begun form a group again.
      putBack(group.splice(tells.length + 1));
      for (const job of group) await this.#runAlone(job, isAlone ? 2 : 1);
    }
    return served();
  }

  async #runAlone(job: Job, firstAttempt = 1): Promise<void> {
    const how = { isPatient: true, holdsBack: job.size !== 'large' };
    for (let attempt = firstAttempt; ; attempt += 1) {
      try {
        const value = await this.#inTransaction([job.platformId], how, (transaction) =>
          job.size === 'hold' ? runSlices(job, transaction) : runUnit(job, transaction),
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

  /**
   * Commits the work, or rolls all of it back.
   * @param isPatient see {@link beginUnderLocks}. @param holdsBack whether statements may be sent later than they are made
   * @param work gets the transaction, and the platforms whose lock it has
   */
  async #inTransaction<T>(
    platformIds: readonly string[],
    { isPatient, holdsBack }: { readonly isPatient: boolean; readonly holdsBack: boolean },
    work: (transaction: GroupTransaction, locked: readonly string[]) => Promise<T>,
  ): Promise<T> {
    const client = await this.#pool.connect().catch((error: unknown) => {
      // If all connections are in use, the database is there.
      if (this.#pool.totalCount < this.#pool.options.max) this.refuseWaiting(error);
      throw new StorageUnavailable(error);
    });
    let lost: Error | undefined;
    try {
      const versions = await beginUnderLocks(client, platformIds, isPatient);
      const locked = [...versions.keys()];
      const known = new Map([...versions].map(([id, version]) => [id, this.#known.open(id, version)]));
      const transaction = new GroupTransaction(client, holdsBack ? known : undefined);
      const value = await work(transaction, locked);
      const renewed = await transaction.commit();
      this.#counts.commits += 1;
      if (holdsBack) for (const id of locked) this.#known.keep(id, renewed.get(id) ?? versions.get(id));
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

function countOf(queues: Iterable<readonly Job[]>): number {
  let count = 0;
  for (const queue of queues) count += queue.length;
  return count;
}

/**
 * Takes the units of each queue up to its next large one, and not more than `most` in all. The queues take turns, so that a busy
 * platform doesn't fill a group alone.
 */
function takeSmall(queues: Iterable<Job[]>, most: number): Job[] {
  const taken: Job[] = [];
  let left = [...queues];
  while (left.length > 0) {
    left = left.filter((queue) => {
      if (queue[0]?.size !== 'small' || taken.length === most) return false;
      taken.push(queue.shift() as Job);
      return true;
    });
  }
  return taken;
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

async function runUnit({ platformId, work }: Job, transaction: GroupTransaction): Promise<unknown> {
  const handle = new UnitHandle(transaction.of(platformId));
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

async function runSlices(job: Job, transaction: GroupTransaction): Promise<unknown> {
  const reader = transaction.of(job.platformId);
  // What is known of the platform is of before.
  reader.known?.clear();
  return job.work(reader, {
    async run(part) {
      const handle = new UnitHandle({ ...reader, known: undefined });
      try {
        const value = await part(handle);
        await transaction.flush();
        await new Promise<void>((resolve) => setImmediate(resolve));
        return value;
      } finally {
        handle.end();
      }
    },
  });
}

function asFailure(error: unknown): unknown {
  return isUnavailable(error) ? new StorageUnavailable(error) : error;
}
