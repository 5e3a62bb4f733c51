import type { RegistrationProof } from '../domains/auth/records.ts';
import type { ProofSettings } from '../proofs/proofs.ts';
import { recordTable } from '../store/records/table.ts';

/** A request that waits for its second step: the signed retry of an operation, or the assertion of a passkey. */
export type PendingRecord = {
  readonly id: string;
  readonly expiresAt: number;
  readonly used: boolean;
} & (
  | {
      readonly kind: 'SIGNED_RETRY';
      readonly accountId: string;
      /** The operation and its path parameters, as one text. */
      readonly target: string;
      readonly bodyHash: string;
      readonly payloadToSign: string;
      /** For an e-mail change: the EMAIL_OTP credentials that change with it (D61). */
      readonly credentialSet?: readonly string[];
      /**
       * For a registration: what its body proved on the first call, and with which proofs. It counts on the retry
       * (D15).
       */
      readonly proven?: { readonly proofs: ProofSettings['proofs']; readonly verdict: RegistrationProof };
    }
  | {
      readonly kind: 'PASSKEY';
      readonly credentialId: string;
      readonly clientPublicKey: string;
      readonly challenge: string;
    }
);

export const pendingRequests = recordTable<PendingRecord, 'expires_at'>({
  name: 'pending_requests',
  columns: (pending) => ({ expires_at: pending.expiresAt }),
  expiry: 'expires_at',
});
