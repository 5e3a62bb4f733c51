import type { OperationId } from '../../../generated/operations.ts';
import type { Capture } from '../../../traffic/capture.ts';

/** An exchange and its operation. Its secrets are unmasked, so mask it before you show it. */
export interface JournalEntry extends Capture {
  /** Grows across all platforms of this process. */
  readonly id: number;
  readonly operationId: OperationId;
}
