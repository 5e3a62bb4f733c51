/** The differences that a recorded reply and ours can have. */
import type { Place, RuleId } from '../rules/rule.ts';

/** A difference: one fact of the reply that isn't as recorded. */
export interface Difference {
  readonly in: Place;
  /** JSON pointer inside `in`; empty for the whole. */
  readonly pointer: string;
  readonly rule: Extract<RuleId, `replay/${string}`>;
  /** Continues a sentence that starts with the pointer. */
  readonly message: string;
  /** The recorded value and the new one, secrets masked; absent if there was none. */
  readonly recorded?: unknown;
  readonly ours?: unknown;
}
