import { closeSync, openSync, readSync } from 'node:fs';
import { endianness } from 'node:os';

/** How long SQLite's log is, in pages. */
export interface LogLength {
  readonly pages: number;
  /** How many of them are in the data file already. */
  readonly moved: number;
}

/**
 * Reads the length of the log from SQLite's index of it (`FILE-shm`), whose layout is part of SQLite's file format. The
 * size of the log's file doesn't tell, because SQLite writes from its start again. A read takes about a microsecond.
 *
 * Close it after every connection to the file: on POSIX, closing any handle of a file gives up the process's locks on it.
 */
export class LogIndex {
  readonly #file: number;
  readonly #header = Buffer.alloc(100);

  /** @param path the data file's */
  constructor(path: string) {
    this.#file = openSync(`${path}-shm`, 'r');
  }

  read(): LogLength {
    readSync(this.#file, this.#header, 0, this.#header.length, 0);
    return { pages: this.#number(16), moved: this.#number(96) };
  }

  close(): void {
    closeSync(this.#file);
  }

  #number(offset: number): number {
    return endianness() === 'LE' ? this.#header.readUInt32LE(offset) : this.#header.readUInt32BE(offset);
  }
}
