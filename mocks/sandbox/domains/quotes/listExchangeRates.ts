import { listItems } from '../list.ts';
import { operation } from '../operation.ts';
import { checkAmounts, ratePairs, rateRow } from './rules.ts';

/** The amount sent if the request names none, in the smallest unit: the contract's default. */
const defaultAmount = 10_000;

/** GET /exchange-rates: lists what an amount is worth, for each pair of currencies and rail (D26, D27). */
export const listExchangeRates = operation('listExchangeRates', {
  async handle({ operation, query }, unit) {
    const { limit, cursor, sourceCurrency, destinationCurrency, sendingAmount = defaultAmount } = query;
    const pairs = ratePairs(sourceCurrency, destinationCurrency);
    checkAmounts(pairs, sendingAmount);
    const filters = { sourceCurrency, destinationCurrency, sendingAmount };
    const request = { operation, limit, cursor, filters };
    return { status: 200, body: listItems(unit, pairs, request, (pair) => rateRow(pair, sendingAmount)) };
  },
});
