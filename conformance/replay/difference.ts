/** What can differ between a recorded reply and ours. */
import type { Place, RuleId } from '../rules/rule.ts';

/** A difference: one fact of the reply that isn't as it was recorded. */
export interface Difference {
  readonly in: Place;
  /** JSON pointer from `in` on; empty for the whole. */
  readonly pointer: string;
  readonly rule: Extract<RuleId, `replay/${string}`>;
  /** Continues the sentence that begins with the pointer. */
  readonly message: string;
  /** What the recording has, and what came now, secrets masked; absent where there was nothing. */
  readonly recorded?: unknown;
  readonly ours?: unknown;
}
