import { listPage } from '../list.ts';
import { operation } from '../operation.ts';
import { tokens, viewToken } from './records.ts';

/** GET /tokens: lists tokens by exact name, and time of creation or change (both limits included). */
export const listTokens = operation('listTokens', {
  async handle({ operation, query }, unit) {
    const { limit, cursor, name } = query;
    const ranges = {
      created_at: { from: query.createdAfter, to: query.createdBefore },
      updated_at: { from: query.updatedAfter, to: query.updatedBefore },
    };
    const request = { operation, limit, cursor, filters: { name }, ranges };
    return { status: 200, body: await listPage(unit, tokens, request, viewToken) };
  },
});
