import { codeOf } from '../../sqlite/engineError.ts';
import { NewerSchema } from '../../store/newerSchema.ts';
import { type DataFile, DataFileRefused, notOurs } from './dataFile.ts';

/** Whether another process uses the file. */
export function isBusy(error: unknown): boolean {
  return codeOf(error) === 5;
}

/** Whether the disk has no room left. */
export function isFull(error: unknown): boolean {
  return codeOf(error) === 13;
}

/** Whether a file isn't a database, or is a damaged one. */
export function isForeignFile(error: unknown): boolean {
  return [11, 26].includes(codeOf(error) ?? 0);
}

/** Explains why SQLite can't use a file, and what to do. */
export function explain(error: unknown, { name, elsewhere }: DataFile): Error {
  if (error instanceof DataFileRefused) return error;
  const message = error instanceof NewerSchema ? newer(error, name, elsewhere) : advice(codeOf(error), name, elsewhere);
  if (message !== undefined) return new DataFileRefused(message, { cause: error });
  return error instanceof Error ? error : new Error(String(error));
}

function newer({ steps }: NewerSchema, name: string, elsewhere: string): string {
  return `A newer version of Countersign made ${name} (${steps.join(', ')}). Run that version, or ${elsewhere}.`;
}

function advice(code: number | undefined, name: string, elsewhere: string): string | undefined {
  switch (code) {
    case 5:
      return `${name} is in use by another process. Stop that process, or ${elsewhere}. Several processes can share a --database.`;
    case 8:
      return `${name} can't be written. Give this user the right to write the file and its folder, or ${elsewhere}.`;
    case 10:
      return `${name} can't be read or written, because the disk failed. Check the disk, or ${elsewhere}.`;
    case 11:
      return `${name} is damaged. Put a copy of it back, or move it away (with its -wal and -shm) to start fresh.`;
    case 13:
      return `${name} can't be written, because the disk is full. Free some space, or ${elsewhere}.`;
    case 14:
      return `${name} can't be opened. Give this user the right to read and write the file and its folder, or ${elsewhere}.`;
    case 26:
      return notOurs(name, elsewhere);
    default:
      return undefined;
  }
}

/** For a file that can be opened but is damaged further on. */
export function damaged(finding: string): Error {
  return Object.assign(new Error(finding), { errcode: 11 });
}
