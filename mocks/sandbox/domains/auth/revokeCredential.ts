import { operation } from '../operation.ts';
import {
  acceptSignedRetry,
  activeSessions,
  challengeSignedRetry,
  mustFindCredential,
  openSignedRetry,
} from './procedures.ts';
import { credentials, sessions } from './records.ts';
import { checkNotLast } from './rules.ts';

/**
 * DELETE /auth/credentials/{id}: signed by a session of another credential of the account; one always remains. The
 * sessions it issued end with it (INTERFACE; D15, D21).
 */
export const revokeCredential = operation('revokeCredential', {
  async handle(call, unit) {
    const retry = await openSignedRetry(unit, call);
    const credential = await mustFindCredential(unit, call.path.id);
    checkNotLast(await credentials.where(unit, 'account_id', credential.accountId));
    if (retry === undefined) {
      const challenge = await challengeSignedRetry(unit, call, {
        accountId: credential.accountId,
        type: credential.type,
        action: 'REVOKE_CREDENTIAL',
        parameters: { credentialId: credential.id },
      });
      return { status: 202, body: challenge };
    }
    const signers = await activeSessions(unit, credential.accountId);
    await acceptSignedRetry(
      unit,
      retry,
      signers.filter((session) => session.issuedBy !== credential.id),
    );
    for (const session of await sessions.where(unit, 'credential_id', credential.id))
      await sessions.remove(unit, session);
    await credentials.remove(unit, credential);
    return { status: 204 };
  },
});
