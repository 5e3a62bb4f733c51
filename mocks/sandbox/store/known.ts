/** Rows are kept in two generations of this size, about 2 KB each. */
const generationSize = 2048;

/** A page of a list. It takes the room of its rows. */
export class KnownPage<Page extends { readonly records: readonly unknown[] }> {
  readonly page: Page;
  /** The state of the table that it was read in. */
  readonly mark: object;

  constructor(page: Page, mark: object) {
    this.page = page;
    this.mark = mark;
  }
}

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
  // When the young generation is full, it becomes the old one, and the old one is dropped. A row that is used meanwhile becomes
  // young again. So rows in use stay, and no row needs an order.
  #young = new Map<string, unknown>();
  #old = new Map<string, unknown>();
  /** That of the young rows. */
  #size = 0;
  readonly #seal: (row: unknown) => unknown;

  /** @param seal is applied to each row before it is kept. Tests freeze the row, because units share it. */
  constructor(seal: (row: unknown) => unknown = (row) => row) {
    this.#seal = seal;
  }

  get(key: string): unknown {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.#keep(key, old);
    return old;
  }

  set(key: string, row: unknown): void {
    if (row !== undefined) {
      this.#keep(key, this.#seal(row));
      return;
    }
    this.#size -= sizeOf(this.#young.get(key));
    this.#young.delete(key);
    this.#old.delete(key);
  }

  clear(): void {
    this.#young.clear();
    this.#old.clear();
    this.#size = 0;
  }

  /** Forgets every row whose key begins with a text. */
  forget(start: string): void {
    for (const rows of [this.#young, this.#old]) {
      for (const key of rows.keys()) if (key.startsWith(start)) rows.delete(key);
    }
  }

  #keep(key: string, row: unknown): void {
    this.#size += sizeOf(row) - sizeOf(this.#young.get(key));
    this.#young.set(key, row);
    if (this.#size < generationSize) return;
    this.#old = this.#young;
    this.#young = new Map();
    this.#size = 0;
  }
}

/** In rows. */
function sizeOf(row: unknown): number {
  if (row === undefined) return 0;
  if (Array.isArray(row)) return 1 + row.length;
  return row instanceof KnownPage ? 1 + row.page.records.length : 1;
}
