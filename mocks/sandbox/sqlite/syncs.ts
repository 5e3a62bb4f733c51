import { StorageUnavailable } from '../tools/problem.ts';

/** The place that commits are kept in, and what brings them there. */
export interface Keeping {
  /** Ends when all that was committed before it is kept. No unit runs meanwhile. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

interface Waiting {
  readonly finish: () => void;
  readonly fail: (error: unknown) => void;
}

/**
 * Holds back what was committed until it is kept: on a disk, the log. While one sync is under way, the groups that are committed
 * meanwhile gather for the next: however slow the disk, the thread goes on working, and one sync serves all of them.
 */
export class Syncs {
  readonly #keeping: Keeping;
  #waiting: Waiting[] = [];
  #running: Promise<void> | undefined;
  #failure: StorageUnavailable | undefined;

  constructor(keeping: Keeping) {
    this.#keeping = keeping;
  }

  /**
   * After a sync that failed nobody knows what is on the disk, and the next one would not tell: the system takes the lost
   * pages for written. So nothing more is accepted until a restart reads what is really there.
   * @throws StorageUnavailable once a sync has failed.
   */
  requireSound(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  /**
   * Finishes a group that was committed: as soon as the log is on the disk, or at once where it is there already. A group
   * that wrote nothing waits as well while others do, because it may have read what they wrote.
   */
  acknowledge(hasWritten: boolean, finish: () => void, fail: (error: unknown) => void): void {
    if (!hasWritten && this.#running === undefined) {
      finish();
      return;
    }
    this.#waiting.push({ finish, fail });
    this.#running ??= this.#run();
  }

  /** Waits for what is under way, and for nothing when nothing is. */
  async idle(): Promise<void> {
    await this.#running;
  }

  /** Waits for what is under way. */
  async close(): Promise<void> {
    await this.#running;
    await this.#keeping.close();
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0);
      try {
        await this.#keeping.sync();
        for (const { finish } of batch) finish();
      } catch (error) {
        this.#failure = new StorageUnavailable(error);
        for (const { fail } of batch.concat(this.#waiting.splice(0))) fail(this.#failure);
      }
    }
    this.#running = undefined;
  }
}
