import pg from 'pg';

// SQLSTATE classes and codes (PostgreSQL, Appendix A) that concern the server or the connection, not a statement:
// connection, resources, intervention, system; a lock that wasn't granted in time, a transaction that was idle for too
// long, a read-only standby, a corrupted file. Any other code (a constraint, a wrong statement) is a fault of ours.
const unavailable = /^(?:08|40|53|57|58|XX|55P03|25P03|25006)/;

/** Whether the engine can't do its work. */
export function isUnavailable(error: unknown): boolean {
  return unavailable.test(sqlState(error));
}

/**
 * Whether a unit of work that failed with this error may succeed when it is repeated. Each platform has its own lock,
 * but two platforms can collide on a value that must be unique among all. That causes a deadlock (40P01) or a duplicate
 * row (23505). When the work is repeated, its own check finds the other's value. If the violation repeats, it is a
 * fault of ours. 40001 is PostgreSQL's code for any other conflict.
 */
export function isConflict(error: unknown): boolean {
  return ['40001', '40P01', '23505'].includes(sqlState(error));
}

/** Explains why a database can't be opened and what to do, to the person who started the process. */
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

/** The server's code for its error; empty if the error isn't the server's. */
function sqlState(error: unknown): string {
  return error instanceof pg.DatabaseError ? (error.code ?? '') : '';
}

/** The same, or Node's code for a network error. */
function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
