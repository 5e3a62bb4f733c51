// SQLite's primary result codes for problems of the machine or the file: BUSY, LOCKED, NOMEM, READONLY, IOERR, CORRUPT,
// FULL, CANTOPEN, PROTOCOL, NOTADB. Any other code (a constraint, a wrong statement) is a fault of ours.
const engineCodes = new Set([5, 6, 7, 8, 10, 11, 13, 14, 15, 26]);

/** The primary result code of an error from SQLite; undefined for any other error. */
export function codeOf(error: unknown): number | undefined {
  return error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : undefined;
}

/** Whether the machine or the file has failed, and not our code. */
export function isEngineError(error: unknown): boolean {
  const code = codeOf(error);
  return code !== undefined && engineCodes.has(code);
}
