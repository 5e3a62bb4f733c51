/** Makes new codes and signatures. Recorded ones can't be used twice, and most are masked. */
import { magic, unsignedToken } from './magic.ts';

/** An action of a wallet that needs a proof. */
export interface Action {
  /** The wallet; undefined if no reply has named it. */
  readonly accountId: string | undefined;
  /** The credential that the action changes, if any. Another credential must sign. */
  readonly about: string | undefined;
}

/** Makes proofs as a wallet's device does. Undefined if a proof can't be made. */
export interface Prover {
  code(accountId: string | undefined): Promise<string | undefined>;
  /** @param name distinguishes passkeys. */
  attestation(recorded: Json, name: string, challenge: string): Promise<Json>;
  assertion(recorded: Json, name: string, challenge: string | undefined): Promise<Json | undefined>;
  /** @param nickname the credential's name, which comes from the e-mail address in a token. */
  registrationToken(recorded: string, nickname: string): Promise<string | undefined>;
  signInToken(recorded: string, nickname: string): Promise<string | undefined>;
  signature(payload: string | undefined, action: Action): Promise<string | undefined>;
  /** The client's public key to send instead of the recorded one. */
  publicKey(recorded: string): Promise<string>;
  /** Reads a reply, which may contain a session's signing key. */
  note(body: unknown): Promise<void>;
}

export type Json = Readonly<Record<string, unknown>>;

/** Proves with magic values. */
export function magicProver(): Prover {
  return {
    code: async () => magic.code,
    // Sent unchanged.
    attestation: async (recorded) => recorded,
    assertion: async (recorded) => ({ ...recorded, signature: magic.passkeySignature }),
    registrationToken: async (_recorded, nickname) => unsignedToken(nickname),
    signInToken: async () => magic.oidcToken,
    signature: async () => magic.walletSignature,
    publicKey: async (recorded) => recorded,
    note: async () => {},
  };
}
