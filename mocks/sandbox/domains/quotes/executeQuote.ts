import { invalid, Problem } from '../../kernel/problem.ts';
import type { Unit } from '../../store/unit.ts';
import { activeSessions } from '../auth/procedures.ts';
import { invalidWalletSignature } from '../auth/rules.ts';
import { operation } from '../operation.ts';
import { findParty } from '../transfers/procedures.ts';
import { checkMaySend } from '../transfers/rules.ts';
import { executePayment, mustFindQuote } from './procedures.ts';
import { type QuoteRecord, viewQuote } from './records.ts';
import { checkIsPending } from './rules.ts';

/**
 * POST /quotes/{quoteId}/execute: moves the money; a payment that comes to nothing is a FAILED quote and no error. A
 * wallet's owner signs the quote's payload, with no 202 step (INTERFACE; D28, D30, order of checks D72).
 */
export const executeQuote = operation('executeQuote', {
  async handle({ path, headers }, unit) {
    const quote = await mustFindQuote(unit, path.quoteId);
    if (quote.source.sourceType === 'REALTIME_FUNDING') {
      const message = 'begins by itself when its money arrives; pay it with POST /sandbox/send';
      throw invalid([{ in: 'path', pointer: '/quoteId', message }]);
    }
    checkIsPending(quote);
    const payer = await findParty(unit, quote.payerId);
    if (payer !== undefined) checkMaySend(payer);
    await checkSignature(unit, quote, headers['Service-Wallet-Signature']);
    return { status: 200, body: viewQuote(await executePayment(unit, quote)) };
  },
});

/** @throws Problem 401 where a wallet pays and its owner has not signed (D17, D72). */
async function checkSignature(
  unit: Unit,
  { source, payloadToSign }: QuoteRecord,
  header: string | undefined,
): Promise<void> {
  if (payloadToSign === undefined || source.sourceType !== 'ACCOUNT') return;
  if (header === undefined) {
    const message = 'The Service-Wallet-Signature header is missing; sign the payloadToSign of the quote.';
    throw new Problem('WALLET_SIGNATURE_MISSING', message);
  }
  const keys = (await activeSessions(unit, source.accountId)).map(({ publicKey }) => publicKey);
  if (!unit.proofs.quoteSignature(header, payloadToSign, keys)) throw invalidWalletSignature();
}
