import type { Changes, RecordTable } from '../store/store.ts';

/** Counts the writes of units, also of those that are rolled back: counting too often does no harm. */
export class ChangeCounts implements Changes {
  readonly #platforms = new Map<string, Map<string, number>>();
  readonly #tables = new Map<string, number>();
  /** Tables that the open group has written. Other readers see these writes only after the group. */
  readonly #open = new Set<string>();
  #last = 0;
  /** The platform whose unit is open, and its changes. */
  #currentId = '';
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
    this.#currentId = platformId;
    this.#current = this.#platforms.get(platformId) ?? new Map();
  }

  forget(platformId: string): void {
    this.#platforms.delete(platformId);
  }

  /**
   * Counts at once and not at the end of the unit, so that no later reader can use the unit's memory without seeing its
   * changes.
   */
  note(table: string): void {
    this.#unitWrote = true;
    this.#last += 1;
    // Only now, because a platform that only reads, or has ended, needs no counts.
    if (this.#current.size === 0) this.#platforms.set(this.#currentId, this.#current);
    this.#current.set(table, this.#last);
    this.#open.add(table);
  }

  /** Whether the latest unit has written anything. */
  get hasUnitWritten(): boolean {
    return this.#unitWrote;
  }

  /** Call this when a group is committed or rolled back. @returns whether it had written anything */
  settle(): boolean {
    if (this.#open.size === 0) return false;
    this.#last += 1;
    for (const table of this.#open) this.#tables.set(table, this.#last);
    this.#open.clear();
    return true;
  }
}
