import { ed25519 } from '@noble/curves/ed25519.js';
import { p256 } from '@noble/curves/nist.js';
import { toHex } from '../node/machine/bytes.ts';

/** Numbers of COSE (RFC 9053; RFC 8230, 4): algorithms, key types, curves, and the parameters of a key. */
export const algorithms = { es256: -7, rs256: -257, edDsa: -8 } as const;
const keyTypes = { okp: 1, ec2: 2, rsa: 3 } as const;
const curves = { p256: 1, ed25519: 6 } as const;
const parameters = { kty: 1, alg: 3, crv: -1, x: -2, y: -3, n: -1, e: -2 } as const;

/** A passkey's public key, decoded from CBOR. */
type CoseKey = Pick<ReadonlyMap<number, unknown>, 'get'>;

/**
 * Why a key could never sign anybody in, or would sign everybody in. Null if the key is suitable for its algorithm
 * (D19). This is checked at registration, because at sign-in it would be too late: the wallet would be locked.
 */
export function findKeyFault(key: CoseKey): string | null {
  const kty = key.get(parameters.kty);
  switch (key.get(parameters.alg)) {
    case algorithms.es256:
      return kty === keyTypes.ec2 ? findEcFault(key) : 'an ES256 key must have the key type EC2';
    case algorithms.edDsa:
      return kty === keyTypes.okp ? findEdFault(key) : 'an EdDSA key must have the key type OKP';
    case algorithms.rs256:
      return kty === keyTypes.rsa ? findRsaFault(key) : 'an RS256 key must have the key type RSA';
    default:
      return 'the key must be for ES256, RS256 or EdDSA';
  }
}

function findEcFault(key: CoseKey): string | null {
  if (key.get(parameters.crv) !== curves.p256) return 'an ES256 key must be on the curve P-256';
  const [x, y] = [key.get(parameters.x), key.get(parameters.y)];
  // WebAuthn allows only the uncompressed form (L3, 5.8.5).
  if (!isBytes(x, 32) || !isBytes(y, 32)) return 'an ES256 key must have x and y of 32 bytes each';
  const isPoint = canMake(() => p256.Point.fromBytes(new Uint8Array([4, ...x, ...y])));
  return isPoint ? null : 'x and y of the key are not a point of P-256';
}

function findEdFault(key: CoseKey): string | null {
  if (key.get(parameters.crv) !== curves.ed25519) return 'an EdDSA key must be on the curve Ed25519';
  const x = key.get(parameters.x);
  if (!isBytes(x, 32)) return 'an EdDSA key must have x of 32 bytes';
  // For a key of small order, valid signatures can be made without the private key (RFC 8032, 8.9; WebCrypto, 25).
  const isSound = canMake(() => {
    if (ed25519.Point.fromBytes(x).isSmallOrder()) throw new Error('small order');
  });
  return isSound ? null : 'x of the key is not a point of Ed25519 that can be signed with';
}

/** The lengths of modulus that are safe for RS256 and that OpenSSL accepts. */
const modulusBits = { least: 2048, most: 16_384 } as const;
/** The longest public exponent that OpenSSL accepts with any modulus. */
const exponentBits = 64;

function findRsaFault(key: CoseKey): string | null {
  const [n, e] = [key.get(parameters.n), key.get(parameters.e)];
  if (!isBytes(n) || !isBytes(e)) return 'an RS256 key must have n and e';
  const [modulus, exponent] = [toNumber(n), toNumber(e)];
  const length = bitLength(modulus);
  if (length < modulusBits.least || length > modulusBits.most)
    return `an RS256 key must have a modulus of ${modulusBits.least} to ${modulusBits.most} bits`;
  if (isEven(modulus)) return 'the modulus of the key is even';
  // With e = 1 a signature is the message itself, so anyone could sign in.
  if (exponent < 3n || isEven(exponent) || bitLength(exponent) > exponentBits)
    return `the public exponent of the key must be odd, at least 3 and of at most ${exponentBits} bits`;
  return null;
}

function isBytes(value: unknown, length?: number): value is Uint8Array {
  return value instanceof Uint8Array && (length === undefined ? value.length > 0 : value.length === length);
}

function toNumber(bytes: Uint8Array): bigint {
  return BigInt(`0x${toHex(bytes)}`);
}

/** Zero counts as one bit. */
function bitLength(number: bigint): number {
  return number.toString(2).length;
}

function isEven(number: bigint): boolean {
  return (number & 1n) === 0n;
}

function canMake(make: () => unknown): boolean {
  try {
    make();
    return true;
  } catch {
    return false;
  }
}
