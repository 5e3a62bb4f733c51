/**
 * Keeps state beyond the life of a page. It stores the database's pages in IndexedDB, which pages, workers and service
 * workers have.
 */
import { type DBSchema, type IDBPDatabase, openDB } from 'idb';
import type { Keeping } from '../sqlite/syncs.ts';
import type { WasmDatabase } from './wasm.ts';

/** The size of SQLite's own pages, so that a unit changes few of them. */
const pageBytes = 4096;

interface Pages extends DBSchema {
  /** By their position in the image, from 0. */
  pages: { key: number; value: Uint8Array };
}

/** The state under one name. It belongs to the sandbox that opened it, until that closes or its page ends. */
export class Kept {
  readonly #db: IDBPDatabase<Pages>;
  readonly #release: () => void;
  #last: Uint8Array;

  private constructor(db: IDBPDatabase<Pages>, last: Uint8Array, release: () => void) {
    this.#db = db;
    this.#last = last;
    this.#release = release;
  }

  /** @throws Error if another page or worker uses the name, or if the browser stores nothing (private windows) */
  static async open(name: string): Promise<Kept> {
    if (navigator.locks === undefined) {
      throw new Error(`The browser can keep the sandbox ${name} only on pages of https and of localhost.`);
    }
    const place = `countersign/${name}`;
    const release = await take(place);
    try {
      const db = await openDB<Pages>(place, 1, { upgrade: (fresh) => void fresh.createObjectStore('pages') });
      return new Kept(db, join(await db.getAll('pages')), release);
    } catch (error) {
      release();
      throw new Error(`The browser can't keep the sandbox ${name}: ${(error as Error).message}`, { cause: error });
    }
  }

  /** The database as it was last kept; undefined for a new name. */
  get image(): Uint8Array | undefined {
    return this.#last.length === 0 ? undefined : this.#last;
  }

  /** Keeps what is committed in a database: all pages that changed since the last time, or none of them. */
  keep(database: WasmDatabase): Keeping {
    return {
      sync: async () => {
        const image = database.image();
        const changed = changedPages(this.#last, image);
        // The data survives the end of the page or the browser. Surviving a power failure too would cost ten times as
        // much.
        const transaction = this.#db.transaction('pages', 'readwrite', { durability: 'relaxed' });
        const writes = changed.map((page) => transaction.store.put(pageOf(image, page), page));
        if (image.length < this.#last.length) {
          writes.push(transaction.store.delete(IDBKeyRange.lowerBound(image.length / pageBytes)) as Promise<never>);
        }
        await Promise.all([...writes, transaction.done]);
        this.#last = image;
      },
      close: async () => this.close(),
    };
  }

  /** Releases the name for the next sandbox that wants it. */
  close(): void {
    this.#db.close();
    this.#release();
  }
}

/** Takes a lock that ends with the page, in any case. @returns a function that releases it */
async function take(place: string): Promise<() => void> {
  return new Promise((resolve, reject) => {
    const held = navigator.locks.request(place, { ifAvailable: true }, (lock) => {
      if (lock !== null) return new Promise<void>((release) => resolve(release));
      const name = place.slice(place.indexOf('/') + 1);
      throw new Error(
        `Another page has the sandbox ${name} open. Close that page, or keep this sandbox under another name.`,
      );
    });
    held.catch(reject);
  });
}

function pageOf(image: Uint8Array, page: number): Uint8Array {
  return image.slice(page * pageBytes, (page + 1) * pageBytes);
}

/** The positions of the pages in `now` that differ from `before` or are new. */
function changedPages(before: Uint8Array, now: Uint8Array): number[] {
  // Compares eight bytes at a time. Both arrays start at the start of their buffers, and a page's size is a multiple of
  // eight.
  const [old, fresh] = [new BigUint64Array(before.buffer), new BigUint64Array(now.buffer)];
  const perPage = pageBytes / 8;
  const isSame = (page: number): boolean => {
    for (let at = page * perPage; at < (page + 1) * perPage; at += 1) if (old[at] !== fresh[at]) return false;
    return true;
  };
  return Array.from({ length: now.length / pageBytes }, (_, page) => page).filter((page) => !isSame(page));
}

function join(pages: readonly Uint8Array[]): Uint8Array {
  const image = new Uint8Array(pages.length * pageBytes);
  pages.forEach((page, index) => void image.set(page, index * pageBytes));
  return image;
}
