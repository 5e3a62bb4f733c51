/** Writes a HAR file that is complete after every entry. */
import { closeSync, openSync, writeSync } from 'node:fs';
import type { Entry } from 'har-format';
import { harParts, writeEntry } from '../../traffic/record.ts';

export interface HarFile {
  /** Writes an entry, or leaves it out because the file is full. */
  add(entry: Entry): void;
  close(): void;
}

export interface HarFileOptions {
  /** The most bytes that the file may have. */
  readonly limit?: number;
  /** Is called once, before the first entry that is left out. @param entries the number of those in the file */
  readonly onFull?: (entries: number, limit: number) => void;
}

/** 256 MiB. A proxy that is forgotten must not fill the disk, and tools can still open such a file. */
const usualLimit = 256 * 1024 * 1024;

/**
 * Writes each entry over the file's end, together with a new end, in one write. So the file can be read whenever the
 * process is killed.
 * @throws NodeJS.ErrnoException if the file can't be written
 */
export function openHarFile(path: string, { limit = usualLimit, onFull }: HarFileOptions = {}): HarFile {
  const file = openSync(path, 'w');
  const { head, tail } = harParts;
  writeSync(file, head + tail);
  let end = Buffer.byteLength(head);
  let separator = '';
  let entries = 0;
  let isFull = false;
  return {
    add(entry) {
      if (isFull) return;
      const text = separator + writeEntry(entry);
      // Whatever comes later is left out too, so that the recording has no gap.
      isFull = end + Buffer.byteLength(text + tail) > limit;
      if (isFull) {
        onFull?.(entries, limit);
        return;
      }
      entries += 1;
      writeSync(file, text + tail, end);
      end += Buffer.byteLength(text);
      separator = ',\n';
    },
    close: () => closeSync(file),
  };
}
