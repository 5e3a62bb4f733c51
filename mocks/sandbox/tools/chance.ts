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

/** A new id `<Type>:<UUIDv7>`. Its time part is the platform's clock. `now` is in milliseconds. */
export function makeId(type: IdType, now: number, chance: Chance): string {
  return `${type}:${makeUuid(now, chance)}`;
}

const hex: readonly string[] = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/**
 * A UUID version 7 (RFC 9562, 5.7): 48 bits of time, then chance. `now` in milliseconds. Written here because the library
 * for it brings every version, in 20 modules at each start.
 */
export function makeUuid(now: number, chance: Chance): string {
  const bytes = chance.bytes(16);
  const view = new DataView(bytes.buffer, bytes.byteOffset, 16);
  // Version and variant take bits in the middle, so what follows moves on: as the `uuid` package does it.
  const sequence = view.getUint32(6) & 0x7fffffff;
  view.setUint16(0, Math.floor(now / 2 ** 32));
  view.setUint32(2, now % 2 ** 32);
  view.setUint16(6, 0x7000 | (sequence >>> 20));
  view.setUint16(8, 0x8000 | ((sequence >>> 6) & 0x3fff));
  view.setUint8(10, ((sequence << 2) & 0xff) | (view.getUint8(10) & 0x03));
  const at = (from: number, to: number): string => {
    let text = '';
    for (let place = from; place < to; place += 1) text += hex[view.getUint8(place)];
    return text;
  };
  return `${at(0, 4)}-${at(4, 6)}-${at(6, 8)}-${at(8, 10)}-${at(10, 16)}`;
}
