/** What a check found, and how it is written down: finding by finding, so that nothing is kept. */
import type { OperationId } from '../../generated/operations.ts';
import type { FoundedBreach } from '../rules/rule.ts';

export interface Finding extends FoundedBreach {
  readonly file: string;
  /**
   * The index is counted from 0, as in `log.entries`, the line in the file from 1, where there is a text file to look at; the
   * time is as the recording has it.
   */
  readonly entry: { readonly index: number; readonly line: number | null; readonly startedDateTime: string | null };
  /** Null where the request means no operation. */
  readonly operationId: OperationId | null;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  /** Whether it ends the check with 1; by `basis` and --fail-on, or by what was pinned. */
  readonly fails: boolean;
  /** What a replay has found in the two replies; absent where there was nothing, and from a check. */
  readonly recorded?: unknown;
  readonly ours?: unknown;
  /** Why a difference is expected, if it is. */
  readonly pinned?: string;
}

export interface Summary {
  files: number;
  entries: number;
  judged: number;
  findings: number;
  /** Those that end the check with 1. The others rest on decisions only, and are shown. */
  failing: number;
  /** Requests that break the contract and were refused as it says. */
  refusals: number;
  /** Bodies that a recording does not have; they were not judged. */
  unrecordedBodies: number;
  /** Entries that a fault of ours kept from being judged. */
  unjudged: number;
  /** Why entries were passed over. */
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

/** A file that could not be read, or not to its end; or one of its entries that a fault of ours kept from being judged. */
export interface Unreadable {
  readonly file: string;
  /** The entry, if it's about one. */
  readonly entry?: number;
  /** What it is about, as a title; `Not judged` if absent. */
  readonly title?: string;
  readonly message: string;
  readonly remedy: string;
}

/** @typeParam S what is counted: {@link Summary}, or what another command counts. */
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

/** ` [pinned: why]` behind a difference that is expected. */
export function describePin({ pinned }: Finding): string {
  return pinned === undefined ? '' : ` [pinned: ${pinned}]`;
}
