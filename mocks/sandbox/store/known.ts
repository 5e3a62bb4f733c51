/** The most rows kept at once, about 2 KB each. When there are more, the oldest is dropped. */
const mostRows = 4096;

/**
 * What a store knows of its rows without asking the engine, from one unit to the next. It follows the order of units: a
 * unit adds what it found and wrote when its work is done, and a unit that is rolled back forgets. So it can be ahead of
 * what is committed, and is for units only. A store that others write to has none.
 */
export class KnownRows {
  readonly #rows = new Map<string, unknown>();
  readonly #seal: (row: unknown) => unknown;

  /** @param seal given each row before it is kept; tests freeze it, because units share it. */
  constructor(seal: (row: unknown) => unknown = (row) => row) {
    this.#seal = seal;
  }

  get(key: string): unknown {
    return this.#rows.get(key);
  }

  /** @param row undefined for one that is not known any more. */
  set(key: string, row: unknown): void {
    if (row === undefined) {
      this.#rows.delete(key);
      return;
    }
    this.#rows.set(key, this.#seal(row));
    if (this.#rows.size <= mostRows) return;
    const [oldest] = this.#rows.keys();
    this.#rows.delete(oldest as string);
  }

  clear(): void {
    this.#rows.clear();
  }
}
