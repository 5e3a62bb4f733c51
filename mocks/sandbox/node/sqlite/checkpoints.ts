import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';

/** SQLite's result of a checkpoint: the pages in the log, and how many of them are now in the file. */
export interface Checkpoint {
  readonly log: number;
  readonly checkpointed: number;
}

export interface CheckpointOptions {
  /** The number of units that may be committed between two checkpoints. */
  readonly every?: number;
  /** The number of pages from which the log begins again at its start. */
  readonly restartAt?: number;
  /** Receives the result of each checkpoint. */
  readonly told?: (checkpoint: Checkpoint) => void;
}

/** About 8 MiB of log. */
const defaultEvery = 1000;

/** 32 MiB of log. */
const defaultRestartAt = 8192;

// As a text, because a module has different file names in a checkout and in the built package.
const work = `
  const { parentPort, workerData } = require('node:worker_threads');
  const { DatabaseSync } = require('node:sqlite');
  const database = new DatabaseSync(workerData, { timeout: 0 });
  parentPort.on('message', (message) => {
    if (message === 'close') {
      database.close();
      parentPort.close();
    } else parentPort.postMessage(database.prepare('pragma wal_checkpoint(passive)').get());
  });
`;

/**
 * Moves the log into the data file, in a separate thread with its own connection. As part of the writer's commit it
 * blocked all requests for about 30 ms each time. A passive checkpoint takes no lock that a commit waits for. The
 * thread starts with the first checkpoint, so a sandbox that writes little never has it.
 *
 * SQLite begins the log again at its start only if a writer finds all of it in the file. Under a steady load there is always
 * more, so the log would grow until the writer itself moves it. Therefore, if the log is long, a second checkpoint moves
 * what was written during the first, and units wait for it. The main thread doesn't wait.
 */
export class Checkpoints {
  readonly #path: string;
  readonly #every: number;
  readonly #restartAt: number;
  readonly #told: ((checkpoint: Checkpoint) => void) | undefined;
  #units = 0;
  #worker: Worker | undefined;
  #running: Promise<void> | undefined;
  #pause: Promise<unknown> | undefined;
  #asked: { readonly answer: (checkpoint: Checkpoint) => void; readonly fail: (error: unknown) => void } | undefined;

  constructor(path: string, { every = defaultEvery, restartAt = defaultRestartAt, told }: CheckpointOptions = {}) {
    this.#path = path;
    this.#every = every;
    this.#restartAt = restartAt;
    this.#told = told;
  }

  /** Call this after each commit, with the number of its units. */
  noteCommit(units: number): void {
    this.#units += units;
    if (this.#units < this.#every || this.#running !== undefined) return;
    this.#units = 0;
    this.#running = this.#run().finally(() => {
      this.#running = undefined;
    });
  }

  /** Waits while nothing may be written. It never fails. */
  async idle(): Promise<void> {
    await this.#pause;
  }

  /** Waits for a checkpoint in progress. */
  async close(): Promise<void> {
    // A program with nothing left to do must not end before its store is closed.
    this.#worker?.ref();
    await this.#running;
    const worker = this.#worker;
    if (worker === undefined) return;
    const gone = once(worker, 'exit');
    worker.postMessage('close');
    await gone;
  }

  async #run(): Promise<void> {
    try {
      const { log } = await this.#checkpoint();
      if (log < this.#restartAt) return;
      const rest = this.#checkpoint();
      this.#pause = rest.catch(() => {});
      await rest;
    } catch {
      // Nothing is lost. The log stays, the writer moves it when it gets long, and the next checkpoint tries again.
    } finally {
      this.#pause = undefined;
    }
  }

  async #checkpoint(): Promise<Checkpoint> {
    this.#worker ??= this.#start();
    const answered = new Promise<Checkpoint>((answer, fail) => {
      this.#asked = { answer, fail };
    });
    this.#worker.postMessage('checkpoint');
    const checkpoint = await answered;
    this.#told?.(checkpoint);
    return checkpoint;
  }

  #start(): Worker {
    // Loaded here, because most sandboxes never need it.
    const threads = process.getBuiltinModule('node:worker_threads');
    const worker = new threads.Worker(work, { eval: true, workerData: this.#path });
    worker.unref();
    worker.on('message', (checkpoint: Checkpoint) => this.#asked?.answer(checkpoint));
    // It does no harm if the thread ends. The next checkpoint starts another one.
    worker.on('error', (error) => this.#asked?.fail(error));
    worker.on('exit', () => {
      this.#worker = undefined;
      this.#asked?.fail(new Error('The thread of checkpoints has ended'));
    });
    return worker;
  }
}
