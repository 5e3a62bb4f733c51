/** Writes a HAR file that is complete after every entry. */
import { closeSync, openSync, writeSync } from 'node:fs';
import type { Entry } from 'har-format';
import { harParts, writeEntry } from '../../traffic/record.ts';

export interface HarFile {
  add(entry: Entry): void;
  close(): void;
}

/**
 * Writes each entry over the file's end, together with a new end, in one write. So the file can be read whenever the
 * process is killed.
 * @throws NodeJS.ErrnoException if the file can't be written
 */
export function openHarFile(path: string): HarFile {
  const file = openSync(path, 'w');
  const { head, tail } = harParts;
  writeSync(file, head + tail);
  let end = Buffer.byteLength(head);
  let separator = '';
  return {
    add(entry) {
      const text = separator + writeEntry(entry);
      writeSync(file, text + tail, end);
      end += Buffer.byteLength(text);
      separator = ',\n';
    },
    close: () => closeSync(file),
  };
}
