import type { Fault } from '../../../../contract/faults.ts';
import type { PlatformConfigUpdateRequest } from '../../../../generated/types.ts';
import { findCurrency } from '../../payments/currencies.ts';
import { invalid } from '../../tools/problem.ts';

/** @throws Problem 400: without a token with MANAGE, no further token could be created */
export function checkNotLastManager(
  token: { readonly id: string; readonly permissions: readonly string[] },
  managers: readonly { readonly id: string }[],
): void {
  if (!token.permissions.includes('MANAGE') || managers.some(({ id }) => id !== token.id)) return;
  const message = "is the platform's last token with MANAGE; create another one first";
  throw invalid([{ in: 'path', pointer: '/tokenId', message }]);
}

/**
 * Checks the currencies of a configuration: all known, each only once, with their amounts in order (D68).
 * @throws Problem 400 `INVALID_CURRENCY` for an unknown currency, 400 `INVALID_INPUT` for the other faults.
 */
export function checkSupported(supported: PlatformConfigUpdateRequest['supportedCurrencies'] = []): void {
  const at = (index: number, field: string) => `/supportedCurrencies/${index}/${field}`;
  const unknown: Fault[] = supported.flatMap(({ currencyCode }, index) => {
    const message = `${currencyCode} is not a currency of the service`;
    return findCurrency(currencyCode) === undefined
      ? [{ in: 'body', pointer: at(index, 'currencyCode'), message }]
      : [];
  });
  if (unknown.length > 0) throw invalid(unknown, 'INVALID_CURRENCY');
  const faults: Fault[] = supported.flatMap(({ currencyCode, minAmount, maxAmount }, index): Fault[] => [
    ...(supported.findIndex((one) => one.currencyCode === currencyCode) === index
      ? []
      : [{ in: 'body' as const, pointer: at(index, 'currencyCode'), message: 'is in the list twice' }]),
    ...(maxAmount >= minAmount
      ? []
      : [{ in: 'body' as const, pointer: at(index, 'maxAmount'), message: 'must not be less than minAmount' }]),
  ]);
  if (faults.length > 0) throw invalid(faults);
}
