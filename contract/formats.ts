import type { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { isP256Point } from './p256.ts';
import { parseTimestamp } from './timestamps.ts';

// The form that we write ourselves, and the most frequent. It is checked without parsing. 29 February needs the full
// check.
const plain =
  /^\d{4}-(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31)T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;

// A pattern in the contract can't express this: some tools can't read a Unicode property (R31).
const plainName = /^[\p{L}\p{M}\p{N}._'()-]([\p{L}\p{M}\p{N} ._'()-]*[\p{L}\p{M}\p{N}._'()-])?$/u;

/**
 * Adds the formats that the contract uses: the standard ones, and four of our own:
 * - `date-time` in the strict sense of RFC 3339 (D37)
 * - `int64`
 * - `p256-point`: an uncompressed public key that is on the curve (D17)
 * - `plain-name`: letters and digits of any script, spaces and a little punctuation (D48)
 */
export function addContractFormats(ajv: Ajv2020): void {
  addFormats.default(ajv);
  ajv.addFormat('date-time', (text: string) => plain.test(text) || parseTimestamp(text) !== null);
  // A fraction already breaks `type: integer`, and each fault is reported once. The standard format would report it
  // again.
  ajv.addFormat('int64', { type: 'number', validate: (value: number) => Math.abs(value) <= 2 ** 63 });
  ajv.addFormat('p256-point', isP256Point);
  ajv.addFormat('plain-name', plainName);
}
