import type { CredentialCreateRequest } from '../../../../generated/types.ts';
import { type PendingRecord, pendingRequests } from '../../signedRetry/records.ts';
import { requestIdInvalid } from '../../signedRetry/rules.ts';
import { isFor, openSignedRetry, requireSignature } from '../../signedRetry/signedRetry.ts';
import { activeSessions } from '../../signedRetry/signers.ts';
import type { Preparation, Unit } from '../../store/units/unit.ts';
import { normalizeBase64Url } from '../../tools/bytes.ts';
import { checkOpenWallet } from '../accounts/procedures/wallets.ts';
import { accountNotFound, internalAccounts } from '../accounts/records.ts';
import { type Call, operation } from '../operation.ts';
import { sendCode } from './procedures.ts';
import { type CredentialRecord, credentials, type RegistrationProof, viewCredential } from './records.ts';
import { type CredentialDraft, checkPasskeyFields, draftCredential } from './rules.ts';

/**
 * POST /auth/credentials: registers the first credential of a wallet at once, and every further one with the
 * signed-retry pattern (D12; order of checks D15). It issues no session.
 */
export const createCredential = operation('createCredential', {
  prepare,
  async handle(call, unit, prepared: RegistrationProof | undefined) {
    const { body } = call;
    const account = await internalAccounts.find(unit, body.accountId);
    const onAccount = await credentials.where(unit, 'account_id', body.accountId);
    // A first credential needs no signature, so both headers are ignored then (D15).
    const isFirst = account !== undefined && onAccount.length === 0;
    const retry = isFirst ? undefined : await openSignedRetry(unit, call);
    if (account === undefined) throw accountNotFound(body.accountId);
    const customer = await checkOpenWallet(unit, account, { in: 'body', pointer: '/accountId' });
    const proof = prepared ?? provenBefore(call, await findPending(unit, call), unit.proofs().kind);
    // The kind of proofs changed between the two reads.
    if (proof === undefined) throw requestIdInvalid();
    const draft = draftCredential(body, {
      email: customer?.email,
      onAccount,
      passkeyTaken: await isPasskeyTaken(unit, body),
      proof,
    });
    if (isFirst) return { status: 201, body: viewCredential(await register(unit, account.id, draft)) };
    const challenge = await requireSignature(unit, call, retry, {
      accountId: account.id,
      type: draft.type,
      action: 'ADD_CREDENTIAL',
      parameters: { type: draft.type, nickname: draft.nickname },
      signers: await activeSessions(unit, account.id),
      proven: proof,
    });
    if (challenge !== undefined) return { status: 202, body: challenge };
    return { status: 201, body: viewCredential(await register(unit, account.id, draft)) };
  },
});

/** Checks the proof, unless the first call did. Then the result of the first call counts (D15). */
async function prepare(
  call: Call<'createCredential'>,
  preparation: Preparation,
): Promise<RegistrationProof | undefined> {
  const id = call.headers['Request-Id'];
  const pending = id && (await preparation.read((reader) => pendingRequests.peek(reader, preparation.rowsId, id)));
  if (provenBefore(call, pending || undefined, preparation.proofs.kind) !== undefined) return undefined;
  return checkProof(call.body, preparation);
}

async function findPending(unit: Unit, call: Call<'createCredential'>): Promise<PendingRecord | undefined> {
  const id = call.headers['Request-Id'];
  return id === undefined ? undefined : pendingRequests.find(unit, id);
}

/** What the same body proved when its challenge was issued, if the platform still checks the same proofs. */
function provenBefore(
  call: Call<'createCredential'>,
  pending: PendingRecord | undefined,
  proofs: Preparation['proofs']['kind'],
): RegistrationProof | undefined {
  if (pending?.kind !== 'SIGNED_RETRY' || !isFor(pending, call)) return undefined;
  return pending.proven?.proofs === proofs ? pending.proven.verdict : undefined;
}

/** Checks the proof of a registration. The unit decides what follows from it. */
async function checkProof(body: CredentialCreateRequest, { proofs, now }: Preparation): Promise<RegistrationProof> {
  switch (body.type) {
    case 'EMAIL_OTP':
      return { type: 'EMAIL_OTP' };
    case 'OAUTH':
      return { type: 'OAUTH', verdict: await proofs.registrationToken(body.oidcToken, now) };
    case 'PASSKEY': {
      const { clientDataJson, attestationObject } = body.attestation;
      if (proofs.kind === 'real') checkPasskeyFields('/attestation', { clientDataJson, attestationObject });
      const verdict = await proofs.attestation({ challenge: body.challenge, ...body.attestation }, now);
      return { type: 'PASSKEY', verdict };
    }
  }
}

async function isPasskeyTaken(unit: Unit, body: CredentialCreateRequest): Promise<boolean> {
  if (body.type !== 'PASSKEY') return false;
  const same = await credentials.where(unit, 'passkey_id', normalizeBase64Url(body.attestation.credentialId));
  return same.length > 0;
}

async function register(unit: Unit, accountId: string, draft: CredentialDraft): Promise<CredentialRecord> {
  const credential: CredentialRecord = {
    id: unit.newId('AuthMethod'),
    accountId,
    ...draft,
    challengedAt: [],
    createdAt: unit.now(),
    updatedAt: unit.now(),
  };
  return credentials.insert(unit, draft.type === 'EMAIL_OTP' ? await sendCode(unit, credential) : credential);
}
