import { StorageDamaged } from '../tools/problem.ts';
import type { Row } from './store.ts';

/**
 * Reads a column that holds JSON of ours.
 * @param where what to call its place in the log: table and id.
 * @throws StorageDamaged when it isn't JSON any more. SQLite checks the structure of a file and not what stands in it.
 */
export function readStored<T>(row: Row, column: string, where: string): T {
  try {
    return JSON.parse(String(row[column])) as T;
  } catch {
    throw new StorageDamaged(new Error(`${where} is damaged: its ${column} isn't JSON`));
  }
}
