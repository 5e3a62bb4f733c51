import {
  closeSync,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  readSync,
  realpathSync,
  rmdirSync,
  rmSync,
  type Stats,
  statSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A file that can't keep the state. The message says which, why, and what to do; nothing was changed or left behind. */
export class DataFileRefused extends Error {
  override readonly name = 'DataFileRefused';
}

/** A path that may become the data file, or is it already. */
export interface DataFile {
  /** Free of symbolic links, so that whatever name a process comes by, it meets the same lock. */
  readonly path: string;
  /** The name as the user typed it. */
  readonly name: string;
  /** Ends the sentences that say what to do. */
  readonly elsewhere: string;
  /** Once the lock is taken: what another process has made until then is no longer for {@link leaveNothing}. */
  lookAgain(): void;
  /** Removes what was not there at first: folders, the file, and what SQLite keeps beside it. */
  leaveNothing(): void;
}

/** What lies beside a data file while it is open, and after a crash. */
const companions = ['-wal', '-shm', '-journal', '-lock'];

/**
 * Finds out where a path leads and makes the folder that it names, if need be.
 * @param option what the user gave the path by: `--data`, or `file`.
 * @throws DataFileRefused for what isn't a path of a file, or of one that a data file can't be.
 */
export function findDataFile(given: string, option = '--data'): DataFile {
  const elsewhere = `choose another ${option} path`;
  requirePath(given, option);
  let path: string;
  try {
    path = follow(resolve(given));
  } catch (error) {
    throw new DataFileRefused(whyUnreachable(error, given, elsewhere), { cause: error });
  }
  if (/[/\\]$/.test(given) && statSync(path, { throwIfNoEntry: false }) === undefined) {
    throw new DataFileRefused(
      `${given} ends in a slash, so it names a folder. Name a file in it: ${option} ${join(given, 'sandbox.sqlite')}`,
    );
  }
  const isLink = lstatSync(resolve(given), { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
  const name = isLink ? `${given}, which leads to ${path},` : given;
  const there = statSync(path, { throwIfNoEntry: false });
  if (there !== undefined) requireOwnFile(there, { path, name, elsewhere, option });
  for (const end of companions) requireNoTrap(path + end, elsewhere);
  const isMissing = (end: string) => lstatSync(path + end, { throwIfNoEntry: false }) === undefined;
  let missing = ['', ...companions].filter(isMissing);
  const madeFolder = makeFolder(dirname(path), name, elsewhere);
  return {
    path,
    name,
    elsewhere,
    lookAgain: () => {
      missing = missing.filter((end) => end === '-lock' || isMissing(end));
    },
    leaveNothing: () => {
      for (const end of missing) rmSync(path + end, { force: true });
      if (madeFolder !== undefined) removeFolders(dirname(path), madeFolder);
    },
  };
}

function requirePath(given: string, option: string): void {
  if (given === '') throw new DataFileRefused(`${option} is empty. Name a file, or :memory: to keep nothing.`);
  if (given.includes('\0')) throw new DataFileRefused(`${option} has a NUL character in it. Name a file.`);
  const [, scheme] = /^([a-z][a-z0-9+.-]+):/i.exec(given) ?? [];
  if (scheme === undefined || (scheme !== 'file' && !given.includes('://'))) return;
  throw new DataFileRefused(
    scheme === 'file'
      ? `${given} is a URL, and ${option} takes a path. ${pathOf(given)}`
      : `${option} takes a path, and this is a URL of ${scheme}:. Name a file. A PostgreSQL database goes to --database.`,
  );
}

function pathOf(url: string): string {
  try {
    return `Write ${fileURLToPath(url)} instead.`;
  } catch {
    return 'Write the path instead.';
  }
}

/** So many links in a row are followed at most, as by Linux. */
const mostLinks = 40;

/** The real path of what is there, or of what would be made: the last of a chain of links may lead to nothing yet. */
function follow(path: string, links = 0): string {
  try {
    return realpathSync.native(path);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
  if (links > mostLinks) throw Object.assign(new Error('Too many links'), { code: 'ELOOP' });
  const folder = follow(dirname(path), links + 1);
  const own = join(folder, basename(path));
  if (lstatSync(own, { throwIfNoEntry: false }) === undefined) return own;
  return follow(resolve(folder, readlinkSync(own)), links + 1);
}

function whyUnreachable(error: unknown, given: string, elsewhere: string): string {
  switch (codeOf(error)) {
    case 'ELOOP':
      return `${given} is a loop of symbolic links. Mend the link, or ${elsewhere}.`;
    case 'ENOTDIR':
      return `${given} leads through a file where a folder must be. Move that file away, or ${elsewhere}.`;
    case 'ENAMETOOLONG':
      return `${given} is too long a name. Shorten it, or ${elsewhere}.`;
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return `${given} is out of reach. Give this user the right to read and write its folder, or ${elsewhere}.`;
    case 'ENOSPC':
      return `${given} can't be made, because the disk is full. Free some space, or ${elsewhere}.`;
    default:
      return `${given} can't be reached (${error instanceof Error ? error.message : error}). Check the path, or ${elsewhere}.`;
  }
}

interface Place {
  readonly path: string;
  readonly name: string;
  readonly elsewhere: string;
  readonly option: string;
}

function requireOwnFile(there: Stats, { path, name, elsewhere, option }: Place): void {
  if (there.isDirectory()) {
    throw new DataFileRefused(`${name} is a folder. Name a file in it: ${option} ${join(path, 'sandbox.sqlite')}`);
  }
  if (!there.isFile()) {
    throw new DataFileRefused(`${name} is ${kindOf(there)}, not a file. C${elsewhere.slice(1)}.`);
  }
  if (there.nlink > 1) {
    throw new DataFileRefused(
      `${name} has ${there.nlink} names (hard links). SQLite keeps its log and lock beside one name, so a process that came ` +
        `by another would damage the data. Remove the other names, or start with a copy.`,
    );
  }
  if (there.size > 0 && !beginsAsDatabase(path)) {
    throw new DataFileRefused(notOurs(name, elsewhere));
  }
}

/** The one sentence for what isn't a database, found by its first bytes or by SQLite further on. */
export function notOurs(name: string, elsewhere: string): string {
  return `${name} isn't a Countersign data file. C${elsewhere.slice(1)}, or move the file away to start fresh.`;
}

/** Looked at before SQLite opens it, which would lay files beside it. What can't be read is left to SQLite to explain. */
function beginsAsDatabase(path: string): boolean {
  const head = Buffer.alloc(16);
  try {
    const opened = openSync(path, 'r');
    readSync(opened, head);
    closeSync(opened);
  } catch {
    return true;
  }
  return head.toString('latin1') === 'SQLite format 3\0';
}

function kindOf(there: Stats): string {
  if (there.isFIFO()) return 'a named pipe';
  if (there.isSocket()) return 'a socket';
  return 'a device';
}

/** SQLite would write through a link that lies where its own files go. */
function requireNoTrap(companion: string, elsewhere: string): void {
  const there = lstatSync(companion, { throwIfNoEntry: false });
  if (there === undefined || there.isFile()) return;
  throw new DataFileRefused(
    `${companion} isn't a plain file, and SQLite needs this name. Move it away, or ${elsewhere}.`,
  );
}

/** @returns the first folder that was made, undefined for none. */
function makeFolder(folder: string, name: string, elsewhere: string): string | undefined {
  try {
    return mkdirSync(folder, { recursive: true });
  } catch (error) {
    throw new DataFileRefused(whyUnreachable(error, name, elsewhere), { cause: error });
  }
}

/** From the innermost out; one that somebody else has put something into stays. */
function removeFolders(innermost: string, outermost: string): void {
  for (let folder = innermost; folder.length >= outermost.length; folder = dirname(folder)) {
    try {
      rmdirSync(folder);
    } catch {
      return;
    }
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
