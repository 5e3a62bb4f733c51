/** Formats values for people. */
import { currencies } from '../../generated/currencies.ts';

const decimalsOf = new Map(currencies.map(({ code, decimals }) => [code, decimals]));

/** Formats an amount in smallest units: `1,250.00 USD`. */
export function formatAmount(amount: number, currency: string, decimals = decimalsOf.get(currency) ?? 2): string {
  const digits = String(Math.abs(amount)).padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals).replace(/\B(?=(\d{3})+$)/g, ',');
  const fraction = decimals === 0 ? '' : `.${digits.slice(-decimals)}`;
  return `${amount < 0 ? '−' : ''}${whole}${fraction} ${currency}`;
}

/** Reads a typed amount, in smallest units. @returns undefined if it isn't an amount of the currency */
export function parseAmount(text: string, currency: string): number | undefined {
  const decimals = decimalsOf.get(currency) ?? 2;
  const found = /^(\d{1,13})(?:\.(\d+))?$/.exec(text.trim().replaceAll(',', ''));
  if (found === null) return undefined;
  const [, whole = '0', fraction = ''] = found;
  if (fraction.length > decimals) return undefined;
  const amount = Number(whole + fraction.padEnd(decimals, '0'));
  return Number.isSafeInteger(amount) && amount > 0 ? amount : undefined;
}

/** Formats a time as `2025-10-13 09:05:00`, in UTC like every time of the platform. */
export function formatTime(timestamp: string): string {
  return timestamp.slice(0, 19).replace('T', ' ');
}

export function formatClock(timestamp: string): string {
  return timestamp.slice(11, 23);
}

/** Formats a duration: `in 2 min 5 s`, `now`. */
export function formatWait(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1000);
  if (seconds <= 0) return 'now';
  const parts = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ] as const;
  const shown = parts.filter(([count]) => count > 0).slice(0, 2);
  return `in ${shown.map(([count, unit]) => `${count} ${unit}`).join(' ')}`;
}

/** Writes `PENDING_APPROVAL` as `pending approval`. */
export function words(value: string): string {
  return value.toLowerCase().replaceAll('_', ' ');
}

/** Whether a text is an id of the interface. */
export function isId(text: string): boolean {
  return /^(?:Customer|InternalAccount|ExternalAccount|Quote|Transaction|AgentAction|Agent|Token|AuthMethod|Session|Request|BeneficialOwner|Verification|Lookup|PlatformConfig):[0-9A-Za-z-]{1,64}$/.test(
    text,
  );
}
