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
import { type Stopwatch, systemStopwatch } from '../../tools/clock.ts';
import { type CheckpointOptions, Checkpoints, lengthsFor } from './checkpoints.ts';
import { type DataFile, DataFileRefused, findDataFile } from './dataFile.ts';
import { damaged, explain, isBusy, isForeignFile, isFull } from './errors.ts';
import { LogIndex } from './logLength.ts';
import { refuseForeign } from './migrate.ts';
import { diskBytes, Reserve } from './reserve.ts';
import { settings } from './settings.ts';

export interface SqliteOptions {
  /** Writes the log to the disk; `fdatasync` unless a test passes another function. */
  readonly sync?: (log: FileHandle) => Promise<void>;
  /** The name of the user's option, for messages; `--data` if absent. */
  readonly option?: string;
  /** When the log is moved into the file. */
  readonly checkpoints?: CheckpointOptions;
  /** Where units keep known rows. A test passes one that freezes them. */
  readonly known?: KnownRows;
  /** Measures how long a group holds the thread; by the machine's clock if absent. */
  readonly stopwatch?: Stopwatch;
}

/** How long to wait for another connection, in milliseconds, for example a tool that inspects the file. */
const timeout = 5000;

/**
 * Opens a data file, and creates it if it is missing.
 * @throws DataFileRefused that explains why it can't be used. Nothing has changed then.
 */
export async function openSqliteFile(
  given: string,
  { sync, option, known, checkpoints: how, stopwatch = systemStopwatch }: SqliteOptions,
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
    file.keepPrivate();
    const writer = connect(path, { timeout });
    refuseForeign(writer, file);
    if (statSync(path).size <= checkedBytes) refuseDamaged(writer);
    writer.exec(settings);
    await bringUpToDate(writer);
    emptyLog(writer);
    const reader = connect(path, { readOnly: true, timeout });
    // The log exists from the first read on. It stays the same file while a connection is open.
    const log = await open(`${path}-wal`, 'r+');
    await syncFolder(dirname(path));
    const index = new LogIndex(path);
    const { reserveBytes, ...lengths } = lengthsFor(diskBytes(path));
    const parts = { path, length: () => index.read(), reserve: new Reserve(path, reserveBytes) };
    return {
      checkpoints: new Checkpoints(parts, { ...lengths, ...how }),
      writer,
      reader,
      // Its handle closes after the connections.
      lock: {
        close: () => {
          index.close();
          lock.close();
        },
      },
      known,
      stopwatch,
      syncs: new Syncs({ sync: () => (sync === undefined ? log.datasync() : sync(log)), close: () => log.close() }),
    };
  } catch (error) {
    // If another process has the lock, the files belong to that process. Our own lock closes last, so that no process
    // takes it before its file is removed.
    const [first, ...others] = opened;
    for (const database of others.reverse()) database.close();
    if (!isBusy(error)) file.leaveNothing();
    first?.close();
    throw explain(error, file);
  }
}

/**
 * A crash leaves the log, and a full disk may have kept the last process from moving it. Now there may be room: that of
 * its reserve.
 */
function emptyLog(writer: DatabaseSync): void {
  try {
    writer.exec('pragma wal_checkpoint(truncate)');
  } catch (error) {
    // Reads continue, and so do writes once there is room.
    if (!isFull(error)) throw error;
  }
}

type Connect = (path: string, how: { readonly readOnly?: boolean; readonly timeout: number }) => DatabaseSync;

/**
 * Inspects the file before any file is created beside it. It reads the file alone, without its log and without a lock.
 * So it may refuse a file, but can't accept one.
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
    // What looks like damage may be a write of another process. Only the holder of the lock can tell.
    if (!isEngineError(error)) throw error;
  } finally {
    database?.close();
  }
}

/**
 * The folder's entry for the log must be on the disk too. On a system without such entries, a folder can't be opened.
 */
async function syncFolder(folder: string): Promise<void> {
  const opened = await open(folder, 'r').catch(() => undefined);
  await opened?.sync();
  await opened?.close();
}

/**
 * Lets only one process use the file, because another process's writes would make its memory wrong. It takes SQLite's
 * lock on a file beside the data file. That lock ends with the process in any case, so it never needs cleaning up.
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

/** Checking a file takes about 9 ms per MiB. In a larger file, damage shows only where it is read. */
const checkedBytes = 8 * 1024 * 1024;

function refuseDamaged(database: DatabaseSync): void {
  const [found] = database.prepare('pragma quick_check(1)').all();
  if (found?.['quick_check'] !== 'ok') throw damaged(String(found?.['quick_check']));
}
