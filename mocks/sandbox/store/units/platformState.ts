import { defaultProofSettings, type ProofSettings } from '../../proofs/proofs.ts';
import { type ClockState, runningClock } from '../../tools/clock.ts';

/** What a platform keeps beside its records: its clock, what proofs are checked against, and planted faults. */
export interface PlatformState extends ProofSettings {
  readonly clock: ClockState;
  readonly faults: PlantedFaults;
  /** If the platform was imported: the hex seed of its derived bytes, so that they stay the same. */
  readonly derivationKey?: string;
}

/** Failures that can't be brought about through the interface, planted by the control surface. */
export interface PlantedFaults {
  /** The sync of a customer's e-mail fails at the EMAIL_OTP credential with this index, counted from 0. */
  readonly emailOtpSync?: { readonly failAt: number };
  /** For any operation; the first that fits a request is carried out. */
  readonly rules?: readonly FaultRule[];
}

/** What is to go wrong with the requests of an operation. */
export interface FaultRule {
  /** `*` for every one. */
  readonly operation: string;
  /** Refuse with this instead of carrying it out. */
  readonly status?: number;
  readonly code?: string;
  /** Answer so much later, in milliseconds of the machine's clock. */
  readonly delayMs?: number;
  /** Break the connection instead of answering: before anything was done, or after all of it. */
  readonly drop?: 'before' | 'after';
  /** How many requests it is still for; all of them when absent. */
  readonly times?: number;
}

/** A platform at its first moment: its clock runs with the machine's, its proofs are `magic`. */
export const freshPlatform: PlatformState = { clock: runningClock, ...defaultProofSettings, faults: {} };
