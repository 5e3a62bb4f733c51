import { p256 } from '@noble/curves/nist.js';

/** Whether a text is an uncompressed P-256 public key (SEC 1, 130 hex characters from 04) that is on the curve. */
export function isP256Point(text: string): boolean {
  if (!/^04[0-9a-fA-F]{128}$/.test(text)) return false;
  try {
    p256.Point.fromHex(text);
    return true;
  } catch {
    return false;
  }
}
