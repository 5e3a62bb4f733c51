import { currencyOf } from '../../payments/currencies.ts';
import { listItems } from '../list.ts';
import { operation } from '../operation.ts';
import { type UmaProviderFacts, umaProviders } from './records.ts';

/**
 * GET /uma-providers: lists providers by country, by currency, and with or without blocked ones; by name in either
 * order (D36).
 */
export const listUmaProviders = operation('listUmaProviders', {
  async handle({ operation, query }, unit) {
    const { limit, cursor, countryCode, currencyCode, hasBlockedProviders, sortOrder } = query;
    const found = umaProviders.filter(
      (provider) =>
        (countryCode === undefined || provider.supportedRegions.includes(countryCode)) &&
        (currencyCode === undefined || provider.supportedCurrencies.includes(currencyCode)) &&
        (hasBlockedProviders !== false || provider.allowListStatus),
    );
    const ordered = sortOrder === 'asc' ? found : found.toReversed();
    const filters = { countryCode, currencyCode, hasBlockedProviders, sortOrder };
    return { status: 200, body: listItems(unit, ordered, { operation, limit, cursor, filters }, viewProvider) };
  },
});

function viewProvider(provider: UmaProviderFacts) {
  return {
    ...provider,
    supportedRegions: [...provider.supportedRegions],
    logoUrl: `https://${provider.domain}/logo.png`,
    supportedCurrencies: provider.supportedCurrencies.map((code) => ({ ...currencyOf(code) })),
  };
}
