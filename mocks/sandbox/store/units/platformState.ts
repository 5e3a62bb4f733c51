import { defaultProofSettings, type ProofSettings } from '../../proofs/proofs.ts';
import { type ClockState, runningClock } from '../../tools/clock.ts';

/** What a platform keeps besides its records: its clock, the settings for checking proofs, and planted faults. */
export interface PlatformState extends ProofSettings {
  readonly clock: ClockState;
  readonly faults: PlantedFaults;
  /** Only if the platform was imported: the hex seed of its derived bytes, so that they stay the same. */
  readonly derivationKey?: string;
}

/** Failures that the interface can't cause. The control surface plants them. */
export interface PlantedFaults {
  /** The change of a customer's e-mail fails at the EMAIL_OTP credential with this index, counted from 0. */
  readonly emailOtpSync?: { readonly failAt: number };
  /** Rules for any operation. The first one that fits a request applies. */
  readonly rules?: readonly FaultRule[];
}

/** A fault in the requests of an operation. */
export interface FaultRule {
  /** `*` for all operations. */
  readonly operation: string;
  /** Refuse with this status instead of carrying it out. */
  readonly status?: number;
  readonly code?: string;
  /** Delay the answer by this time, in milliseconds of the machine's clock. */
  readonly delayMs?: number;
  /** Break the connection instead of answering: before the work, or after all of it. */
  readonly drop?: 'before' | 'after';
  /** The number of requests left; all requests if absent. */
  readonly times?: number;
}

/** The initial state of a platform: its clock runs with the machine's, its proofs are `magic`. */
export const freshPlatform: PlatformState = { clock: runningClock, ...defaultProofSettings, faults: {} };
