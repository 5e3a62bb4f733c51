import type { Kysely } from 'kysely';
import type { Stopwatch } from '../../tools/clock.ts';
import type { Reader, Result, Schema, Slices, Statement } from '../store.ts';

/** After this time a slice of long work ends, in milliseconds. Its last step and the commit come on top. */
export const sliceTimeMs = 3;

/**
 * The reader of work that goes on through many slices. The work runs inside a slice; where it pauses, the slice may end
 * and the next one begin.
 */
export class LongWork implements Reader {
  readonly #slices: Slices;
  readonly #stopwatch: Stopwatch;
  #tx: Reader | undefined;
  #builder: Kysely<Schema> | undefined;
  #end = 0;
  #slice: Promise<void> = Promise.resolve();
  #leave: (error?: { readonly thrown: unknown }) => void = () => {};

  private constructor(slices: Slices, stopwatch: Stopwatch) {
    this.#slices = slices;
    this.#stopwatch = stopwatch;
  }

  /** Runs work in slices. If it throws, its last slice is rolled back. */
  static async run<T>(slices: Slices, stopwatch: Stopwatch, work: (long: LongWork) => Promise<T>): Promise<T> {
    const long = new LongWork(slices, stopwatch);
    await long.#enter();
    let value: T;
    try {
      value = await work(long);
    } catch (error) {
      long.#leave({ thrown: error });
      await long.#slice.catch(() => {});
      throw error;
    }
    await long.#quit();
    return value;
  }

  get builder(): Kysely<Schema> {
    return this.#builder as Kysely<Schema>;
  }

  execute(statement: Statement): Promise<Result> {
    if (this.#tx === undefined) throw new Error('A statement of long work was run between two slices');
    return this.#tx.execute(statement);
  }

  /** Whether the slice should end soon. */
  get isOver(): boolean {
    return this.#stopwatch() >= this.#end;
  }

  /** Ends the slice if its time is over, and begins the next one. */
  async pause(): Promise<void> {
    if (!this.isOver) return;
    await this.#quit();
    await this.#enter();
  }

  /** Waits for something outside of the store, between two slices. */
  async outside<T>(wait: () => Promise<T>): Promise<T> {
    await this.#quit();
    const value = await wait();
    await this.#enter();
    return value;
  }

  async #enter(): Promise<void> {
    const entered = Promise.withResolvers<void>();
    this.#slice = this.#slices.run(async (tx) => {
      this.#tx = tx;
      this.#builder = tx.builder;
      this.#end = this.#stopwatch() + sliceTimeMs;
      const left = new Promise<void>((resolve, reject) => {
        this.#leave = (error) => (error === undefined ? resolve() : reject(error.thrown));
      });
      entered.resolve();
      await left.finally(() => {
        this.#tx = undefined;
      });
    });
    this.#slice.catch(entered.reject);
    await entered.promise;
  }

  async #quit(): Promise<void> {
    this.#leave();
    await this.#slice;
  }
}
