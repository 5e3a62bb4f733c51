/** The simulation's customers, accounts and receivers, by their place in a list, and the choice of random amounts. */
import type { Random } from '../support/requests/random.ts';

/** The customers, by place. As an owner, `null` is the platform itself. */
export const customers: readonly { readonly uma: string; readonly currencies: readonly string[] }[] = [
  { uma: '$sim.ada@sim.example', currencies: ['USD', 'EUR', 'USDB'] },
  { uma: '$sim.ben@sim.example', currencies: ['USD', 'INR', 'USDB'] },
  { uma: '$sim.cleo@sim.example', currencies: ['USD', 'JPY', 'BTC'] },
  { uma: '$sim.dan@sim.example', currencies: ['USD', 'EUR'] },
];

/** Places for money inside: a customer's currency, enabled or not, or the platform's own. */
export const accounts: readonly { readonly owner: number | null; readonly currency: string }[] = [
  ...customers.flatMap(({ currencies }, owner) => [...currencies, 'MXN'].map((currency) => ({ owner, currency }))),
  { owner: null, currency: 'USD' },
  { owner: null, currency: 'USDC' },
];

const suffixes = ['002', '003', '004', '005', '006', '007', '111'];

interface ExternalAccount {
  readonly owner: number | null;
  readonly currency: string;
  readonly suffix: string;
  readonly info: Readonly<Record<string, unknown>>;
  /** Where the owner's UMA payments go. It is the same for the whole run. */
  readonly isDeposit?: boolean;
}

const address = { line1: '1 Quay', city: 'Leeds', state: 'ENG', postalCode: 'LS1', country: 'GB' };
const beneficiary = { beneficiaryType: 'INDIVIDUAL', fullName: 'Sim Payee', address };

const makers: Readonly<Record<string, (owner: number, suffix: string) => Readonly<Record<string, unknown>>>> = {
  USD: (owner, suffix) => ({
    accountType: 'USD_ACCOUNT',
    accountNumber: `10${owner}0000${suffix}`,
    routingNumber: '021000021',
    beneficiary,
  }),
  EUR: (owner, suffix) => ({ accountType: 'EUR_ACCOUNT', iban: `DE00000000000000${owner}00${suffix}`, beneficiary }),
  INR: (owner, suffix) => ({ accountType: 'INR_ACCOUNT', vpa: `sim${owner}${suffix}@bank`, beneficiary }),
  USDC: (owner, suffix) => ({
    accountType: 'SOLANA_WALLET',
    address: `So1anaSimu1ationAddress${owner}aaaaaa${suffix}`,
  }),
};

function external(owner: number | null, currency: string, suffix: string): ExternalAccount {
  return { owner, currency, suffix, info: makers[currency]?.(owner ?? 9, suffix) ?? {} };
}

/** Accounts outside. Each may exist or not. */
export const externals: readonly ExternalAccount[] = [
  ...suffixes.map((suffix) => external(0, 'EUR', suffix)),
  ...suffixes.map((suffix) => external(1, 'USD', suffix)),
  ...suffixes.map((suffix) => external(null, 'USDC', suffix)),
  ...['003', '005', '111'].map((suffix) => external(2, 'USD', suffix)),
  ...['005', '111'].map((suffix) => external(3, 'INR', suffix)),
  ...['005', '111'].map((suffix) => external(3, 'EUR', suffix)),
  { ...external(2, 'USD', '999'), isDeposit: true },
];

/** UMA addresses outside, and the currency that they take. */
export const receivers: readonly { readonly uma: string; readonly currency: string }[] = [
  { uma: '$success.usd@out.example', currency: 'USD' },
  { uma: '$success.eur@out.example', currency: 'EUR' },
  { uma: '$success.mxn@out.example', currency: 'MXN' },
  { uma: '$pending.long.usd@out.example', currency: 'USD' },
  { uma: '$fail.compliance.usd@out.example', currency: 'USD' },
];

/** An account of either kind, by its place in its list. */
export type Account =
  | { readonly at: 'INTERNAL'; readonly index: number }
  | { readonly at: 'EXTERNAL'; readonly index: number };

export type Source = Account | { readonly at: 'OUTSIDE'; readonly owner: number | null; readonly currency: string };

export type Destination = Account | { readonly at: 'UMA'; readonly uma: string; readonly currency: string };

/** A customer's own UMA address, and a currency that it may or may not take. */
export function ownReceiver(random: Random, customer: number): { readonly uma: string; readonly currency: string } {
  const { uma = '', currencies = [] } = customers[customer] ?? {};
  return { uma, currency: random.pick([...currencies, 'MXN']) };
}

export function chooseAmount(random: Random): number {
  if (random.chance(0.03)) return random.pick([0, 1.5, -1, 9_000_000_000_000_001]);
  if (random.chance(0.1)) return random.pick([1, 9_000_000_000_000_000]);
  return random.amount(random.chance(0.75) ? 100_000_000_000 : 9_000_000_000_000_000);
}
