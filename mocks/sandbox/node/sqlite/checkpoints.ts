import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import type { LogLength } from './logLength.ts';

/** SQLite's result of a checkpoint: the pages in the log, and how many of them are now in the file. */
export interface Checkpoint {
  readonly log: number;
  readonly checkpointed: number;
}

/** Lengths of the log, in pages. */
export interface CheckpointOptions {
  /** A checkpoint begins when this much isn't in the file yet. */
  readonly every?: number;
  /** If the log is this long after a checkpoint, units wait for another one, and then the log begins again. */
  readonly restartAt?: number;
  /** If the log is this long during a checkpoint, units wait for its end. */
  readonly mostPages?: number;
  /** Receives the result of each checkpoint. */
  readonly told?: (checkpoint: Checkpoint) => void;
}

interface CheckpointParts {
  /** The data file. */
  readonly path: string;
  readonly length: () => LogLength;
  /** Room that a checkpoint may use if the disk is full. */
  readonly reserve: { take(): Promise<void>; release(): Promise<void> };
}

/** On a disk of usual size. A page has 4 KiB. */
const mebibyte = 256;

/**
 * The lengths for a disk: checkpoints from 8 MiB, a new start from 16 MiB, and units wait from 24 MiB. On a small disk
 * less, because the log takes the room of the data.
 * @returns also the size of the reserve, in bytes
 */
export function lengthsFor(diskBytes: number): Required<Omit<CheckpointOptions, 'told'>> & { reserveBytes: number } {
  const every = Math.max(mebibyte, Math.min(8 * mebibyte, Math.floor(diskBytes / 32 / 4096)));
  return { every, restartAt: 2 * every, mostPages: 3 * every, reserveBytes: every * 4096 };
}

type Mode = 'passive' | 'truncate';

// As a text, because a module has different file names in a checkout and in the built package.
const work = `
  const { parentPort, workerData } = require('node:worker_threads');
  const { DatabaseSync } = require('node:sqlite');
  const database = new DatabaseSync(workerData, { timeout: 1000 });
  database.exec('pragma wal_autocheckpoint = 0');
  parentPort.on('message', (message) => {
    if (message === 'close') {
      database.close();
      parentPort.close();
      return;
    }
    try {
      parentPort.postMessage({ checkpoint: database.prepare('pragma wal_checkpoint(' + message + ')').get() });
    } catch (error) {
      parentPort.postMessage({ failure: error.message });
    }
  });
`;

/**
 * Moves the log into the data file, in a separate thread with its own connection. As part of the writer's commit it
 * blocked all requests for about 30 ms each time. A passive checkpoint takes no lock that a commit waits for. The
 * thread starts with the first checkpoint, so a sandbox that writes little never has it.
 *
 * SQLite begins the log again at its start only if a writer finds all of it in the file. Under a steady load there is always
 * more, so the log would grow without end. Therefore, if the log is long, a second checkpoint moves what was written
 * during the first, and units wait for it. The main thread doesn't wait.
 *
 * On a full disk the log would keep room for ever that the data file needs to take it in. Then the reserve is given
 * back, the log is moved, and its file is cut to nothing.
 */
export class Checkpoints {
  readonly #parts: CheckpointParts;
  readonly #every: number;
  readonly #restartAt: number;
  readonly #mostPages: number;
  readonly #told: ((checkpoint: Checkpoint) => void) | undefined;
  #worker: Worker | undefined;
  #running: Promise<void> | undefined;
  #pause: Promise<unknown> | undefined;
  #reserving: Promise<void> | undefined;
  #isClosed = false;
  #asked: { readonly answer: (checkpoint: Checkpoint) => void; readonly fail: (error: unknown) => void } | undefined;

  constructor(parts: CheckpointParts, options: CheckpointOptions = {}) {
    this.#parts = parts;
    const usual = lengthsFor(Number.POSITIVE_INFINITY);
    this.#every = options.every ?? usual.every;
    this.#restartAt = options.restartAt ?? usual.restartAt;
    this.#mostPages = options.mostPages ?? usual.mostPages;
    this.#told = options.told;
  }

  /** Call this after each commit. */
  noteCommit(): void {
    this.#reserving ??= this.#parts.reserve.take();
    if (this.#running !== undefined) return;
    const { pages, moved } = this.#parts.length();
    if (pages - moved >= this.#every) this.#begin(() => this.#run());
  }

  /** Call this when the engine refused a group. What it had written stays in the log's file until that is cut. */
  noteFailure(): void {
    if (this.#running === undefined && !this.#isClosed) this.#begin(() => this.#free());
  }

  /** Waits while nothing may be written. It never fails. */
  async idle(): Promise<void> {
    await this.#pause;
    if (this.#running !== undefined && this.#parts.length().pages >= this.#mostPages) await this.#running;
  }

  /** Waits for a checkpoint in progress. Connections that close after it find the room of the reserve. */
  async close(): Promise<void> {
    this.#isClosed = true;
    // A program with nothing left to do must not end before its store is closed.
    this.#worker?.ref();
    await this.#running;
    await this.#reserving;
    await this.#parts.reserve.release();
    const worker = this.#worker;
    if (worker === undefined) return;
    const gone = once(worker, 'exit');
    worker.postMessage('close');
    await gone;
  }

  #begin(work: () => Promise<void>): void {
    this.#running = work()
      // Nothing is lost. The log stays, and the next checkpoint tries again.
      .catch(() => {})
      .finally(() => {
        this.#running = undefined;
        this.#pause = undefined;
      });
  }

  async #run(): Promise<void> {
    try {
      const { log } = await this.#checkpoint('passive');
      if (log >= this.#restartAt) await this.#alone(() => this.#checkpoint('passive'));
    } catch {
      await this.#free();
    }
  }

  /** Makes the log's file empty, with the room of the reserve if there is too little. */
  #free(): Promise<void> {
    return this.#alone(async () => {
      await this.#reserving;
      await this.#parts.reserve.release();
      try {
        await this.#checkpoint('truncate');
      } finally {
        await this.#parts.reserve.take();
      }
    });
  }

  /** Units wait for this work. */
  async #alone(work: () => Promise<unknown>): Promise<void> {
    const done = work();
    this.#pause = done.catch(() => {});
    await done;
  }

  async #checkpoint(mode: Mode): Promise<Checkpoint> {
    this.#worker ??= this.#start();
    const answered = new Promise<Checkpoint>((answer, fail) => {
      this.#asked = { answer, fail };
    });
    this.#worker.postMessage(mode);
    const checkpoint = await answered;
    this.#told?.(checkpoint);
    return checkpoint;
  }

  #start(): Worker {
    // Loaded here, because most sandboxes never need it.
    const threads = process.getBuiltinModule('node:worker_threads');
    const worker = new threads.Worker(work, { eval: true, workerData: this.#parts.path });
    worker.unref();
    worker.on('message', ({ checkpoint, failure }: { checkpoint?: Checkpoint; failure?: string }) => {
      if (checkpoint === undefined) this.#asked?.fail(new Error(failure));
      else this.#asked?.answer(checkpoint);
    });
    // It does no harm if the thread ends. The next checkpoint starts another one.
    worker.on('error', (error) => this.#asked?.fail(error));
    worker.on('exit', () => {
      this.#worker = undefined;
      this.#asked?.fail(new Error('The thread of checkpoints has ended'));
    });
    return worker;
  }
}
