import { statfsSync } from 'node:fs';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { toHex } from '../machine/bytes.ts';
import { randomBytes } from '../machine/crypto.ts';

/** What a chunk of the reserve has. */
const chunkBytes = 1024 * 1024;

/**
 * Room on the disk that is given back when the disk is full, so that the log can be moved into the data file. Moving
 * needs room first, and frees the log only afterwards. The file has no name, so it ends with the process in any case.
 */
export class Reserve {
  readonly #path: string;
  readonly #bytes: number;
  #file: FileHandle | undefined;

  /** @param path the data file's */
  constructor(path: string, bytes: number) {
    this.#path = path;
    this.#bytes = bytes;
  }

  /** Takes the room if it isn't taken and the disk has it. It never fails. */
  async take(): Promise<void> {
    if (this.#file !== undefined || this.#bytes === 0) return;
    // Of no other file, and not through a link.
    const name = `${this.#path}-reserve-${toHex(randomBytes(6))}`;
    let file: FileHandle | undefined;
    try {
      if (freeBytes(this.#path) < this.#bytes) return;
      file = await open(name, 'wx', 0o600);
      await unlink(name);
      // Random, because some file systems keep no room for zeros.
      const chunk = randomBytes(Math.min(chunkBytes, this.#bytes));
      for (let written = 0; written < this.#bytes; written += chunk.length) await file.write(chunk);
      this.#file = file;
    } catch {
      await file?.close().catch(() => {});
    }
  }

  /** Gives the room back. */
  async release(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    // A system may free the blocks of a closed file only later.
    await file?.truncate(0).catch(() => {});
    await file?.close().catch(() => {});
  }
}

function freeBytes(path: string): number {
  const { bavail, bsize } = statfsSync(dirname(path));
  return bavail * bsize;
}

/** The size of the disk that a path is on, in bytes. */
export function diskBytes(path: string): number {
  try {
    const { blocks, bsize } = statfsSync(dirname(path));
    return blocks * bsize;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
