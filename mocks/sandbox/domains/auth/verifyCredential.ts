import type { CredentialVerifyRequest } from '../../../../generated/types.ts';
import type { Stored } from '../../store/table.ts';
import type { Moment, Unit } from '../../store/unit.ts';
import { type Call, operation } from '../operation.ts';
import { issueSession, mustFindCredential, type SealedKey, sealSessionKey, usePending } from './procedures.ts';
import { type CredentialRecord, credentials, pendingRequests } from './records.ts';
import {
  checkAssertion,
  checkCode,
  checkOidcToken,
  checkPending,
  checkType,
  requestIdInvalid,
  requestIdMissing,
} from './rules.ts';

/**
 * POST /auth/credentials/{id}/verify: a session for a valid proof, its key sealed to the client (INTERFACE). The client's
 * key is in the body, or for a passkey in the challenge that the Request-Id names.
 */
export const verifyCredential = operation('verifyCredential', {
  async prepare(call, moment) {
    const key = await clientKeyOf(call, moment);
    return key === undefined ? undefined : sealSessionKey(key, moment);
  },
  async handle(call, unit, prepared: SealedKey | undefined) {
    const credential = await mustFindCredential(unit, call.path.id);
    checkType(credential, call.body.type);
    const key = await prove(unit, credential, call.body, call.headers['Request-Id']);
    // Sealed before the unit to another key, or to none: the request it relied on changed in between.
    if (prepared?.clientPublicKey !== key) throw requestIdInvalid();
    const from = { ...credential, issuedBy: credential.id };
    const passkeyId = credential.passkey?.credentialId;
    return {
      status: 200,
      body: await issueSession(unit, passkeyId === undefined ? from : { ...from, passkeyId }, prepared),
    };
  },
});

async function clientKeyOf(call: Call<'verifyCredential'>, moment: Moment): Promise<string | undefined> {
  if (call.body.type !== 'PASSKEY') return call.body.clientPublicKey;
  const requestId = call.headers['Request-Id'];
  if (requestId === undefined) return undefined;
  const { platformId } = call.requester;
  const pending = await moment.read((reader) => pendingRequests.peek(reader, platformId, requestId));
  return pending?.kind === 'PASSKEY' ? pending.clientPublicKey : undefined;
}

/** Checks the proof, uses up what it answers, and returns the key that the session is to be sealed to. */
async function prove(
  unit: Unit,
  credential: Stored<CredentialRecord>,
  body: CredentialVerifyRequest,
  requestId: string | undefined,
): Promise<string> {
  switch (body.type) {
    case 'EMAIL_OTP': {
      checkCode(credential, body.otp, unit.now);
      const { codeExpiresAt: _used, ...rest } = credential;
      await credentials.replace(unit, credential, rest);
      return body.clientPublicKey;
    }
    case 'OAUTH':
      checkOidcToken(body.oidcToken);
      return body.clientPublicKey;
    case 'PASSKEY': {
      if (requestId === undefined) throw requestIdMissing();
      const pending = await pendingRequests.find(unit, requestId);
      checkPending(pending, 'PASSKEY', unit.now);
      if (pending.credentialId !== credential.id) throw requestIdInvalid();
      checkAssertion(body.assertion);
      await usePending(unit, pending);
      return pending.clientPublicKey;
    }
  }
}
