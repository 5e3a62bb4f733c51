// SQLite's primary result codes for what is wrong with machine or file: BUSY, LOCKED, NOMEM, READONLY, IOERR, CORRUPT,
// FULL, CANTOPEN, PROTOCOL, NOTADB. Any other (a constraint, a wrong statement) is a fault of ours and stays one.
const engineCodes = new Set([5, 6, 7, 8, 10, 11, 13, 14, 15, 26]);

/** The primary result code of an error of SQLite's; undefined for any other error. */
export function codeOf(error: unknown): number | undefined {
  return error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : undefined;
}

/** Whether machine or file have failed, and not we. */
export function isEngineError(error: unknown): boolean {
  const code = codeOf(error);
  return code !== undefined && engineCodes.has(code);
}
