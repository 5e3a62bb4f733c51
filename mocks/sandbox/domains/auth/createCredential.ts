import type { CredentialCreateRequest } from '../../../../generated/types.ts';
import { normalizeBase64Url } from '../../kernel/bytes.ts';
import type { Moment, Unit } from '../../store/unit.ts';
import { accountNotFound } from '../accounts/procedures/accounts.ts';
import { internalAccounts } from '../accounts/records.ts';
import { customers } from '../customers/records.ts';
import { operation } from '../operation.ts';
import { activeSessions, openSignedRetry, requireSignature, sendCode } from './procedures.ts';
import { type CredentialRecord, credentials, viewCredential } from './records.ts';
import { type CredentialDraft, draftCredential, type RegistrationVerdict } from './rules.ts';

/**
 * POST /auth/credentials: the first credential of a wallet at once, every further one by the signed-retry pattern
 * (INTERFACE, Credentials and sessions; order of checks D15). No session is issued.
 */
export const createCredential = operation('createCredential', {
  prepare: (call, moment) => checkProof(call.body, moment),
  async handle(call, unit, proof: RegistrationVerdict) {
    const { body } = call;
    const account = await internalAccounts.find(unit, body.accountId);
    const onAccount = await credentials.where(unit, 'account_id', body.accountId);
    // A first credential needs no signature, so both headers are ignored there (D15).
    const isFirst = account !== undefined && onAccount.length === 0;
    const retry = isFirst ? undefined : await openSignedRetry(unit, call);
    if (account === undefined) throw accountNotFound(body.accountId);
    const customer = await customers.find(unit, account.customerId ?? '');
    const draft = draftCredential(body, {
      accountType: account.type,
      accountStatus: account.status,
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
    });
    if (challenge !== undefined) return { status: 202, body: challenge };
    return { status: 201, body: viewCredential(await register(unit, account.id, draft)) };
  },
});

/** Checks what the registration brings as proof; what it means is decided in the unit. */
async function checkProof(body: CredentialCreateRequest, { proofs, now }: Moment): Promise<RegistrationVerdict> {
  switch (body.type) {
    case 'EMAIL_OTP':
      return { type: 'EMAIL_OTP' };
    case 'OAUTH':
      return { type: 'OAUTH', verdict: await proofs.registrationToken(body.oidcToken, now) };
    case 'PASSKEY': {
      const verdict = await proofs.attestation({ challenge: body.challenge, ...body.attestation });
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
    createdAt: unit.now,
    updatedAt: unit.now,
  };
  return credentials.insert(unit, draft.type === 'EMAIL_OTP' ? await sendCode(unit, credential) : credential);
}
