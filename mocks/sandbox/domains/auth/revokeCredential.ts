import { openSignedRetry, requireSignature } from '../../signedRetry/signedRetry.ts';
import { activeSessions } from '../../signedRetry/signers.ts';
import { operation } from '../operation.ts';
import { credentials, mustFindCredential, sessions } from './records.ts';
import { checkNotLast } from './rules.ts';

/**
 * DELETE /auth/credentials/{id}: removes a credential, signed by a session of another credential of the account. The
 * last credential can't be removed. The sessions that the credential issued end with it (D15, D21).
 */
export const revokeCredential = operation('revokeCredential', {
  async handle(call, unit) {
    const retry = await openSignedRetry(unit, call);
    const credential = await mustFindCredential(unit, call.path.id);
    checkNotLast(await credentials.where(unit, 'account_id', credential.accountId));
    const signers = await activeSessions(unit, credential.accountId);
    const challenge = await requireSignature(unit, call, retry, {
      accountId: credential.accountId,
      type: credential.type,
      action: 'REVOKE_CREDENTIAL',
      parameters: { credentialId: credential.id },
      signers: signers.filter((session) => session.issuedBy !== credential.id),
    });
    if (challenge !== undefined) return { status: 202, body: challenge };
    for (const session of await sessions.where(unit, 'credential_id', credential.id))
      await sessions.remove(unit, session);
    await credentials.remove(unit, credential);
    return { status: 204 };
  },
});
