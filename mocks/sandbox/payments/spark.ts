/**
 * Writes addresses and invoices of the Spark network's regtest in the network's own form: bech32m over a protobuf
 * message (`identity_public_key`, `spark_invoice_fields`). The message has only six fields, so they are written here: a
 * protobuf library would be larger (D86).
 */

import { secp256k1 } from '@noble/curves/secp256k1.js';
import { bech32m } from '@scure/base';
import { decodeHex } from '../../../contract/encodings.ts';
import { sha256 } from '../node/machine/crypto.ts';

/** The payment that an invoice asks for. */
export interface SparkRequest {
  /** Identifies the receiver. The same id always has the same address. */
  readonly receiver: string;
  readonly asset: 'BTC' | 'USDB';
  /** In the smallest unit of the asset. */
  readonly amount: number;
  /** Milliseconds since 1970. An invoice has whole seconds, rounded down. */
  readonly expiresAt: number;
  /** At most 120 bytes of UTF-8. */
  readonly memo: string;
}

const prefix = 'sparkrt';
// The network allows more than the 90 characters of BIP 350.
const maxLength = 1024;
// There will never be more bitcoin than this, so the network has no invoice for more.
const maxSatoshis = 2_100_000_000_000_000;

/** The regtest address for an id, always the same. */
export function sparkAddress(id: string): string {
  return encode(bytesField(1, publicKeyOf(id)));
}

/** The invoice, without a signature. @returns undefined if the network can't request the amount */
export function sparkInvoice({ receiver, asset, amount, expiresAt, memo }: SparkRequest): string | undefined {
  if (asset === 'BTC' && amount > maxSatoshis) return undefined;
  const fields = [
    ...numberField(1, 1),
    ...bytesField(2, sha256(`${receiver} invoice`).subarray(0, 16)),
    ...bytesField(5, new TextEncoder().encode(memo)),
    ...bytesField(7, numberField(1, Math.floor(expiresAt / 1000))),
    ...(asset === 'BTC' ? bytesField(4, numberField(1, amount)) : bytesField(3, tokenPayment(amount))),
  ];
  return encode([...bytesField(1, publicKeyOf(receiver)), ...bytesField(2, fields)]);
}

// The sandbox's own token. USDB on the real network has another identifier.
const sandboxUsdb = sha256('sandbox token USDB');

function tokenPayment(amount: number): number[] {
  const hex = amount.toString(16);
  const bytes = decodeHex(hex.padStart(hex.length + (hex.length % 2), '0')) ?? new Uint8Array();
  return [...bytesField(1, sandboxUsdb), ...bytesField(2, bytes)];
}

function publicKeyOf(id: string): Uint8Array {
  // A hash isn't a valid private key in only one of 2^128 cases, so this doesn't fail in practice.
  return secp256k1.getPublicKey(sha256(`${id} spark`), true);
}

function encode(message: readonly number[]): string {
  return bech32m.encode(prefix, bech32m.toWords(Uint8Array.from(message)), maxLength);
}

/** A protobuf field of wire type 0. `value` is a whole number from 0 to 2^53 - 1. */
function numberField(field: number, value: number): number[] {
  return [field << 3, ...varint(value)];
}

/** A protobuf field of wire type 2. */
function bytesField(field: number, bytes: Uint8Array | readonly number[]): number[] {
  return [(field << 3) | 2, ...varint(bytes.length), ...bytes];
}

function varint(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))];
}
