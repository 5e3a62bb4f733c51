import { operation } from '../operation.ts';
import { openQuote } from './procedures/opening.ts';
import { executePayment } from './procedures/payments.ts';
import { viewQuote } from './records.ts';

/**
 * POST /quotes: creates a quote for a payment at a fixed price for five minutes. Its transaction exists from the start
 * (D26 to D28, D69, order of checks D72).
 */
export const createQuote = operation('createQuote', {
  async handle({ body }, unit) {
    const quote = await openQuote(unit, body);
    return {
      status: 201,
      body: viewQuote(body.immediatelyExecute === true ? await executePayment(unit, quote) : quote),
    };
  },
});
