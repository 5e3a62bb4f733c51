import type { PaymentAccountInfo } from '../../../generated/types.ts';
import { sha256Hex } from '../node/machine/crypto.ts';
import { sparkAddress, sparkInvoice } from './spark.ts';

/** Makes digits and letters for one account: always the same, and different from any other account's. */
interface Source {
  digits(count: number): string;
  readonly hex: string;
  readonly reference: string;
  spark(asset: 'BTC' | 'USDB'): PaymentAccountInfo;
}

type Make = (source: Source) => PaymentAccountInfo;

const bankName = 'Sandbox Bank';
const bic = (country: string): string => `SBOX${country}22`;

const bank =
  (accountType: string, rails: readonly string[], fields: (source: Source) => Record<string, string>): Make =>
  (source) =>
    ({ accountType, ...fields(source), paymentRails: [...rails], reference: source.reference }) as PaymentAccountInfo;

const mobile = (accountType: string, prefix: string, length: number, more: Record<string, string> = {}): Make =>
  bank(accountType, ['MOBILE_MONEY'], (source) => ({ phoneNumber: prefix + source.digits(length), ...more }));

/** A bank that is reached by its BIC in the country. */
const throughBic = (
  accountType: string,
  country: string,
  more: (source: Source) => Record<string, string> = () => ({}),
): Make =>
  bank(accountType, ['BANK_TRANSFER'], (source) => ({
    bankName,
    accountNumber: source.digits(12),
    swiftCode: bic(country),
    ...more(source),
  }));

/** For every other currency, and the code that means no country. */
const swift: Make = bank('SWIFT_ACCOUNT', ['SWIFT'], (source) => ({
  country: 'US',
  swiftCode: bic('US'),
  bankName,
  accountNumber: source.digits(12),
}));

const makers: Readonly<Record<string, readonly Make[]>> = {
  AED: [bank('AED_ACCOUNT', ['BANK_TRANSFER'], (s) => ({ iban: `AE${s.digits(21)}`, swiftCode: bic('AE') }))],
  ARS: [(s) => ({ accountType: 'ARS_ACCOUNT', accountNumber: s.digits(22) })],
  BDT: [bank('BDT_ACCOUNT', ['BANK_TRANSFER'], (s) => ({ bankName, accountNumber: s.digits(13) }))],
  BRL: [(s) => ({ accountType: 'BRL_ACCOUNT', qrCode: `00020126580014br.gov.bcb.pix0136${s.hex.slice(0, 32)}` })],
  BTC: [(s) => s.spark('BTC')],
  BWP: [mobile('BWP_ACCOUNT', '+267', 8, { provider: 'ORANGE' })],
  CAD: [
    bank('CAD_ACCOUNT', ['BANK_TRANSFER'], (s) => ({
      bankCode: s.digits(3),
      branchCode: s.digits(5),
      accountNumber: s.digits(10),
    })),
  ],
  COP: [(s) => ({ accountType: 'COP_ACCOUNT', paymentUrl: `https://pay.sandbox.example/${s.hex.slice(0, 20)}` })],
  DKK: [bank('DKK_ACCOUNT', ['SEPA', 'SEPA_INSTANT'], (s) => ({ iban: `DK${s.digits(16)}`, swiftCode: bic('DK') }))],
  EGP: [bank('EGP_ACCOUNT', ['BANK_TRANSFER'], (s) => ({ bankName, iban: `EG${s.digits(27)}` }))],
  EUR: [bank('EUR_ACCOUNT', ['SEPA', 'SEPA_INSTANT'], (s) => ({ iban: `DE${s.digits(20)}`, swiftCode: bic('DE') }))],
  GBP: [bank('GBP_ACCOUNT', ['FASTER_PAYMENTS'], (s) => ({ sortCode: s.digits(6), accountNumber: s.digits(8) }))],
  GHS: [bank('GHS_ACCOUNT', ['BANK_TRANSFER'], (s) => ({ bankName, accountNumber: s.digits(13) }))],
  GTQ: [bank('GTQ_ACCOUNT', ['BANK_TRANSFER'], (s) => ({ accountNumber: s.digits(12), bankAccountType: 'CHECKING' }))],
  HKD: [throughBic('HKD_ACCOUNT', 'HK')],
  HTG: [mobile('HTG_ACCOUNT', '+509', 8)],
  IDR: [throughBic('IDR_ACCOUNT', 'ID', (s) => ({ phoneNumber: `+62${s.digits(10)}` }))],
  INR: [bank('INR_ACCOUNT', ['UPI'], (s) => ({ vpa: `pay.${s.hex.slice(0, 12)}@sandbox` }))],
  JMD: [
    bank('JMD_ACCOUNT', ['BANK_TRANSFER'], (s) => ({
      accountNumber: s.digits(12),
      branchCode: s.digits(5),
      bankAccountType: 'CHECKING',
    })),
  ],
  KES: [mobile('KES_ACCOUNT', '+254', 9, { provider: 'M-PESA' })],
  MWK: [mobile('MWK_ACCOUNT', '+265', 9, { provider: 'AIRTEL' })],
  MXN: [bank('MXN_ACCOUNT', ['SPEI'], (s) => ({ clabeNumber: s.digits(18) }))],
  MYR: [throughBic('MYR_ACCOUNT', 'MY')],
  NGN: [bank('NGN_ACCOUNT', ['BANK_TRANSFER'], (s) => ({ bankName, accountNumber: s.digits(10) }))],
  PHP: [bank('PHP_ACCOUNT', ['BANK_TRANSFER'], (s) => ({ bankName, accountNumber: s.digits(12) }))],
  PKR: [bank('PKR_ACCOUNT', ['BANK_TRANSFER'], (s) => ({ bankName, accountNumber: s.digits(14) }))],
  RWF: [mobile('RWF_ACCOUNT', '+250', 9, { provider: 'MTN' })],
  SGD: [throughBic('SGD_ACCOUNT', 'SG')],
  THB: [throughBic('THB_ACCOUNT', 'TH')],
  TZS: [mobile('TZS_ACCOUNT', '+255', 9, { provider: 'VODACOM' })],
  UGX: [mobile('UGX_ACCOUNT', '+256', 9, { provider: 'MTN' })],
  USD: [
    bank('USD_ACCOUNT', ['ACH', 'WIRE', 'RTP', 'FEDNOW'], (s) => ({
      accountNumber: s.digits(12),
      routingNumber: '021000021',
      bankName,
    })),
  ],
  USDB: [(s) => s.spark('USDB')],
  USDC: [
    (s) => ({ accountType: 'SOLANA_WALLET', assetType: 'USDC', address: s.hex.slice(0, 44) }),
    (s) => ({ accountType: 'BASE_WALLET', assetType: 'USDC', address: `0x${s.hex.slice(0, 40)}` }),
  ],
  USDT: [(s) => ({ accountType: 'TRON_WALLET', assetType: 'USDT', address: `T${s.hex.slice(0, 33)}` })],
  VND: [throughBic('VND_ACCOUNT', 'VN')],
  XAF: [mobile('XAF_ACCOUNT', '+237', 9, { provider: 'MTN', region: 'CM' })],
  XOF: [mobile('XOF_ACCOUNT', '+221', 9, { provider: 'ORANGE', region: 'SN' })],
  ZAR: [bank('ZAR_ACCOUNT', ['BANK_TRANSFER'], (s) => ({ accountNumber: s.digits(10), bankName }))],
  ZMW: [mobile('ZMW_ACCOUNT', '+260', 9, { provider: 'MTN' })],
};

/** A single expected payment, if the amount must match. */
export interface AwaitedPayment {
  /** In the smallest unit of the currency. */
  readonly amount: number;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/**
 * Where to send money of a currency so that it arrives in an account or pays a quote (D36). It is derived from the id
 * of the account or quote, so it is always the same.
 * @param awaited the payment that a quote waits for. If a wallet supports invoices, it gets one.
 */
export function fundingTargets(id: string, currency: string, awaited?: AwaitedPayment): readonly PaymentAccountInfo[] {
  const digest = sha256Hex(id);
  const source: Source = {
    digits: (count) =>
      BigInt(`0x${sha256Hex(`${id} digits`)}`)
        .toString()
        .slice(-count),
    hex: digest,
    reference: fundingReference(id),
    spark: (assetType) => {
      const invoice =
        awaited === undefined ? undefined : sparkInvoice({ ...awaited, receiver: id, asset: assetType, memo: id });
      const wallet = { accountType: 'SPARK_WALLET' as const, assetType, address: sparkAddress(id) };
      return invoice === undefined ? wallet : { ...wallet, invoice };
    },
  };
  return (makers[currency] ?? [swift]).map((make) => make(source));
}

/** The reference that a payer of an account or a quote must state. */
export function fundingReference(id: string): string {
  return sha256Hex(id).slice(0, 10).toUpperCase();
}
