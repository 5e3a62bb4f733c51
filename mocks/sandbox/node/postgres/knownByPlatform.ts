import { type Known, KnownRows } from '../../store/known.ts';

/** The maximum number of platforms whose known rows are remembered. Rows of other platforms are read again. */
const mostPlatforms = 1000;

/**
 * The rows that units know without asking, if other processes write too. A group of units takes its platform's lock and
 * reads the version of the platform's row. Every group that writes renews that version. If the version is the one that
 * this process left, no other process has written, and the known rows are valid until the end of the group.
 */
export class KnownByPlatform {
  readonly #rows: KnownRows;
  readonly #platforms = new Map<string, { epoch: number; version: string | undefined }>();
  #lastEpoch = 0;

  /** @param seal see {@link KnownRows} */
  constructor(seal?: (row: unknown) => unknown) {
    this.#rows = new KnownRows(seal);
  }

  /**
   * The rows that are known at the start of a group. Its units add what they find. If the group isn't committed, nothing
   * of the platform is known afterwards.
   */
  open(platformId: string, version: string | undefined): Known {
    const before = this.#platforms.get(platformId);
    const isValid = before?.version !== undefined && before.version === version;
    const state = { epoch: isValid ? before.epoch : this.#nextEpoch(), version: undefined };
    // Moves it to the end of the map, so that the first entry is the one that was used longest ago.
    this.#platforms.delete(platformId);
    this.#platforms.set(platformId, state);
    const [oldest] = this.#platforms.keys();
    if (this.#platforms.size > mostPlatforms) this.#platforms.delete(oldest as string);
    return {
      get: (key) => this.#rows.get(`${state.epoch} ${key}`),
      set: (key, row) => this.#rows.set(`${state.epoch} ${key}`, row),
      clear: () => {
        state.epoch = this.#nextEpoch();
      },
    };
  }

  /** Call this after the commit, with the new version of the platform's row. */
  keep(platformId: string, version: string | undefined): void {
    const state = this.#platforms.get(platformId);
    if (state !== undefined) state.version = version;
  }

  /** Forgets everything. */
  forget(): void {
    this.#platforms.clear();
    this.#rows.clear();
  }

  /** Rows of an earlier epoch are no longer found. They are dropped when the room is needed. */
  #nextEpoch(): number {
    this.#lastEpoch += 1;
    return this.#lastEpoch;
  }
}
