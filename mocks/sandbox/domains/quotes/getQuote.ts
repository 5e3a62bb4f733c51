import { operation } from '../operation.ts';
import { mustFindQuote, viewQuote } from './records.ts';

/** GET /quotes/{quoteId}. */
export const getQuote = operation('getQuote', {
  async handle({ path }, unit) {
    return { status: 200, body: viewQuote(await mustFindQuote(unit, path.quoteId)) };
  },
});
