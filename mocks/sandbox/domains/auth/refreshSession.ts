import { operation } from '../operation.ts';
import {
  acceptSignedRetry,
  challengeSignedRetry,
  issueSession,
  mustFindSession,
  openSignedRetry,
  type SealedKey,
  sealSessionKey,
} from './procedures.ts';

/**
 * POST /auth/sessions/{id}/refresh: a further session from an active one, signed by the key of that session, which runs
 * on to its own expiry (INTERFACE; D15, D16, D21).
 */
export const refreshSession = operation('refreshSession', {
  async prepare(call, moment) {
    const isRetry = call.headers['Request-Id'] !== undefined && call.headers['Service-Wallet-Signature'] !== undefined;
    return isRetry ? sealSessionKey(call.body.clientPublicKey, moment) : undefined;
  },
  async handle(call, unit, sealed: SealedKey | undefined) {
    const retry = await openSignedRetry(unit, call);
    const session = await mustFindSession(unit, call.path.id);
    if (retry === undefined || sealed === undefined) {
      const challenge = await challengeSignedRetry(unit, call, {
        accountId: session.accountId,
        type: session.type,
        action: 'REFRESH_SESSION',
        parameters: { sessionId: session.id, clientPublicKey: call.body.clientPublicKey },
      });
      return { status: 202, body: challenge };
    }
    await acceptSignedRetry(unit, retry, [session]);
    return { status: 201, body: await issueSession(unit, session, sealed) };
  },
});
