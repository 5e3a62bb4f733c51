import type { Changes, RecordTable } from '../store/store.ts';

/** Counts what units write, whether it is kept or not: too often never does harm. */
export class ChangeCounts implements Changes {
  readonly #platforms = new Map<string, Map<string, number>>();
  readonly #tables = new Map<string, number>();
  /** Written by the group that is open, and seen by others only after it. */
  readonly #open = new Set<string>();
  #last = 0;
  /** The changes of the platform whose unit is open. */
  #current = new Map<string, number>();
  #unitWrote = false;

  ofPlatform(platformId: string, tables: Iterable<string>): number {
    const counts = this.#platforms.get(platformId);
    if (counts === undefined) return 0;
    let last = 0;
    for (const table of tables) last = Math.max(last, counts.get(table) ?? 0);
    return last;
  }

  ofTable(table: RecordTable): number {
    return this.#tables.get(table) ?? 0;
  }

  beginUnit(platformId: string): void {
    this.#unitWrote = false;
    const known = this.#platforms.get(platformId);
    this.#current = known ?? new Map();
    if (known === undefined) this.#platforms.set(platformId, this.#current);
  }

  /** Counts at once and not when the unit ends: nobody may go on with what the unit knows and not know what it changed. */
  note(table: string): void {
    this.#unitWrote = true;
    this.#last += 1;
    this.#current.set(table, this.#last);
    this.#open.add(table);
  }

  /** Whether the unit that began last has written anything. */
  get hasUnitWritten(): boolean {
    return this.#unitWrote;
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
