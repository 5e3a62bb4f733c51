import pg from 'pg';

// SQLSTATE classes and codes (PostgreSQL, Appendix A) for what is wrong with server or connection, not with a statement:
// connection, resources, intervention, system; a lock that was not given in time, a transaction that was idle for too
// long, a read-only standby, a corrupted file. Any other (a constraint, a wrong statement) is a fault of ours.
const unavailable = /^(?:08|40|53|57|58|XX|55P03|25P03|25006)/;

/** The engine can't keep its promise. */
export function isUnavailable(error: unknown): boolean {
  return unavailable.test(sqlState(error));
}

/**
 * A unit of work that ended in this error may end otherwise when it is done again. Two platforms can meet in a value that
 * is unique among all of them, although each has a lock of its own: in a deadlock (40P01), or in a row that is there
 * already (23505). Done again, the work's own check finds the other's value; a violation that keeps coming back is a
 * fault of ours. 40001 is PostgreSQL's word for a conflict of any other kind.
 */
export function isConflict(error: unknown): boolean {
  return ['40001', '40P01', '23505'].includes(sqlState(error));
}

/** Why a database can't be opened, and what to do about it, for the person who started the process. */
export function explain(error: unknown): Error {
  const cause = error instanceof AggregateError ? error.errors[0] : error;
  const message = cause instanceof Error ? cause.message : String(cause);
  const advice = adviceFor(codeOf(cause), message);
  return new Error(advice === undefined ? message : `${message}. ${advice}`, { cause: error });
}

function adviceFor(code: string, message: string): string | undefined {
  if (/statement pooling mode/.test(message)) {
    return 'The sandbox needs transactions: set pool_mode of the pooler to transaction or session';
  }
  if (/unsupported startup parameter/.test(message)) {
    return "The pooler refuses a setting of the address: remove it, or list it in the pooler's ignore_startup_parameters";
  }
  if (code === '3D000') return 'Create it first: createdb, or CREATE DATABASE';
  if (code.startsWith('28')) return 'Check user and password; in an address they are percent-encoded';
  if (code === '42501') return 'The sandbox makes its own tables: give the user CREATE on the schema';
  if (/^(?:ECONN|ENOTFOUND|EAI_AGAIN|EHOST|ENET|ETIMEDOUT|ENOENT)/.test(code) || /time-?out/i.test(message)) {
    return 'Check that PostgreSQL runs there and that host and port are right';
  }
  return undefined;
}

/** What the server calls its error; empty for an error of anybody else. */
function sqlState(error: unknown): string {
  return error instanceof pg.DatabaseError ? (error.code ?? '') : '';
}

/** The same, or what Node calls an error of the network. */
function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
