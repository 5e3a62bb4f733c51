import { StorageDamaged } from '../tools/problem.ts';
import type { Row } from './store.ts';

/**
 * Reads a column with our own JSON.
 * @param where its place for the log: table and id.
 * @throws StorageDamaged if it is no longer JSON. SQLite checks the structure of a file and not the stored texts.
 */
export function readStored<T>(row: Row, column: string, where: string): T {
  try {
    return JSON.parse(String(row[column])) as T;
  } catch {
    throw new StorageDamaged(new Error(`${where} is damaged: its ${column} isn't JSON`));
  }
}
