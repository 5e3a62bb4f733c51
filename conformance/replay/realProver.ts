/** Makes real proofs with the replay's own keys: codes from the outbox, passkeys, tokens and stamps. */
import { createWalletKeys, openSessionKey, type SessionKey, stamp, type WalletKeys } from '../../client/index.ts';
import { createPasskey, type Passkey } from './passkey.ts';
import type { Steering } from './platform.ts';
import type { Json, Prover } from './prover.ts';
import type { Wallets } from './wallets.ts';

/** A session, with its opened signing key. */
interface Session {
  readonly accountId: unknown;
  /** These fields identify the credential that created the session: the session doesn't name it. */
  readonly type: unknown;
  readonly nickname: unknown;
  readonly credentialId: unknown;
  readonly key: SessionKey;
}

/** @param wallets what our replies have said so far. */
export function realProver(steering: Steering, wallets: Wallets): Prover {
  const keys = new Map<string, WalletKeys>();
  const passkeys = new Map<string, Passkey>();
  const sessions: Session[] = [];
  const token = (nickname: string): Promise<string> => steering.idToken({ sub: nickname, email: nickname });
  return {
    code: async (accountId) => (accountId === undefined ? undefined : steering.code(accountId)),
    async attestation(_recorded, name, challenge) {
      const passkey = passkeys.get(name) ?? createPasskey(name);
      passkeys.set(name, passkey);
      return passkey.attest(challenge);
    },
    // Without a challenge there is nothing to sign. The service reports that before it checks the signature.
    assertion: async (_recorded, name, challenge = 'bm9uZQ') => passkeys.get(name)?.assert(challenge),
    registrationToken: async (_recorded, nickname) => token(nickname),
    signInToken: async (_recorded, nickname) => token(nickname),
    async signature(payload = '', { accountId, about }) {
      const target = about === undefined ? undefined : wallets.credential(about);
      const able = sessions.findLast(
        (session) =>
          (accountId === undefined || session.accountId === accountId) &&
          !(
            target !== undefined &&
            session.type === target.type &&
            session.nickname === target.nickname &&
            session.credentialId === target.credentialId
          ),
      );
      return able === undefined ? undefined : stamp(payload, able.key);
    },
    async publicKey(recorded) {
      // A retry contains a key that was already replaced by ours.
      const known = [...keys.values()].find(({ publicKeyHex }) => publicKeyHex === recorded);
      const pair = known ?? keys.get(recorded) ?? (await createWalletKeys());
      keys.set(recorded, pair);
      return pair.publicKeyHex;
    },
    async note(body) {
      const { encryptedSessionSigningKey: sealed, accountId, type, nickname, credentialId } = (body ?? {}) as Json;
      if (typeof sealed !== 'string') return;
      const key = await openAny(sealed, [...keys.values()].reverse());
      if (key !== undefined) sessions.push({ accountId, type, nickname, credentialId, key });
    },
  };
}

/** The session's key, which is sealed to one of these pairs. */
async function openAny(sealed: string, pairs: readonly WalletKeys[]): Promise<SessionKey | undefined> {
  for (const pair of pairs) {
    const opened = await openSessionKey(sealed, pair).catch(() => undefined);
    if (opened !== undefined) return opened;
  }
  return undefined;
}
