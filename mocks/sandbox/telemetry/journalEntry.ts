import type { OperationId } from '../../../generated/operations.ts';
import type { Capture } from '../../../traffic/capture.ts';

/** An exchange and the operation that it was of. Its secrets are as they were sent: mask before it is shown. */
export interface JournalEntry extends Capture {
  /** Counts up over all platforms of this process. */
  readonly id: number;
  readonly operationId: OperationId;
}
