import { OutcomeUnknown, StorageUnavailable } from '../tools/problem.ts';

/** The place where commits become durable, and the way to get them there. */
export interface Keeping {
  /** Resolves when everything committed before it is durable. Other units may be committed meanwhile. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

interface Waiting {
  readonly finish: () => void;
  readonly fail: (error: unknown) => void;
}

/**
 * Holds back committed groups until they are durable, which on a disk means that the log is written. While one sync
 * runs, newly committed groups wait for the next one. So the thread never waits for a slow disk, and one sync serves
 * all groups.
 */
export class Syncs {
  readonly #keeping: Keeping;
  /** The groups that the running sync acknowledges. */
  #current: Waiting[] = [];
  /** The groups that need another sync after the running one. */
  #waiting: Waiting[] = [];
  #running: Promise<void> | undefined;
  #failure: StorageUnavailable | undefined;

  constructor(keeping: Keeping) {
    this.#keeping = keeping;
  }

  /**
   * After a failed sync, the content of the disk is unknown. The next sync wouldn't report it either, because the
   * system takes the lost pages for written. So no write is accepted until a restart has read the actual data.
   * @throws StorageUnavailable after a failed sync. Nothing of the new work was stored.
   */
  requireSound(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  /**
   * Finishes a committed group when the log is on the disk, or at once if it already is. A group without writes waits
   * for the groups before it, because it may have read their writes, but needs no sync of its own.
   * @param fail gets OutcomeUnknown if the sync fails: the group is committed, and may or may not be on the disk.
   */
  acknowledge(hasWritten: boolean, finish: () => void, fail: (error: unknown) => void): void {
    if (!hasWritten && this.#running === undefined) {
      finish();
      return;
    }
    // The sync of an earlier group failed while this one ran. A later sync would succeed without that group's writes.
    if (this.#failure !== undefined) {
      fail(new OutcomeUnknown(this.#failure.cause));
      return;
    }
    const isCovered = !hasWritten && this.#waiting.length === 0;
    (isCovered ? this.#current : this.#waiting).push({ finish, fail });
    this.#running ??= this.#run();
  }

  /** Waits for a running sync. */
  async close(): Promise<void> {
    await this.#running;
    await this.#keeping.close();
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      this.#current = this.#waiting.splice(0);
      try {
        await this.#keeping.sync();
        for (const { finish } of this.#current) finish();
      } catch (error) {
        this.#failure = new StorageUnavailable(error);
        const unknown = new OutcomeUnknown(error);
        for (const { fail } of this.#current.concat(this.#waiting.splice(0))) fail(unknown);
      }
    }
    this.#running = undefined;
  }
}
