/** The most rows kept at once, about 2 KB each. When there are more, the oldest is dropped. */
const mostRows = 4096;

/** The rows that units share, each under a key. */
export interface Known {
  get(key: string): unknown;
  /** @param row undefined if it is no longer known. */
  set(key: string, row: unknown): void;
  clear(): void;
}

/**
 * The rows that a store knows without asking the engine, shared from one unit to the next. It follows the order of
 * units: a unit adds what it found and wrote when its work is done, and a rolled-back unit clears it. So it can be
 * ahead of the committed data, and only units may use it.
 */
export class KnownRows implements Known {
  readonly #rows = new Map<string, unknown>();
  readonly #seal: (row: unknown) => unknown;

  /** @param seal is applied to each row before it is kept. Tests freeze the row, because units share it. */
  constructor(seal: (row: unknown) => unknown = (row) => row) {
    this.#seal = seal;
  }

  get(key: string): unknown {
    return this.#rows.get(key);
  }

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
