import { encodeBase64Url } from '../../../../contract/encodings.ts';
import { sha256 } from '../../node/machine/crypto.ts';
import { pendingRequests } from '../../signedRetry/records.ts';
import { removeExpired } from '../../signedRetry/removeExpired.ts';
import type { Stored } from '../../store/records/table.ts';
import type { Unit } from '../../store/units/unit.ts';
import { toTimestamp } from '../../tools/clock.ts';
import { invalid, type Problem } from '../../tools/problem.ts';
import { operation } from '../operation.ts';
import { sendCode } from './procedures.ts';
import { type CredentialRecord, credentials, mustFindCredential, viewCredential } from './records.ts';
import { countChallenge, lifetimes, requireClientPublicKey } from './rules.ts';

/**
 * POST /auth/credentials/{id}/challenge: sends a new code for EMAIL_OTP, returns a WebAuthn challenge for PASSKEY. At
 * most five per credential and minute (D14, D17, D19).
 */
export const challengeCredential = operation('challengeCredential', {
  async handle(call, unit) {
    const credential = await mustFindCredential(unit, call.path.id);
    switch (credential.type) {
      case 'OAUTH':
        throw oauthHasNoChallenge();
      case 'EMAIL_OTP': {
        const challengedAt = countChallenge(credential.challengedAt, unit.now());
        const sent = await credentials.replace(unit, credential, await sendCode(unit, { ...credential, challengedAt }));
        return { status: 200, body: viewCredential(sent) };
      }
      case 'PASSKEY': {
        const clientPublicKey = requireClientPublicKey(call.body?.clientPublicKey);
        const challengedAt = countChallenge(credential.challengedAt, unit.now());
        await credentials.replace(unit, credential, { ...credential, challengedAt });
        return { status: 200, body: await challengePasskey(unit, credential, clientPublicKey) };
      }
    }
  },
});

function oauthHasNoChallenge(): Problem {
  const message = 'is an OAUTH credential, which has no challenge; call verify';
  return invalid([{ in: 'path', pointer: '/id', message }]);
}

async function challengePasskey(unit: Unit, credential: Stored<CredentialRecord>, clientPublicKey: string) {
  const { passkey } = credential;
  if (passkey === undefined) throw new Error(`The PASSKEY credential ${credential.id} has no passkey`);
  await removeExpired(unit);
  const requestId = unit.newId('Request');
  const nonce = encodeBase64Url(unit.chance().bytes(16));
  const expiresAt = unit.now() + lifetimes.passkeyChallenge;
  // The challenge includes the key that the session will be sealed to. So an assertion can't be used for another key.
  const payload = JSON.stringify({
    action: 'CREATE_SESSION',
    credentialId: credential.id,
    clientPublicKey,
    requestId,
    nonce,
  });
  const challenge = encodeBase64Url(sha256(payload));
  await pendingRequests.insert(unit, {
    id: requestId,
    kind: 'PASSKEY',
    expiresAt,
    used: false,
    credentialId: credential.id,
    clientPublicKey,
    challenge,
  });
  return { credentialId: passkey.credentialId, challenge, requestId, expiresAt: toTimestamp(expiresAt) };
}
