import type { CredentialCreateRequest } from '../../../../generated/types.ts';
import { normalizeBase64Url } from '../../kernel/bytes.ts';
import type { Unit } from '../../store/unit.ts';
import { accountNotFound } from '../accounts/procedures.ts';
import { internalAccounts } from '../accounts/records.ts';
import { customers } from '../customers/records.ts';
import { operation } from '../operation.ts';
import {
  acceptSignedRetry,
  activeSessions,
  challengeSignedRetry,
  openSignedRetry,
  withCodeSent,
} from './procedures.ts';
import { type CredentialRecord, credentials, viewCredential } from './records.ts';
import { type CredentialDraft, draftCredential } from './rules.ts';

/**
 * POST /auth/credentials: the first credential of a wallet at once, every further one by the signed-retry pattern
 * (INTERFACE, Credentials and sessions; order of checks D15). No session is issued.
 */
export const createCredential = operation('createCredential', {
  async handle(call, unit) {
    const { body } = call;
    const account = await internalAccounts.find(unit, body.accountId);
    const onAccount = await credentials.where(unit, 'account_id', body.accountId);
    // A first credential needs no signature, so both headers are ignored there (D15).
    const isFirst = account !== undefined && onAccount.length === 0;
    const retry = isFirst ? undefined : await openSignedRetry(unit, call);
    if (account === undefined) throw accountNotFound(body.accountId);
    const customer = await customers.find(unit, account.customerId);
    const draft = draftCredential(body, {
      accountType: account.type,
      email: customer?.email,
      onAccount,
      passkeyTaken: await isPasskeyTaken(unit, body),
    });
    if (isFirst) return { status: 201, body: viewCredential(await register(unit, account.id, draft)) };
    if (retry === undefined) {
      const challenge = await challengeSignedRetry(unit, call, {
        accountId: account.id,
        type: draft.type,
        action: 'ADD_CREDENTIAL',
        parameters: { type: draft.type, nickname: draft.nickname },
      });
      return { status: 202, body: challenge };
    }
    await acceptSignedRetry(unit, retry, await activeSessions(unit, account.id));
    return { status: 201, body: viewCredential(await register(unit, account.id, draft)) };
  },
});

async function isPasskeyTaken(unit: Unit, body: CredentialCreateRequest): Promise<boolean> {
  if (body.type !== 'PASSKEY') return false;
  const same = await credentials.where(unit, 'passkey_id', normalizeBase64Url(body.attestation.credentialId));
  return same.length > 0;
}

function register(unit: Unit, accountId: string, draft: CredentialDraft): Promise<CredentialRecord> {
  const credential: CredentialRecord = {
    id: unit.newId('AuthMethod'),
    accountId,
    ...draft,
    challengedAt: [],
    createdAt: unit.now,
    updatedAt: unit.now,
  };
  return credentials.insert(unit, draft.type === 'EMAIL_OTP' ? withCodeSent(credential, unit.now) : credential);
}
