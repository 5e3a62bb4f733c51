import type { Changes, RecordTable } from '../store/store.ts';

/** Counts what units write, whether it is kept or not: too often never does harm. */
export class ChangeCounts implements Changes {
  readonly #platforms = new Map<string, number>();
  readonly #tables = new Map<string, number>();
  /** Written by the group that is open, and seen by others only after it. */
  readonly #open = new Set<string>();
  #last = 0;
  #unitWrote = false;

  ofPlatform(platformId: string): number {
    return this.#platforms.get(platformId) ?? 0;
  }

  ofTable(table: RecordTable): number {
    return this.#tables.get(table) ?? 0;
  }

  note(table: string): void {
    this.#unitWrote = true;
    this.#open.add(table);
  }

  endUnit(platformId: string): void {
    if (!this.#unitWrote) return;
    this.#unitWrote = false;
    this.#last += 1;
    this.#platforms.set(platformId, this.#last);
  }

  /** A group is committed or rolled back, whichever. @returns whether it had written anything. */
  settle(): boolean {
    if (this.#open.size === 0) return false;
    this.#last += 1;
    for (const table of this.#open) this.#tables.set(table, this.#last);
    this.#open.clear();
    return true;
  }
}
