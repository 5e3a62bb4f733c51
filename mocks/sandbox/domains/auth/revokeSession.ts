import { openSignedRetry, requireSignature } from '../../signedRetry/signedRetry.ts';
import { activeSessions } from '../../signedRetry/signers.ts';
import { operation } from '../operation.ts';
import { mustFindSession, sessions } from './records.ts';

/**
 * DELETE /auth/sessions/{id}: ends a session, signed by any active session of the account, including this one (D15,
 * D21).
 */
export const revokeSession = operation('revokeSession', {
  async handle(call, unit) {
    const retry = await openSignedRetry(unit, call);
    const session = await mustFindSession(unit, call.path.id);
    const challenge = await requireSignature(unit, call, retry, {
      accountId: session.accountId,
      type: session.type,
      action: 'REVOKE_SESSION',
      parameters: { sessionId: session.id },
      signers: await activeSessions(unit, session.accountId),
    });
    if (challenge !== undefined) return { status: 202, body: challenge };
    await sessions.remove(unit, session);
    return { status: 204 };
  },
});
