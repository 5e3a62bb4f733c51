import type { Known } from '../known.ts';

/**
 * The platform's rows that a unit knows: what it has read and written itself, and what earlier units knew. Its
 * additions stay its own until its work is done, so a failed unit leaves nothing behind.
 */
export class UnitMemory {
  readonly #shared: Known | undefined;
  readonly #platformId: string;
  #own = new Map<string, unknown>();
  /** Set if it isn't known which rows have changed. */
  #isCutOff = false;

  constructor(platformId: string, shared: Known | undefined) {
    this.#platformId = platformId;
    this.#shared = shared;
  }

  /** The value under a name; undefined if it isn't known. */
  get(name: string): unknown {
    const key = this.#keyOf(name);
    const own = this.#own.get(key);
    if (own !== undefined || this.#isCutOff || this.#own.has(key)) return own;
    return this.#shared?.get(key);
  }

  /** @param value undefined if it is no longer known. */
  set(name: string, value: unknown): void {
    this.#own.set(this.#keyOf(name), value);
  }

  /** Forgets everything, because rows were changed and it isn't known which. */
  cutOff(): void {
    this.#isCutOff = true;
    this.#own.clear();
  }

  /** @returns a function that restores the current state if the following work is undone */
  mark(): () => void {
    const before = new Map(this.#own);
    return () => {
      this.#own = before;
    };
  }

  /** Passes the unit's knowledge on to later units. Call this when nothing in the unit can fail any more. */
  handOn(): void {
    if (this.#shared === undefined) return;
    if (this.#isCutOff) this.#shared.clear();
    for (const [key, value] of this.#own) this.#shared.set(key, value);
  }

  #keyOf(name: string): string {
    return keyOf(this.#platformId, name);
  }
}

/** The key of a platform's name in {@link Known}. */
export function keyOf(platformId: string, name: string): string {
  return `${platformId} ${name}`;
}

/** The name of a record in the memory. */
export function nameOfRecord(table: string, id: string): string {
  return `${table} ${id}`;
}

/** The name of the records with a value in a column, as a list. */
export function nameOfList(table: string, column: string, value: string): string {
  return `${table} ${column}=${value}`;
}

/** The name of the instant before which no record of the table expires. */
export function nameOfExpiry(table: string): string {
  return `${table} expiry`;
}

/** The name of an object that stands for the state of a table's records. After a change it is another one. */
export function nameOfMark(table: string): string {
  return `${table} mark`;
}

/** The name of a page of a table, or of a count of its records. */
export function nameOfPage(table: string, request: unknown): string {
  return `${table} page ${JSON.stringify(request)}`;
}

/** The name of the platform's own row in the memory. */
export const nameOfPlatform = 'platform';
