import type { InternalAccount } from '../../../../generated/types.ts';
import { sha256 } from '../../kernel/bytes.ts';
import { toTimestamp } from '../../kernel/clock.ts';
import { currencyOf } from '../../kernel/currencies.ts';
import { recordTable } from '../../store/table.ts';

export interface InternalAccountRecord {
  readonly id: string;
  readonly customerId: string;
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

export const internalAccounts = recordTable<InternalAccountRecord, 'customer_id' | 'currency' | 'type'>({
  name: 'internal_accounts',
  columns: (account) => ({ customer_id: account.customerId, currency: account.currency, type: account.type }),
  counted: ['*', 'customer_id'],
});

/** The account as the contract shows it. */
export function viewInternalAccount(account: InternalAccountRecord): InternalAccount {
  return {
    id: account.id,
    customerId: account.customerId,
    type: account.type,
    status: account.status,
    balance: { amount: account.balance, currency: { ...currencyOf(account.currency) } },
    fundingPaymentInstructions: fundingInstructions(account),
    ...(account.privateEnabled === undefined ? {} : { privateEnabled: account.privateEnabled }),
    createdAt: toTimestamp(account.createdAt),
    updatedAt: toTimestamp(account.updatedAt),
  };
}

type Instructions = InternalAccount['fundingPaymentInstructions'];

/**
 * Where to send money so that it arrives in this account: a USD account number, a Spark address for bitcoin. Derived
 * from the account's id, so it is the same at every reading. A wallet has none (facts on provisioning).
 */
function fundingInstructions(account: InternalAccountRecord): Instructions {
  if (account.currency !== 'USD' && account.currency !== 'BTC') return [];
  const digest = sha256(account.id);
  const reference = digest.toString('hex').slice(0, 10).toUpperCase();
  if (account.currency === 'USD') {
    return [
      {
        accountOrWalletInfo: {
          accountType: 'USD_ACCOUNT',
          accountNumber: String(digest.readUIntBE(0, 6) % 1_000_000_000_000).padStart(12, '0'),
          routingNumber: '021000021',
          paymentRails: ['ACH', 'WIRE', 'RTP', 'FEDNOW'],
          bankName: 'Sandbox Bank',
          reference,
        },
        instructionsNotes: `Put the reference ${reference} in the memo of the payment.`,
        isPlatformAccount: false,
      },
    ];
  }
  if (account.currency === 'BTC') {
    return [
      {
        accountOrWalletInfo: {
          accountType: 'SPARK_WALLET',
          assetType: 'BTC',
          address: `spark1${digest.toString('hex').slice(0, 56)}`,
        },
        instructionsNotes: 'Any amount sent to this address is credited.',
        isPlatformAccount: false,
      },
    ];
  }
  return [];
}
