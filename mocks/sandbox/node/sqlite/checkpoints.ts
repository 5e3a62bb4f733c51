import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';

/** What SQLite says of a checkpoint: pages in the log, and how many of them are in the file now. */
export interface Checkpoint {
  readonly log: number;
  readonly checkpointed: number;
}

export interface CheckpointOptions {
  /** How many units may be committed between two checkpoints. */
  readonly every?: number;
  /** Is told of each one that was made. */
  readonly told?: (checkpoint: Checkpoint) => void;
}

/** About 8 MiB of log. */
const defaultEvery = 1000;

// As text, because a module would be found in a checkout and in the built package under different names.
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
 * Brings the log into the data file from a thread and a connection of its own. In the commit of the writer it held up
 * everybody for some 30 ms each time. A passive checkpoint takes no lock that a commit waits for. The thread is started
 * when the first one is due, so a sandbox that writes little never has it.
 */
export class Checkpoints {
  readonly #path: string;
  readonly #every: number;
  readonly #told: ((checkpoint: Checkpoint) => void) | undefined;
  #units = 0;
  #worker: Worker | undefined;
  #running: Promise<void> | undefined;

  constructor(path: string, { every = defaultEvery, told }: CheckpointOptions = {}) {
    this.#path = path;
    this.#every = every;
    this.#told = told;
  }

  /** To be called after each commit, with the number of units in it. */
  noteCommit(units: number): void {
    this.#units += units;
    if (this.#units < this.#every || this.#running !== undefined) return;
    this.#units = 0;
    this.#running = this.#run().finally(() => {
      this.#running = undefined;
    });
  }

  /** Waits for the one that is under way. */
  async close(): Promise<void> {
    // A program that has nothing left to do must not end before its store is closed.
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
      this.#worker ??= this.#start();
      const answered = once(this.#worker, 'message');
      this.#worker.postMessage('checkpoint');
      const [checkpoint] = (await answered) as [Checkpoint];
      this.#told?.(checkpoint);
    } catch {
      // Nothing is lost: the log stays, the writer brings it in when it is long, and the next turn tries again.
      this.#worker = undefined;
    }
  }

  #start(): Worker {
    // Loaded here: most sandboxes never need it.
    const threads = process.getBuiltinModule('node:worker_threads');
    const worker = new threads.Worker(work, { eval: true, workerData: this.#path });
    worker.unref();
    // Its end, by itself, isn't a harm either; the next one that is due starts another.
    worker.on('error', () => {});
    worker.on('exit', () => {
      this.#worker = undefined;
    });
    return worker;
  }
}
