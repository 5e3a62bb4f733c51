/** State that outlives a page: the database's pages in IndexedDB, which pages, workers and service workers all have. */
import { type DBSchema, type IDBPDatabase, openDB } from 'idb';
import type { Keeping } from '../sqlite/syncs.ts';
import type { WasmDatabase } from './wasm.ts';

/** As large as SQLite's own, so that what a unit has written is few of them. */
const pageBytes = 4096;

interface Pages extends DBSchema {
  /** By their place in the image, from 0. */
  pages: { key: number; value: Uint8Array };
}

/** One name's state, which belongs to the sandbox that opened it until that is closed, or its page is gone. */
export class Kept {
  readonly #db: IDBPDatabase<Pages>;
  readonly #release: () => void;
  #last: Uint8Array;

  private constructor(db: IDBPDatabase<Pages>, last: Uint8Array, release: () => void) {
    this.#db = db;
    this.#last = last;
    this.#release = release;
  }

  /** @throws Error while another page or worker has the name, and where a browser keeps nothing (private windows). */
  static async open(name: string): Promise<Kept> {
    if (navigator.locks === undefined) {
      throw new Error(`The browser keeps the sandbox ${name} on pages of https and of localhost only.`);
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

  /** The database as it was kept last; undefined for a new name. */
  get image(): Uint8Array | undefined {
    return this.#last.length === 0 ? undefined : this.#last;
  }

  /** Keeps what is committed in a database: the pages that differ from those kept before, all or none of them. */
  keep(database: WasmDatabase): Keeping {
    return {
      sync: async () => {
        const image = database.image();
        const changed = changedPages(this.#last, image);
        // What survives is the end of a page or of the browser. That the machine loses power would cost ten times as much.
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

  /** Gives the name to the next who asks for it. */
  close(): void {
    this.#db.close();
    this.#release();
  }
}

/** Takes a lock that ends with the page, however that ends. @returns what gives it back. */
async function take(place: string): Promise<() => void> {
  return new Promise((resolve, reject) => {
    const held = navigator.locks.request(place, { ifAvailable: true }, (lock) => {
      if (lock !== null) return new Promise<void>((release) => resolve(release));
      const name = place.slice(place.indexOf('/') + 1);
      throw new Error(`Another page has the sandbox ${name} open. Close that page, or keep this one by another name.`);
    });
    held.catch(reject);
  });
}

function pageOf(image: Uint8Array, page: number): Uint8Array {
  return image.slice(page * pageBytes, (page + 1) * pageBytes);
}

/** The places of the pages of `now` that `before` doesn't have as they are. */
function changedPages(before: Uint8Array, now: Uint8Array): number[] {
  // Eight bytes at a time: both begin their buffer, and a page is a multiple of eight.
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
