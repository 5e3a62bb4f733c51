import type { Quote } from '../generated/types.ts';

/**
 * Returns the payload of a quote that the wallet's owner signs. Send the signature as `Service-Wallet-Signature` when you
 * execute the quote.
 *
 * @param quote as the service returned it
 * @throws TypeError if the quote has no payload: only a quote that a wallet pays has one
 */
export function payloadToSign({ id, paymentInstructions = [] }: Quote): string {
  for (const { accountOrWalletInfo: info } of paymentInstructions) {
    if ('payloadToSign' in info) return info.payloadToSign;
  }
  throw new TypeError(`The quote ${id} has no payload to sign. Only a quote that a wallet pays has one.`);
}
