/** The exit codes of every command and script. The table for users is cli/README.md. */

/** The exit code of a process. If several apply, the highest wins. */
export const exitCodes = {
  /** All is well. */
  fine: 0,
  /** The command found a fault in what it checked. */
  findings: 1,
  /** The command can't do what was typed, or can't do it here: a flag, a file, a port, a missing tool. */
  wrongUse: 2,
  /** Countersign itself failed. */
  ourFault: 3,
} as const;

/** Ends a command with exit code 2. The message tells the user what is wrong and what to do. */
export class WrongUse extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'WrongUse';
  }
}

/** Ends a command with exit code 1. The message is the finding. */
export class Finding extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'Finding';
  }
}

/**
 * Turns an error into a finding if we wrote its message for users. Such an error is a plain Error: not a TypeError,
 * which is a bug of ours, and not an error of the system.
 */
export function asFinding(error: unknown): unknown {
  const isPlain = error instanceof Error && error.constructor === Error && !('code' in error);
  return isPlain ? new Finding(error.message) : error;
}
