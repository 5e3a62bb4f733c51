import {
  chmodSync,
  closeSync,
  existsSync,
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

/**
 * The file can't keep the state. The message names it, the reason and what to do. Nothing was changed or left behind.
 */
export class DataFileRefused extends Error {
  override readonly name = 'DataFileRefused';
}

/** A path that is a data file or may become one. */
export interface DataFile {
  /** Without symbolic links, so that all processes meet the same lock, whichever name they use. */
  readonly path: string;
  /** The name as the user typed it. */
  readonly name: string;
  /** The end of the sentences that say what to do. */
  readonly elsewhere: string;
  /**
   * Call this once the lock is taken. Files that another process has created until then don't belong to {@link
   * leaveNothing}.
   */
  lookAgain(): void;
  /**
   * Makes the file readable and writable for its owner only, and creates it if it is missing. It holds the key from
   * which all platforms' keys are derived. SQLite gives its log the same rights.
   */
  keepPrivate(): void;
  /** Removes what didn't exist at first: folders, the file, and SQLite's files beside it. */
  leaveNothing(): void;
}

/** The files beside a data file while it is open, and after a crash. */
const companions = ['-wal', '-shm', '-journal', '-lock'];

/**
 * Finds where a path leads, and creates its folder if it is missing.
 * @param option the name of the user's option: `--data`, or `file`.
 * @throws DataFileRefused if it isn't the path of a file, or of a file that can't be a data file.
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
    keepPrivate: () => {
      create(path);
      for (const end of ['', '-wal', '-shm']) narrow(path + end);
    },
    leaveNothing: () => {
      for (const end of missing) rmSync(path + end, { force: true });
      if (madeFolder !== undefined) removeFolders(dirname(path), madeFolder);
    },
  };
}

const ownerOnly = 0o600;

/** If the folder refuses it, SQLite can't create the file either, and explains why. */
function create(path: string): void {
  if (existsSync(path)) return;
  try {
    closeSync(openSync(path, 'a', ownerOnly));
  } catch (error) {
    if (codeOf(error) === '') throw error;
  }
}

/** Takes others' rights to a file away. If somebody else owns it, or the disk is read-only, it keeps its rights. */
function narrow(path: string): void {
  const there = statSync(path, { throwIfNoEntry: false });
  if (there === undefined || (there.mode & 0o077) === 0) return;
  try {
    chmodSync(path, there.mode & 0o700);
  } catch (error) {
    if (codeOf(error) === '') throw error;
  }
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

/** The maximum number of links to follow in a row, as on Linux. */
const mostLinks = 40;

/** The real path of an existing or a future file. The last link of a chain may point to nothing yet. */
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
      `${name} has ${there.nlink} names (hard links). SQLite keeps its log and lock beside one name, so a process that uses ` +
        `another name would damage the data. Remove the other names, or start with a copy.`,
    );
  }
  if (there.size > 0 && !beginsAsDatabase(path)) {
    throw new DataFileRefused(notOurs(name, elsewhere));
  }
}

/** The message for a file that isn't a database. Its first bytes show that, or SQLite finds it later. */
export function notOurs(name: string, elsewhere: string): string {
  return `${name} isn't a Countersign data file. C${elsewhere.slice(1)}, or move the file away to start fresh.`;
}

/**
 * Checked before SQLite opens the file, because SQLite would create files beside it. If it can't be read, SQLite
 * explains why.
 */
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

/** Refuses a link that has the name of one of SQLite's own files, because SQLite would write through it. */
function requireNoTrap(companion: string, elsewhere: string): void {
  const there = lstatSync(companion, { throwIfNoEntry: false });
  if (there === undefined || there.isFile()) return;
  throw new DataFileRefused(
    `${companion} isn't a plain file, and SQLite needs this name. Move it away, or ${elsewhere}.`,
  );
}

/**
 * Creates the folders one by one, because Node's `recursive` never ends where the system refuses folders, as in /proc.
 *
 * @returns the first folder that was created; undefined if none was
 */
function makeFolder(folder: string, name: string, elsewhere: string): string | undefined {
  const missing: string[] = [];
  for (let at = folder; !existsSync(at); at = dirname(at)) missing.unshift(at);
  try {
    for (const each of missing) makeUnlessThere(each);
    return missing[0];
  } catch (error) {
    throw new DataFileRefused(whyUnreachable(error, name, elsewhere), { cause: error });
  }
}

/** Another process may make the same folder at the same moment. */
function makeUnlessThere(folder: string): void {
  try {
    mkdirSync(folder);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}

/** Removes folders from the innermost outwards. A folder that now contains something else stays. */
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
