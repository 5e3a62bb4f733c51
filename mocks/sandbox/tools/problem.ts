import { maxFaults } from '../../../contract/bounds.ts';
import type { Fault } from '../../../contract/faults.ts';
import { type ErrorCode, errorStatus } from '../../../generated/operations.ts';
import { given } from './given.ts';

export interface ProblemFacts {
  /** Names the failed check. The client gets it as the body's top-level `reason`. */
  readonly reason?: string;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * A refusal that the contract knows. Any code below the pipeline can throw it; inside a unit of work it rolls the unit
 * back. The code decides the status (one catalogue: `ApiError` in the contract). The text is written for the client,
 * and never contains an exception's own text.
 */
export class Problem extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly reason: string | undefined;
  readonly details: Readonly<Record<string, unknown>> | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ErrorCode, message: string, facts: ProblemFacts = {}) {
    super(message);
    this.name = 'Problem';
    this.code = code;
    this.status = errorStatus[code];
    this.reason = facts.reason;
    this.details = facts.details;
    this.headers = facts.headers ?? {};
  }

  /** The reply's body: `ApiError` of the contract. */
  body(): Record<string, unknown> {
    return {
      status: this.status,
      code: this.code,
      message: this.message,
      ...given({ reason: this.reason, details: this.details }),
    };
  }
}

/**
 * 400 that lists every fault (D05).
 * @param faults at least one.
 * @param code a 400 code of the operation; `INVALID_INPUT` unless the fault has its own code.
 */
export function invalid(faults: readonly Fault[], code: ErrorCode = 'INVALID_INPUT'): Problem {
  const [first] = faults;
  const where = first === undefined || first.pointer === '' ? (first?.in ?? 'request') : `${first.in} ${first.pointer}`;
  const more = faults.length > 1 ? ` (and ${faults.length - 1} more, see details.errors)` : '';
  return new Problem(code, `Invalid ${where}: ${first?.message ?? 'not acceptable'}${more}.`, {
    // Only the fields that the contract shows to clients. The step that found a fault may know more.
    details: {
      errors: faults.slice(0, maxFaults).map(({ in: place, pointer, message }) => ({ in: place, pointer, message })),
    },
  });
}

/** 400 for one field of the body. `pointer` is a JSON pointer into the body. */
export function invalidField(pointer: string, message: string, code: ErrorCode = 'INVALID_INPUT'): Problem {
  return invalid([{ in: 'body', pointer, message }], code);
}

/** Turns the refusal of a part into one of the whole body. `pointer` is the place of the part. */
export function placeBelow(pointer: string, problem: Problem): Problem {
  const faults = (problem.details?.['errors'] ?? []) as readonly Fault[];
  if (faults.length === 0) return new Problem(problem.code, `${problem.message} (${pointer})`);
  return invalid(
    faults.map((fault) => ({ ...fault, pointer: pointer + fault.pointer })),
    problem.code,
  );
}

/** A fault of ours, not of the request. The client learns only that; the log gets `facts`. */
export class SandboxBug extends Error {
  readonly facts: Readonly<Record<string, unknown>>;

  constructor(message: string, facts: Readonly<Record<string, unknown>>) {
    super(message);
    this.name = 'SandboxBug';
    this.facts = facts;
  }
}

/** The store couldn't do the work. Nothing of it was stored. */
export class StorageUnavailable extends Error {
  constructor(cause: unknown) {
    super('The storage engine refused the work', { cause });
    this.name = 'StorageUnavailable';
  }
}

/** The store lost its connection, or its disk, while it committed the work. The work may be stored, or not. */
export class OutcomeUnknown extends StorageUnavailable {}

/** The stored data was changed or damaged, so repeating the request doesn't help. */
export class StorageDamaged extends StorageUnavailable {}
