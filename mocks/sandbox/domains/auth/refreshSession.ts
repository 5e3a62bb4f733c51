import { onSignedRetry, openSignedRetry, requirePrepared, requireSignature } from '../../signedRetry/signedRetry.ts';
import { operation } from '../operation.ts';
import { issueSession, type SealedKey, sealSessionKey } from './procedures.ts';
import { mustFindSession } from './records.ts';

/**
 * POST /auth/sessions/{id}/refresh: creates another session from an active one, signed by the key of the active one.
 * That session continues to its own expiry (D15, D16, D21).
 */
export const refreshSession = operation('refreshSession', {
  prepare: (call, preparation) => onSignedRetry(call, () => sealSessionKey(call.body.clientPublicKey, preparation)),
  async handle(call, unit, sealed: SealedKey | undefined) {
    const retry = await openSignedRetry(unit, call);
    const session = await mustFindSession(unit, call.path.id);
    const challenge = await requireSignature(unit, call, retry, {
      accountId: session.accountId,
      type: session.type,
      action: 'REFRESH_SESSION',
      parameters: { sessionId: session.id, clientPublicKey: call.body.clientPublicKey },
      signers: [session],
    });
    if (challenge !== undefined) return { status: 202, body: challenge };
    return { status: 201, body: await issueSession(unit, session, requirePrepared(sealed)) };
  },
});
