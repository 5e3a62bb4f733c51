import type { ExternalAccount, ExternalAccountInfo, InternalAccount } from '../../../../generated/types.ts';
import { accountIdentity } from '../../payments/accountIdentity.ts';
import { currencyOf } from '../../payments/currencies.ts';
import { fundingTargets } from '../../payments/funding.ts';
import { isInternalAccount } from '../../payments/places.ts';
import { recordTable, type Stored } from '../../store/records/table.ts';
import type { Unit } from '../../store/units/unit.ts';
import { toTimestamp } from '../../tools/clock.ts';
import { given } from '../../tools/given.ts';
import { Problem } from '../../tools/problem.ts';

export interface InternalAccountRecord {
  readonly id: string;
  /** Absent for an account of the platform itself. */
  readonly customerId?: string;
  readonly type: InternalAccount['type'];
  readonly status: InternalAccount['status'];
  readonly currency: string;
  /** In the currency's smallest unit. */
  readonly balance: number;
  /** Wallets only. */
  readonly privateEnabled?: boolean;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export const internalAccounts = recordTable<InternalAccountRecord, 'customer_id' | 'currency' | 'type' | 'owner'>({
  name: 'internal_accounts',
  columns: (account) => ({
    customer_id: account.customerId ?? '',
    currency: account.currency,
    type: account.type,
    owner: account.customerId === undefined ? 'PLATFORM' : 'CUSTOMER',
  }),
  // A customer has few accounts, so they are counted when the list is read.
  counted: ['owner'],
});

/** The account as the contract shows it. */
export function viewInternalAccount(account: InternalAccountRecord): InternalAccount {
  return {
    id: account.id,
    ...given({ customerId: account.customerId }),
    type: account.type,
    status: account.status,
    balance: { amount: account.balance, currency: { ...currencyOf(account.currency) } },
    fundingPaymentInstructions: fundingInstructions(account),
    ...given({ privateEnabled: account.privateEnabled }),
    createdAt: toTimestamp(account.createdAt),
    updatedAt: toTimestamp(account.updatedAt),
  };
}

/** How to pay money into the account. Only quotes pay into a wallet, so a wallet has no instructions. */
function fundingInstructions(account: InternalAccountRecord): InternalAccount['fundingPaymentInstructions'] {
  if (account.type === 'EMBEDDED_WALLET') return [];
  return fundingTargets(account.id, account.currency).map((accountOrWalletInfo) => ({
    accountOrWalletInfo,
    instructionsNotes:
      'reference' in accountOrWalletInfo
        ? `Put the reference ${accountOrWalletInfo.reference} in the memo of the payment.`
        : 'Any amount that arrives there is credited.',
    isPlatformAccount: account.customerId === undefined,
  }));
}

/** A stored external account: the fields that were sent, and those that the sandbox added. */
export interface ExternalAccountRecord {
  readonly id: string;
  /** Absent if it belongs to the platform. */
  readonly customerId?: string;
  readonly currency: string;
  readonly platformAccountId?: string;
  readonly defaultUmaDepositAccount: boolean;
  readonly accountInfo: ExternalAccountInfo;
  readonly beneficiaryVerificationStatus: ExternalAccount['beneficiaryVerificationStatus'];
  readonly verifiedName?: string;
}

export const externalAccounts = recordTable<
  ExternalAccountRecord,
  'customer_id' | 'currency' | 'identity' | 'deposit_for' | 'owner'
>({
  name: 'external_accounts',
  columns: (account) => ({
    customer_id: account.customerId ?? '',
    currency: account.currency,
    // The fields that distinguish it from its owner's other accounts (D40).
    identity: accountIdentity(account.customerId, account.currency, account.accountInfo),
    deposit_for: account.defaultUmaDepositAccount ? (account.customerId ?? null) : null,
    owner: account.customerId === undefined ? 'PLATFORM' : 'CUSTOMER',
  }),
  counted: ['customer_id', ['customer_id', 'currency'], 'owner', ['owner', 'currency']],
});

/** The account as the contract shows it. */
export function viewExternalAccount(account: ExternalAccountRecord): ExternalAccount {
  const { id, customerId, currency, platformAccountId, verifiedName, accountInfo } = account;
  return {
    id,
    ...given({ customerId }),
    status: 'ACTIVE',
    currency,
    ...given({ platformAccountId }),
    defaultUmaDepositAccount: account.defaultUmaDepositAccount,
    beneficiaryVerificationStatus: account.beneficiaryVerificationStatus,
    ...(verifiedName === undefined ? {} : { beneficiaryVerifiedData: { fullName: verifiedName } }),
    accountInfo,
  };
}

/** One side of a movement of money: what an account gained (positive) or lost. It is never changed or removed (D29). */
export interface PostingRecord {
  readonly id: string;
  /** Both sides of a movement share this id. */
  readonly movementId: string;
  /** An internal account, or another place of the ledger: `World:…`, `Held:…`, `Fees:…`. */
  readonly accountId: string;
  readonly currency: string;
  /** In the currency's smallest unit. */
  readonly amount: number;
  /** The transaction it belongs to; absent if the sandbox added the money. */
  readonly transactionId?: string;
  readonly at: number;
}

export const postings = recordTable<PostingRecord, 'account_id' | 'movement_id'>({
  name: 'postings',
  columns: (posting) => ({ account_id: posting.accountId, movement_id: posting.movementId }),
});

/** @throws Problem 404 `ACCOUNT_NOT_FOUND`. */
export async function mustFindAccount(unit: Unit, id: string): Promise<Stored<InternalAccountRecord>> {
  const account = await internalAccounts.find(unit, id);
  if (account === undefined) throw accountNotFound(id);
  return account;
}

export function accountNotFound(id: string): Problem {
  return new Problem('ACCOUNT_NOT_FOUND', `This platform has no internal account ${id}.`);
}

/** @throws Problem 404 `ACCOUNT_NOT_FOUND`. */
export async function mustFindExternalAccount(unit: Unit, id: string): Promise<Stored<ExternalAccountRecord>> {
  const account = await externalAccounts.find(unit, id);
  if (account === undefined) throw externalAccountNotFound(id);
  return account;
}

function externalAccountNotFound(id: string): Problem {
  return new Problem('ACCOUNT_NOT_FOUND', `This platform has no external account ${id}.`);
}

/**
 * An external account of one customer. @throws Problem 404 `ACCOUNT_NOT_FOUND`, also if another customer owns it (D79)
 */
export async function mustFindOwnExternalAccount(
  unit: Unit,
  id: string,
  customerId: string,
): Promise<Stored<ExternalAccountRecord>> {
  const account = await mustFindExternalAccount(unit, id);
  if (account.customerId !== customerId) throw externalAccountNotFound(id);
  return account;
}

/** An account of one customer, internal or external. @throws Problem 404 `ACCOUNT_NOT_FOUND` as above. */
export async function mustFindOwnAccount(unit: Unit, id: string, customerId: string): Promise<void> {
  if (!isInternalAccount(id)) await mustFindOwnExternalAccount(unit, id, customerId);
  else if ((await mustFindAccount(unit, id)).customerId !== customerId) throw accountNotFound(id);
}
