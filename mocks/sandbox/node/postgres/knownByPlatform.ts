import { type Known, KnownRows } from '../../store/known.ts';

/** Of so many platforms it is remembered which rows are known; more only means to ask again. */
const mostPlatforms = 1000;

/**
 * What units know of rows where other processes write too. A group of units takes its platform's lock and reads the
 * version of the platform's row, which every group that writes renews. While the version is the one that this process
 * has left, nobody else has written, and what it knows holds until the group's end.
 */
export class KnownByPlatform {
  readonly #rows: KnownRows;
  readonly #platforms = new Map<string, { epoch: number; version: string | undefined }>();
  #lastEpoch = 0;

  /** @param seal see {@link KnownRows}. */
  constructor(seal?: (row: unknown) => unknown) {
    this.#rows = new KnownRows(seal);
  }

  /** What is known at the beginning of a group, and takes what its units find out. Nothing is, until the group is kept. */
  open(platformId: string, version: string | undefined): Known {
    const before = this.#platforms.get(platformId);
    const isValid = before?.version !== undefined && before.version === version;
    const state = { epoch: isValid ? before.epoch : this.#nextEpoch(), version: undefined };
    // Again at the end of the map: the first is the one that was used longest ago.
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

  /** The group is kept; the platform's row has this version now. */
  keep(platformId: string, version: string | undefined): void {
    const state = this.#platforms.get(platformId);
    if (state !== undefined) state.version = version;
  }

  /** Forgets everything. */
  forget(): void {
    this.#platforms.clear();
    this.#rows.clear();
  }

  /** Rows of an epoch that is over are not found any more, and make room by and by. */
  #nextEpoch(): number {
    this.#lastEpoch += 1;
    return this.#lastEpoch;
  }
}
