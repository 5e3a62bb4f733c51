import type { Quote } from '../../../../generated/types.ts';
import { currencyOf } from '../../payments/currencies.ts';
import { fundingTargets } from '../../payments/funding.ts';
import { recordTable, type Stored } from '../../store/records/table.ts';
import type { Unit } from '../../store/units/unit.ts';
import { toTimestamp } from '../../tools/clock.ts';
import { given } from '../../tools/given.ts';
import { Problem } from '../../tools/problem.ts';
import { awaitedState } from '../effect.ts';
import { type Payment, viewRateDetails } from '../transfers/records.ts';

/** The lookup of a receiver. A quote names it (D31). It doesn't expire. */
export type LookupRecord = { readonly id: string; readonly createdAt: number } & (
  | { readonly kind: 'UMA'; readonly receiverUmaAddress: string }
  | { readonly kind: 'EXTERNAL_ACCOUNT'; readonly accountId: string }
);

export const lookups = recordTable<LookupRecord, never>({ name: 'lookups', columns: () => ({}) });

/** A stored quote. Its payment and its amounts are those of its transaction. */
export interface QuoteRecord {
  readonly id: string;
  readonly status: Quote['status'];
  readonly transactionId: string;
  readonly source: Quote['source'];
  readonly destination: Quote['destination'];
  readonly payment: Payment;
  readonly exchangeRate: number;
  /** The customer who pays; absent if the platform pays. */
  readonly payerId?: string;
  /** The agent that made it. */
  readonly agentId?: string;
  /** The account of this platform that receives the money, also if the request names a UMA address. */
  readonly reachedId?: string;
  /** The text that a wallet's owner signs. */
  readonly payloadToSign?: string;
  readonly description?: string;
  readonly purposeOfPayment?: NonNullable<Quote['purposeOfPayment']>;
  readonly counterpartyInformation?: Readonly<Record<string, string>>;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** A quote expires as long as it is pending. */
export const quoteExpiry = awaitedState<QuoteRecord>('EXPIRE_QUOTE', ({ status }) => status === 'PENDING');

export const quotes = recordTable<QuoteRecord, never>({
  name: 'quotes',
  columns: () => ({}),
  follow: quoteExpiry.follow,
});

/** The quote as the contract shows it. */
export function viewQuote(quote: QuoteRecord): Quote {
  const { id, payment, description, purposeOfPayment, counterpartyInformation } = quote;
  const instructions = paymentInstructions(quote);
  return {
    id,
    status: quote.status,
    createdAt: toTimestamp(quote.createdAt),
    expiresAt: toTimestamp(quote.expiresAt),
    source: quote.source,
    destination: quote.destination,
    sendingCurrency: { ...currencyOf(payment.sending.currency) },
    receivingCurrency: { ...currencyOf(payment.receiving.currency) },
    totalSendingAmount: payment.sending.amount,
    totalReceivingAmount: payment.receiving.amount,
    exchangeRate: quote.exchangeRate,
    feesIncluded: payment.fee,
    transactionId: quote.transactionId,
    ...(instructions.length === 0 ? {} : { paymentInstructions: instructions }),
    ...(counterpartyInformation === undefined ? {} : { counterpartyInformation: { ...counterpartyInformation } }),
    rateDetails: viewRateDetails(payment),
    ...given({ description, purposeOfPayment }),
  };
}

function paymentInstructions(quote: QuoteRecord): NonNullable<Quote['paymentInstructions']> {
  const { id, source, payloadToSign, payment, expiresAt } = quote;
  if (payloadToSign !== undefined) {
    const accountOrWalletInfo = { accountType: 'EMBEDDED_WALLET' as const, payloadToSign };
    return [{ accountOrWalletInfo, instructionsNotes: 'Sign the payload and execute the quote with the signature.' }];
  }
  if (source.sourceType !== 'REALTIME_FUNDING') return [];
  const awaited = { amount: payment.sending.amount, expiresAt };
  return fundingTargets(id, source.currency, awaited).map((accountOrWalletInfo) => ({
    accountOrWalletInfo,
    instructionsNotes: 'Pay exactly the total of the quote before it expires.',
  }));
}

/** The facts about a provider of UMA addresses. */
export interface UmaProviderFacts {
  readonly name: string;
  readonly domain: string;
  readonly supportedRegions: readonly string[];
  readonly supportedCurrencies: readonly string[];
  readonly lei: string;
  readonly allowListStatus: boolean;
}

/** The providers that the sandbox knows, ordered by name. None of them is real. */
export const umaProviders: readonly UmaProviderFacts[] = [
  {
    name: 'Alder Pay',
    domain: 'alder.example',
    supportedRegions: ['US', 'CA'],
    supportedCurrencies: ['USD', 'CAD', 'USDC'],
    lei: '5493001KJTIIGC8Y1R12',
    allowListStatus: true,
  },
  {
    name: 'Banco Ribera',
    domain: 'ribera.example',
    supportedRegions: ['MX', 'CO'],
    supportedCurrencies: ['MXN', 'COP'],
    lei: '213800D1EI4B9WTWWD28',
    allowListStatus: true,
  },
  {
    name: 'Cove Wallet',
    domain: 'cove.example',
    supportedRegions: ['GB', 'DE', 'FR', 'ES'],
    supportedCurrencies: ['GBP', 'EUR', 'BTC'],
    lei: '529900T8BM49AURSDO55',
    allowListStatus: true,
  },
  {
    name: 'Dhow Transfer',
    domain: 'dhow.example',
    supportedRegions: ['AE', 'KE'],
    supportedCurrencies: ['AED', 'KES'],
    lei: '254900OPPU84GM83MG36',
    allowListStatus: false,
  },
  {
    name: 'Everline',
    domain: 'everline.example',
    supportedRegions: ['PH', 'SG', 'IN'],
    supportedCurrencies: ['PHP', 'SGD', 'INR'],
    lei: '335800FVH4MOKZS9VH40',
    allowListStatus: true,
  },
  {
    name: 'Fathom Exchange',
    domain: 'fathom.example',
    supportedRegions: ['NG', 'ZA'],
    supportedCurrencies: ['NGN', 'ZAR', 'USDT'],
    lei: '391200ZLOQTX1P6JKS67',
    allowListStatus: false,
  },
];

/** @throws Problem 404 `QUOTE_NOT_FOUND`. */
export async function mustFindQuote(unit: Unit, id: string): Promise<Stored<QuoteRecord>> {
  const quote = await quotes.find(unit, id);
  if (quote === undefined) throw new Problem('QUOTE_NOT_FOUND', `This platform has no quote ${id}.`);
  return quote;
}

/** @throws Problem 404 `LOOKUP_REQUEST_NOT_FOUND`. */
export async function mustFindLookup(unit: Unit, id: string): Promise<LookupRecord> {
  const lookup = await lookups.find(unit, id);
  if (lookup === undefined) throw new Problem('LOOKUP_REQUEST_NOT_FOUND', `This platform has no lookup ${id}.`);
  return lookup;
}
