/** The exit codes of every command and script. The table for users is cli/README.md. */

/** What a process ends with. The highest that applies wins. */
export const exitCodes = {
  /** All is well. */
  fine: 0,
  /** What was looked at isn't as it should be. */
  findings: 1,
  /** The command can't do what was typed, or not here: a flag, a file, a port, a tool that is missing. */
  wrongUse: 2,
  /** Countersign itself failed. */
  ourFault: 3,
} as const;

/** Ends a command with 2. The message is for the user: what is wrong, and what to do. */
export class WrongUse extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'WrongUse';
  }
}

/** Ends a command with 1. The message is what was found. */
export class Finding extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'Finding';
  }
}

/**
 * Turns an error into a finding if its message is one that we wrote for users: a plain Error, not a TypeError of a fault
 * of ours and not one of the system.
 */
export function asFinding(error: unknown): unknown {
  const isPlain = error instanceof Error && error.constructor === Error && !('code' in error);
  return isPlain ? new Finding(error.message) : error;
}
