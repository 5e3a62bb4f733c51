/** The identity of a payment. The model's name for it becomes the `Idempotency-Key`, so a repeated call pays once. */

const scope = 'countersign/mcp/payment';

/** Makes a key for a payment without a name. It is returned, so that the model can use it for a repetition. */
export function newPaymentKey(): string {
  return crypto.randomUUID();
}

/**
 * The `Idempotency-Key` of a payment: a UUID of version 8 (RFC 9562) from SHA-256 of its name. The interface keeps keys
 * per agent, method and path, so the same name in another tool is another key.
 */
export async function idempotencyKeyOf(paymentKey: string): Promise<string> {
  const text = new TextEncoder().encode(`${scope}\n${paymentKey}`);
  const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', text)).slice(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
