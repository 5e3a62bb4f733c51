import type { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { parseTimestamp } from '../kernel/clock.ts';
import { isP256Point } from '../kernel/seal.ts';

/**
 * The formats that the contract uses: the stock ones, `date-time` in the strict sense of RFC 3339 (D37), and
 * `p256-point`, an uncompressed public key that lies on the curve (D17).
 */
export function addContractFormats(ajv: Ajv2020): void {
  addFormats.default(ajv);
  ajv.addFormat('date-time', (text: string) => parseTimestamp(text) !== null);
  ajv.addFormat('p256-point', isP256Point);
}
