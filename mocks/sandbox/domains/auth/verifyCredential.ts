import type { CredentialVerifyRequest } from '../../../../generated/types.ts';
import type { Asserted, ProofResult } from '../../proofs/proofs.ts';
import { pendingRequests } from '../../signedRetry/records.ts';
import { checkPending, requestIdInvalid, requestIdMissing } from '../../signedRetry/rules.ts';
import { usePending } from '../../signedRetry/signedRetry.ts';
import type { Stored } from '../../store/records/table.ts';
import type { Preparation, Unit } from '../../store/units/unit.ts';
import { Problem } from '../../tools/problem.ts';
import type { Received } from '../../tools/received.ts';
import { type Call, operation } from '../operation.ts';
import { issueSession, type SealedKey, sealSessionKey } from './procedures.ts';
import { type CredentialRecord, credentials, mustFindCredential } from './records.ts';
import { acceptAssertion, acceptToken, answerCode, checkPasskeyFields, checkType, invalidOtp } from './rules.ts';

/** What was checked and made before the unit. It is valid only if the unit finds the same data. */
interface Prepared {
  readonly sealed?: SealedKey;
  readonly assertion?: ProofResult<Asserted>;
  readonly token?: ProofResult<object>;
}

/**
 * POST /auth/credentials/{id}/verify: creates a session for a valid proof, with its key sealed to the client (D17, D19,
 * D20, D22). The client's key is in the body. For a passkey it is in the challenge that the Request-Id names.
 */
export const verifyCredential = operation('verifyCredential', {
  prepare,
  async handle(call, unit, prepared: Prepared) {
    const credential = await mustFindCredential(unit, call.path.id);
    checkType(credential, call.body.type);
    const key = await prove(unit, credential, call, prepared);
    if (key instanceof Problem) return key;
    // The key was sealed to another client key, or to none: the challenge changed between `prepare` and the unit.
    if (prepared.sealed?.clientPublicKey !== key) throw requestIdInvalid();
    const from = { ...credential, issuedBy: credential.id };
    const passkeyId = credential.passkey?.credentialId;
    const session = await issueSession(unit, passkeyId === undefined ? from : { ...from, passkeyId }, prepared.sealed);
    return { status: 200, body: session };
  },
});

async function prepare(call: Call<'verifyCredential'>, preparation: Preparation): Promise<Prepared> {
  const { body } = call;
  switch (body.type) {
    case 'EMAIL_OTP':
      return { sealed: await sealSessionKey(body.clientPublicKey, preparation) };
    case 'OAUTH': {
      const credential = await peek(call, preparation);
      const { proofs, now } = preparation;
      const token = await proofs.signInToken(body.oidcToken, now, body.clientPublicKey, credential?.oidcIdentity);
      return { token, sealed: await sealSessionKey(body.clientPublicKey, preparation) };
    }
    case 'PASSKEY':
      return preparePasskey(call, body, preparation);
  }
}

function peek(call: Call<'verifyCredential'>, { rowsId, read }: Preparation): Promise<CredentialRecord | undefined> {
  return read((reader) => credentials.peek(reader, rowsId, call.path.id));
}

async function preparePasskey(
  call: Call<'verifyCredential'>,
  body: Received<Extract<CredentialVerifyRequest, { type: 'PASSKEY' }>>,
  preparation: Preparation,
): Promise<Prepared> {
  const { clientDataJson, authenticatorData, userHandle } = body.assertion;
  if (preparation.proofs.kind === 'real')
    checkPasskeyFields('/assertion', { clientDataJson, authenticatorData, userHandle });
  const requestId = call.headers['Request-Id'];
  if (requestId === undefined) return {};
  const pending = await preparation.read((reader) => pendingRequests.peek(reader, preparation.rowsId, requestId));
  const passkey = (await peek(call, preparation))?.passkey;
  if (pending?.kind !== 'PASSKEY' || passkey === undefined) return {};
  const { challenge, clientPublicKey } = pending;
  const expected = { challenge, credentialId: passkey.credentialId, key: passkey.key };
  const assertion = await preparation.proofs.assertion(body.assertion, expected);
  return { assertion, sealed: await sealSessionKey(clientPublicKey, preparation) };
}

/**
 * Checks the proof, and uses up the challenge or code that it answers.
 * @returns the client key that the session is sealed to, or a refusal. A refusal is returned and not thrown, because a
 * wrong code must be counted.
 */
async function prove(
  unit: Unit,
  credential: Stored<CredentialRecord>,
  { body, headers }: Call<'verifyCredential'>,
  prepared: Prepared,
): Promise<string | Problem> {
  switch (body.type) {
    case 'EMAIL_OTP': {
      const { code: _answered, ...rest } = credential;
      const { accepted, code } = answerCode(credential, body.otp, unit.proofs().kind, unit.now());
      await credentials.replace(unit, credential, code === undefined ? rest : { ...rest, code });
      return accepted ? body.clientPublicKey : invalidOtp(unit.proofs().codeHint(body.otp));
    }
    case 'OAUTH':
      acceptToken(prepared.token);
      return body.clientPublicKey;
    case 'PASSKEY': {
      const requestId = headers['Request-Id'];
      if (requestId === undefined) throw requestIdMissing();
      const pending = await pendingRequests.find(unit, requestId);
      checkPending(pending, 'PASSKEY', unit.now());
      if (pending.credentialId !== credential.id || credential.passkey === undefined) throw requestIdInvalid();
      const passkey = acceptAssertion(credential.passkey, prepared.assertion, body.assertion.userHandle);
      await credentials.replace(unit, credential, { ...credential, passkey });
      await usePending(unit, pending);
      return pending.clientPublicKey;
    }
  }
}
