import { v7 } from 'uuid';
import { hmacSha256, randomBytes } from '../node/machine/crypto.ts';

/** Where ids, secrets and sealing take their randomness from. */
export interface Chance {
  bytes(length: number): Uint8Array<ArrayBuffer>;
}

/**
 * Makes the chance of one piece of work. `scope` names that piece; a seeded source gives the same bytes for the same
 * scope, so a run repeats byte for byte (D43) across restarts and processes without a shared generator.
 */
export interface ChanceSource {
  scope(name: string): Chance;
}

/** Cryptographic randomness of the machine, fetched in larger pieces: asking for it costs more than it does. */
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
    // What was given out is not kept: a key must not lie about in memory that is no longer its own.
    piece.fill(0, used, used + length);
    used += length;
    return taken;
  };
  return { scope: () => ({ bytes }) };
}

/**
 * Reproducible chance for `--seed`: HMAC-SHA-256 of the seed over the scope and a counter. Anyone who knows the seed
 * knows every secret, which is what a repeatable run means; never meant for anything but a sandbox.
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

/** The types an id can begin with: those of the patterns of ids in the contract. */
export type IdType =
  | 'Agent'
  | 'AgentAction'
  | 'AuthMethod'
  | 'BeneficialOwner'
  | 'Customer'
  | 'DeviceCode'
  | 'Effect'
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

/** A new id `<Type>:<UUIDv7>` whose time part is the platform's clock. `now` in milliseconds. */
export function makeId(type: IdType, now: number, chance: Chance): string {
  return `${type}:${makeUuid(now, chance)}`;
}

/** A UUID version 7 (RFC 9562). `now` in milliseconds. */
export function makeUuid(now: number, chance: Chance): string {
  return v7({ msecs: now, random: chance.bytes(16) });
}
