/** Makes new codes and signatures. Those of a recording can't be used twice, and most of them are masked. */
import { magic, unsignedToken } from './magic.ts';

/** A wallet's action that is to be proved. */
export interface Action {
  /** The wallet; undefined where no reply has named it. */
  readonly accountId: string | undefined;
  /** The credential that the action is about, if it is about one: another must sign. */
  readonly about: string | undefined;
}

/** Makes proofs as a wallet's device does. Undefined for one that it can't make. */
export interface Prover {
  code(accountId: string | undefined): Promise<string | undefined>;
  /** @param name what tells one passkey from another. */
  attestation(recorded: Json, name: string, challenge: string): Promise<Json>;
  assertion(recorded: Json, name: string, challenge: string | undefined): Promise<Json | undefined>;
  /** @param nickname what the credential is called, which a token's e-mail address gives it. */
  registrationToken(recorded: string, nickname: string): Promise<string | undefined>;
  signInToken(recorded: string, nickname: string): Promise<string | undefined>;
  signature(payload: string | undefined, action: Action): Promise<string | undefined>;
  /** The client's public key to send in the place of a recorded one. */
  publicKey(recorded: string): Promise<string>;
  /** Reads a reply, which may hold a session's signing key. */
  note(body: unknown): Promise<void>;
}

export type Json = Readonly<Record<string, unknown>>;

/** Proves by magic values. */
export function magicProver(): Prover {
  return {
    code: async () => magic.code,
    // Taken as it is.
    attestation: async (recorded) => recorded,
    assertion: async (recorded) => ({ ...recorded, signature: magic.passkeySignature }),
    registrationToken: async (_recorded, nickname) => unsignedToken(nickname),
    signInToken: async () => magic.oidcToken,
    signature: async () => magic.walletSignature,
    publicKey: async (recorded) => recorded,
    note: async () => {},
  };
}
