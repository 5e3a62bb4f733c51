import { operation } from '../operation.ts';
import { openQuote } from './procedures/opening.ts';
import { executePayment } from './procedures/payments.ts';
import { viewQuote } from './records.ts';

/**
 * POST /quotes: a payment at a fixed price for five minutes; its transaction is there from the beginning (D26 to D28,
 * D69, order of checks D72).
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
