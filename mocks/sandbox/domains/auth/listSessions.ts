import { removeExpired } from '../../signedRetry/removeExpired.ts';
import { listPage } from '../list.ts';
import { operation } from '../operation.ts';
import { sessions, viewSession } from './records.ts';

/** GET /auth/sessions: lists the active sessions of an account, newest first, without their keys (D21, D55). */
export const listSessions = operation('listSessions', {
  async handle({ operation, query }, unit) {
    await removeExpired(unit);
    const { limit, cursor, accountId } = query;
    const filters = { account_id: accountId };
    return { status: 200, body: await listPage(unit, sessions, { operation, limit, cursor, filters }, viewSession) };
  },
});
