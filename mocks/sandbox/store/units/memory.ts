import type { KnownRows } from '../known.ts';

/**
 * What one unit knows of its platform's rows: what it found and wrote itself, and what units before it knew. What it adds
 * is its own until its work is done, so a unit that fails leaves nothing behind.
 */
export class UnitMemory {
  readonly #shared: KnownRows | undefined;
  readonly #platformId: string;
  #own = new Map<string, unknown>();
  /** Set when it can't be said which rows have changed. */
  #isCutOff = false;

  constructor(platformId: string, shared: KnownRows | undefined) {
    this.#platformId = platformId;
    this.#shared = shared;
  }

  /** What is known under a name; undefined when nobody knows. */
  get(name: string): unknown {
    const key = this.#keyOf(name);
    const own = this.#own.get(key);
    if (own !== undefined || this.#isCutOff || this.#own.has(key)) return own;
    return this.#shared?.get(key);
  }

  /** @param value undefined where it is not known any more. */
  set(name: string, value: unknown): void {
    this.#own.set(this.#keyOf(name), value);
  }

  /** Forgets everything: rows were changed, and nobody knows which. */
  cutOff(): void {
    this.#isCutOff = true;
    this.#own.clear();
  }

  /** @returns what brings back the state of now, when what follows is taken back. */
  mark(): () => void {
    const before = new Map(this.#own);
    return () => {
      this.#own = before;
    };
  }

  /** Hands on to later units what this one knows. To be called when nothing of the unit can fail any more. */
  handOn(): void {
    if (this.#shared === undefined) return;
    if (this.#isCutOff) this.#shared.clear();
    for (const [key, value] of this.#own) this.#shared.set(key, value);
  }

  #keyOf(name: string): string {
    return `${this.#platformId} ${name}`;
  }
}

/** Under which name a record is known. */
export function nameOfRecord(table: string, id: string): string {
  return `${table} ${id}`;
}

/** Under which name the platform's own row is known. */
export const nameOfPlatform = 'platform';
