import { v7 } from 'uuid';
import { hmacSha256, randomBytes } from '../node/machine/crypto.ts';

/** The source of randomness for ids, secrets and sealing. */
export interface Chance {
  bytes(length: number): Uint8Array<ArrayBuffer>;
}

/**
 * Makes the randomness for one piece of work, which `scope` names. A seeded source returns the same bytes for the same
 * scope. So a run repeats byte for byte (D43), across restarts and processes, without a shared generator.
 */
export interface ChanceSource {
  scope(name: string): Chance;
}

/** The machine's cryptographic randomness, fetched in larger pieces, because each call costs more than its bytes. */
export const systemChance: ChanceSource = createSystemChance();

function createSystemChance(): ChanceSource {
  const pieceLength = 4096;
  let piece = new Uint8Array();
  let used = 0;
  const bytes = (length: number): Uint8Array<ArrayBuffer> => {
    if (length > pieceLength) return randomBytes(length);
    if (used + length > piece.length) {
      piece = randomBytes(pieceLength);
      used = 0;
    }
    const taken = piece.slice(used, used + length);
    // Bytes that were returned are erased: a key must not stay in memory that doesn't belong to it.
    piece.fill(0, used, used + length);
    used += length;
    return taken;
  };
  return { scope: () => ({ bytes }) };
}

/**
 * Reproducible randomness for `--seed`: HMAC-SHA-256 of the seed over the scope and a counter. Anyone who knows the
 * seed knows every secret, as a repeatable run requires. It is only for a sandbox.
 */
export function seededChance(seed: number): ChanceSource {
  return {
    scope: (name) => {
      let block = 0;
      return {
        bytes: (length) => {
          const out = new Uint8Array(length);
          for (let filled = 0; filled < length; block += 1) {
            const chunk = hmacSha256(`countersign-seed-${seed}`, `${name}#${block}`);
            out.set(chunk.subarray(0, length - filled), filled);
            filled += chunk.length;
          }
          return out;
        },
      };
    },
  };
}

/** The types that an id can start with: those in the contract's patterns of ids. */
export type IdType =
  | 'Agent'
  | 'AgentAction'
  | 'AuthMethod'
  | 'BeneficialOwner'
  | 'Customer'
  | 'DeviceCode'
  | 'ExternalAccount'
  | 'InternalAccount'
  | 'Lookup'
  | 'OutboxMessage'
  | 'PlatformConfig'
  | 'Posting'
  | 'Quote'
  | 'Request'
  | 'Session'
  | 'Token'
  | 'Transaction'
  | 'Verification';

/** A new id `<Type>:<UUIDv7>`. Its time part is the platform's clock. `now` is in milliseconds. */
export function makeId(type: IdType, now: number, chance: Chance): string {
  return `${type}:${makeUuid(now, chance)}`;
}

/** A UUID version 7 (RFC 9562). `now` is in milliseconds. */
export function makeUuid(now: number, chance: Chance): string {
  return v7({ msecs: now, random: chance.bytes(16) });
}
