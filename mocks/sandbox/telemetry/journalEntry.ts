import type { OperationId } from '../../../generated/operations.ts';
import type { Capture } from '../../../traffic/capture.ts';
import type { FaultRule } from '../store/units/platformState.ts';

/** The reply in a capture. */
export type CapturedReply = Pick<Capture, 'status' | 'responseHeaders' | 'responseBody'>;

/** An exchange and its operation. Its secrets are unmasked, so mask it before you show it. */
export interface JournalEntry extends Capture {
  /** Grows across all platforms of this process. */
  readonly id: number;
  /** Null if the request was refused before it reached an operation. */
  readonly operationId: OperationId | null;
  /** The fault rule that acted on it. */
  readonly fault?: FaultRule;
  /** The reply that the rule kept from the app. */
  readonly withheld?: CapturedReply;
}
