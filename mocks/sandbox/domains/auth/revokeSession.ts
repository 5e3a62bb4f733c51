import { operation } from '../operation.ts';
import {
  acceptSignedRetry,
  activeSessions,
  challengeSignedRetry,
  mustFindSession,
  openSignedRetry,
} from './procedures.ts';
import { sessions } from './records.ts';

/** DELETE /auth/sessions/{id}: signed by any active session of the account, this one included (INTERFACE; D15, D21). */
export const revokeSession = operation('revokeSession', {
  async handle(call, unit) {
    const retry = await openSignedRetry(unit, call);
    const session = await mustFindSession(unit, call.path.id);
    if (retry === undefined) {
      const challenge = await challengeSignedRetry(unit, call, {
        accountId: session.accountId,
        type: session.type,
        action: 'REVOKE_SESSION',
        parameters: { sessionId: session.id },
      });
      return { status: 202, body: challenge };
    }
    await acceptSignedRetry(unit, retry, await activeSessions(unit, session.accountId));
    await sessions.remove(unit, session);
    return { status: 204 };
  },
});
