import { recordTable } from '../../store/table.ts';

/** A receiver that was looked up; a quote names it (D31). It does not expire. */
export type LookupRecord = { readonly id: string; readonly createdAt: number } & (
  | { readonly kind: 'UMA'; readonly receiverUmaAddress: string }
  | { readonly kind: 'EXTERNAL_ACCOUNT'; readonly accountId: string }
);

export const lookups = recordTable<LookupRecord, never>({ name: 'lookups', columns: () => ({}) });

/** What a provider of UMA addresses is known by. */
export interface UmaProviderFacts {
  readonly name: string;
  readonly domain: string;
  readonly supportedRegions: readonly string[];
  readonly supportedCurrencies: readonly string[];
  readonly lei: string;
  readonly allowListStatus: boolean;
}

/** The providers that the sandbox knows, none of them real; ordered by name. */
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
