// SQLite's primary result codes for what is wrong with machine or file: BUSY, LOCKED, NOMEM, READONLY, IOERR, CORRUPT,
// FULL, CANTOPEN, PROTOCOL, NOTADB. Any other (a constraint, a wrong statement) is a fault of ours and stays one.
const engineCodes = new Set([5, 6, 7, 8, 10, 11, 13, 14, 15, 26]);

/** The primary result code of an error of SQLite's; undefined for any other error. */
function codeOf(error: unknown): number | undefined {
  return error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : undefined;
}

/** Whether machine or file have failed, and not we. */
export function isEngineError(error: unknown): boolean {
  const code = codeOf(error);
  return code !== undefined && engineCodes.has(code);
}

const advice: Readonly<Record<number, string>> = {
  5: 'it is in use by another process: stop that one, or start with another --data; several processes share a --database',
  8: 'it may not be written: give this user the right to write the file and its folder, or start with another --data',
  10: 'the disk can not be read or written: see what is wrong with it, or start with another --data',
  11: 'it is damaged: put a copy of it back, or move it away (with its -wal and -shm) and a new one is made',
  13: 'the disk is full: make room, or start with another --data',
  14: 'it can not be opened: see that its folder is there, that it is a file, and that this user may write both',
  26: 'it is no database: start with another --data, or move it away and a new one is made',
};

/** Says why a file can't be used and what to do about it; nothing of it was changed. */
export function explain(error: unknown): Error {
  const code = codeOf(error);
  const known = code === undefined ? undefined : advice[code];
  if (known === undefined) return error instanceof Error ? error : new Error(String(error));
  return new Error(known, { cause: error });
}

/** For a file that can be opened and is broken further on. */
export function damaged(finding: string): Error {
  return new Error(advice[11], { cause: finding });
}
