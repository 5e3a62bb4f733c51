import { operation } from '../operation.ts';
import { checkExecutable, checkSignature, executePayment } from './procedures/payments.ts';
import { mustFindQuote, viewQuote } from './records.ts';

/**
 * POST /quotes/{quoteId}/execute: moves the money. If the payment fails, the reply is a FAILED quote and not an error.
 * A wallet's owner signs the quote's payload, without a 202 step (D28, D30, order of checks D72).
 */
export const executeQuote = operation('executeQuote', {
  async handle({ path, headers }, unit) {
    const quote = await mustFindQuote(unit, path.quoteId);
    await checkExecutable(unit, quote);
    await checkSignature(unit, quote, headers['Service-Wallet-Signature']);
    return { status: 200, body: viewQuote(await executePayment(unit, quote)) };
  },
});
