import { statSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import type { SqliteConnections } from '../../sqlite/engine.ts';
import { isEngineError } from '../../sqlite/engineError.ts';
import { bringUpToDate } from '../../sqlite/migrate.ts';
import { Syncs } from '../../sqlite/syncs.ts';
import type { KnownRows } from '../../store/known.ts';
import { type CheckpointOptions, Checkpoints } from './checkpoints.ts';
import { type DataFile, DataFileRefused, findDataFile } from './dataFile.ts';
import { damaged, explain, isBusy, isForeignFile } from './errors.ts';
import { refuseForeign } from './migrate.ts';
import { settings } from './settings.ts';

export interface SqliteOptions {
  /** Brings the log to the disk; `fdatasync` unless a test plants another. */
  readonly sync?: (log: FileHandle) => Promise<void>;
  /** What the user gave the path by, for messages; `--data` when absent. */
  readonly option?: string;
  /** When the log is brought into the file. */
  readonly checkpoints?: CheckpointOptions;
  /** Where units keep what they know of rows; a test plants one that freezes them. */
  readonly known?: KnownRows;
}

/** How long another connection is waited for, in milliseconds: a tool that looks into the file meanwhile. */
const timeout = 5000;

/**
 * Opens a data file, which is made if need be.
 * @throws DataFileRefused that says why it can't be used; then everything is as it was.
 */
export async function openSqliteFile(
  given: string,
  { sync, option, known, checkpoints: how }: SqliteOptions,
): Promise<SqliteConnections> {
  const file = findDataFile(given, option);
  const { path } = file;
  const opened: DatabaseSync[] = [];
  const connect: Connect = (name, how) => {
    const database = new DatabaseSync(name, how);
    opened.push(database);
    return database;
  };
  try {
    peek(file);
    const lock = takeFile(file, connect);
    file.lookAgain();
    const writer = connect(path, { timeout });
    refuseForeign(writer, file);
    if (statSync(path).size <= checkedBytes) refuseDamaged(writer);
    writer.exec(settings);
    await bringUpToDate(writer);
    const reader = connect(path, { readOnly: true, timeout });
    // The log is there from the first read on, and stays the same file as long as a connection is open.
    const log = await open(`${path}-wal`, 'r+');
    await syncFolder(dirname(path));
    const checkpoints = new Checkpoints(path, how);
    return {
      checkpoints,
      writer,
      reader,
      lock,
      known,
      syncs: new Syncs({ sync: () => (sync === undefined ? log.datasync() : sync(log)), close: () => log.close() }),
    };
  } catch (error) {
    // What lies there while another process has the lock is that process's. Our own lock ends last, so that nobody takes
    // it between its end and the removal of its file.
    const [first, ...others] = opened;
    for (const database of others.reverse()) database.close();
    if (!isBusy(error)) file.leaveNothing();
    first?.close();
    throw explain(error, file);
  }
}

type Connect = (path: string, how: { readonly readOnly?: boolean; readonly timeout: number }) => DatabaseSync;

/**
 * Looks at the file before anything is laid beside it. This reads the file alone, without its log and without a lock, so
 * it may refuse a file and never admits one.
 */
function peek(file: DataFile): void {
  if ((statSync(file.path, { throwIfNoEntry: false })?.size ?? 0) === 0) return;
  const address = pathToFileURL(file.path);
  address.searchParams.set('immutable', '1');
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(address, { readOnly: true });
    refuseForeign(database, file);
  } catch (error) {
    // What looks like damage may be another process's write: only the holder of the lock can tell.
    if (!isEngineError(error)) throw error;
  } finally {
    database?.close();
  }
}

/**
 * That there is a log at all must be on the disk too. A system that keeps no such thing apart does not let a folder be
 * opened.
 */
async function syncFolder(folder: string): Promise<void> {
  const opened = await open(folder, 'r').catch(() => undefined);
  await opened?.sync();
  await opened?.close();
}

/**
 * One process has the file: what it remembers would be wrong if another wrote to it. SQLite's own lock on a file
 * beside it ends with the process, however that ends, so nothing needs to be cleared away.
 */
function takeFile({ path, elsewhere }: DataFile, connect: Connect): DatabaseSync {
  const lock = connect(`${path}-lock`, { timeout: 0 });
  try {
    lock.exec('begin exclusive');
  } catch (error) {
    if (!isForeignFile(error)) throw error;
    throw new DataFileRefused(`${path}-lock isn't a lock of Countersign. Move that file away, or ${elsewhere}.`);
  }
  return lock;
}

/** Looking through a file takes some 9 ms a MiB: a larger one shows its damage only where it is read. */
const checkedBytes = 8 * 1024 * 1024;

function refuseDamaged(database: DatabaseSync): void {
  const [found] = database.prepare('pragma quick_check(1)').all();
  if (found?.['quick_check'] !== 'ok') throw damaged(String(found?.['quick_check']));
}
