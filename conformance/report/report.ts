/** The findings of a check, and how reports write them. A report gets them one by one, so none is kept in memory. */
import type { OperationId } from '../../generated/operations.ts';
import type { FoundedBreach } from '../rules/rule.ts';

export interface Finding extends FoundedBreach {
  readonly file: string;
  /**
   * The index counts from 0, as in `log.entries`. The line counts from 1; it is null if the file isn't plain text. The
   * time is the recorded text.
   */
  readonly entry: { readonly index: number; readonly line: number | null; readonly startedDateTime: string | null };
  /** Null if the request fits no operation. */
  readonly operationId: OperationId | null;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  /** Whether it ends the check with 1. This depends on `basis` and --fail-on, or on the expected differences. */
  readonly fails: boolean;
  /** What a replay found in the two replies; absent if there was nothing, and in a check. */
  readonly recorded?: unknown;
  readonly ours?: unknown;
  /** Why the difference is expected, if it is. */
  readonly pinned?: string;
}

export interface Summary {
  files: number;
  entries: number;
  judged: number;
  findings: number;
  /** Findings that end the check with 1. The others break only decisions, and are shown. */
  failing: number;
  /** Requests that break the contract and were refused as it says. */
  refusals: number;
  /** Bodies that the recording lacks. They weren't judged. */
  unrecordedBodies: number;
  /** Entries that couldn't be judged because of a fault of ours. */
  unjudged: number;
  /** Why entries were skipped. */
  skipped: { elsewhere: number; control: number; preflight: number; 'no-reply': number };
}

export function emptySummary(): Summary {
  const skipped = { elsewhere: 0, control: 0, preflight: 0, 'no-reply': 0 };
  return {
    files: 0,
    entries: 0,
    judged: 0,
    findings: 0,
    failing: 0,
    refusals: 0,
    unrecordedBodies: 0,
    unjudged: 0,
    skipped,
  };
}

/** A file that couldn't be read to its end, or an entry that couldn't be judged because of a fault of ours. */
export interface Unreadable {
  readonly file: string;
  /** The entry, if the problem is in one. */
  readonly entry?: number;
  /** A title; `Not judged` if absent. */
  readonly title?: string;
  readonly message: string;
  readonly remedy: string;
}

/** @typeParam S the counts: {@link Summary}, or those of another command. */
export interface Report<S = Summary> {
  finding(finding: Finding): void;
  unreadable(unreadable: Unreadable): void;
  end(summary: S): void;
}

export type Write = (text: string) => void;

/** A value as one short line of JSON. */
export function shortValue(value: unknown): string {
  const text = JSON.stringify(value) ?? 'undefined';
  return text.length > 120 ? `${text.slice(0, 117)}...` : text;
}

/** Writes ` [pinned: why]` after an expected difference. */
export function describePin({ pinned }: Finding): string {
  return pinned === undefined ? '' : ` [pinned: ${pinned}]`;
}
