import { sayAmount } from '../../payments/currencies.ts';
import type { Unit } from '../../store/units/unit.ts';
import { invalidField } from '../../tools/problem.ts';
import { customers } from '../customers/records.ts';
import { operation } from '../operation.ts';
import { executePayment } from '../quotes/procedures/payments.ts';
import { mustFindQuote, type QuoteRecord, quotes } from '../quotes/records.ts';
import { checkIsPending } from '../quotes/rules.ts';
import { applyOutcome } from '../transfers/procedures/transactions.ts';
import { mustFindTransaction, viewOutgoing } from '../transfers/records.ts';
import { impossible } from '../transfers/rules.ts';

/** POST /sandbox/send: pays in exactly the amount that a REALTIME_FUNDING quote waits for (D76). */
export const sendSandboxPayment = operation('sendSandboxPayment', {
  async handle({ body }, unit) {
    const quote = await mustFindQuote(unit, body.quoteId);
    if (quote.source.sourceType !== 'REALTIME_FUNDING') {
      throw invalidField('/quoteId', 'is a quote whose source is an account; execute it instead');
    }
    checkIsPending(quote);
    const { currency, amount } = quote.payment.sending;
    if (body.currencyCode !== currency) {
      throw invalidField('/currencyCode', `must be ${currency}, the quote's sending currency`, 'INVALID_CURRENCY');
    }
    if (body.currencyAmount !== undefined && body.currencyAmount !== amount) {
      throw invalidField(
        '/currencyAmount',
        `must be the quote's total, ${sayAmount(amount, currency)}`,
        'INVALID_AMOUNT',
      );
    }
    if (await isPayerReady(unit, quote)) {
      await executePayment(unit, quote);
    } else {
      const transaction = await mustFindTransaction(unit, quote.transactionId);
      await applyOutcome(unit, transaction, impossible);
      await quotes.replace(unit, quote, { ...quote, status: 'FAILED' });
    }
    return { status: 200, body: viewOutgoing(await mustFindTransaction(unit, quote.transactionId)) };
  },
});

/** Money from outside can't be refused with an error. So if the payer may not pay, the payment fails (D72). */
async function isPayerReady(unit: Unit, { payerId }: QuoteRecord): Promise<boolean> {
  if (payerId === undefined) return true;
  const payer = await customers.find(unit, payerId);
  if (payer === undefined || payer.isDeleted) return false;
  return ('kycStatus' in payer ? payer.kycStatus : payer.kybStatus) === 'APPROVED';
}
