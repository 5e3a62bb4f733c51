import { sql } from 'kysely';
import { type Stopwatch, systemStopwatch } from '../../tools/clock.ts';
import { literal, query } from '../query.ts';
import { weightCounter } from '../records/weight.ts';
import type { Reader, Slices, Store } from '../store.ts';

/** What a platform asks of this process. */
export interface Load {
  /** Units that wait for their turn. */
  readonly waiting: number;
  /** How long its units took since the process started. On PostgreSQL, with the waits for its answers. */
  readonly busyMs: number;
}

export interface PlatformLoad extends Load {
  readonly platformId: string;
  /** The size of its records. */
  readonly bytes: number;
}

/** The number of platforms that {@link readHeaviest} finds. */
const heaviest = 10;

const findHeaviest = query<{ name: string }>((db, p) =>
  db
    .selectFrom('platforms')
    .innerJoin('counters', (join) =>
      join
        .on('counters.name', '=', p.name)
        .on('counters.platform_id', '=', sql<string>`coalesce(platforms.rows, platforms.id)`),
    )
    .select(['platforms.id', 'counters.count'])
    .orderBy('counters.count', 'desc')
    .orderBy('platforms.id')
    .limit(literal(heaviest)),
);

/** The platforms whose records weigh most, the heaviest first. */
export async function readHeaviest(reader: Reader): Promise<{ platformId: string; bytes: number }[]> {
  const { rows } = await findHeaviest(reader, { name: weightCounter });
  return rows.map((row) => ({ platformId: String(row['id']), bytes: Number(row['count']) }));
}

/** Measures the units of each platform where they run. */
export class Loads {
  readonly #loads = new Map<string, { waiting: number; busyMs: number }>();
  readonly #stopwatch: Stopwatch;

  constructor(stopwatch: Stopwatch = systemStopwatch) {
    this.#stopwatch = stopwatch;
  }

  of(platformId: string): Load {
    return this.#loads.get(platformId) ?? { waiting: 0, busyMs: 0 };
  }

  forget(platformId: string): void {
    this.#loads.delete(platformId);
  }

  /** Runs a unit, as {@link Store.transaction} does. */
  unit<T>(store: Store, platformId: string, work: (tx: Reader) => Promise<T>): Promise<T> {
    return this.#queue(platformId, (measure) => store.transaction(platformId, (tx) => measure(() => work(tx))));
  }

  /** Runs long work, as {@link Store.hold} does. Only its slices are measured. */
  hold<T>(store: Store, platformId: string, work: (slices: Slices) => Promise<T>): Promise<T> {
    return this.#queue(platformId, (measure) =>
      store.hold(platformId, (slices) => work({ run: (part) => slices.run((reader) => measure(() => part(reader))) })),
    );
  }

  async #queue<T>(platformId: string, queue: (measure: Measure) => Promise<T>): Promise<T> {
    let load = this.#loads.get(platformId);
    if (load === undefined) {
      load = { waiting: 0, busyMs: 0 };
      this.#loads.set(platformId, load);
    }
    const own = load;
    let isWaiting = true;
    const begin = (): void => {
      if (isWaiting) own.waiting -= 1;
      isWaiting = false;
    };
    own.waiting += 1;
    try {
      return await queue(async (work) => {
        begin();
        const before = this.#stopwatch();
        try {
          return await work();
        } finally {
          own.busyMs += this.#stopwatch() - before;
        }
      });
    } finally {
      begin();
    }
  }
}

type Measure = <T>(work: () => Promise<T>) => Promise<T>;
