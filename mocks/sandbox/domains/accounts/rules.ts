import type { Fault } from '../../../../contract/faults.ts';
import { type AccountTypeFacts, accountTypes } from '../../../../generated/accountTypes.ts';
import type { ExternalAccountInfo } from '../../../../generated/types.ts';
import { accountTypeFor, findCurrency, maxAmount, sayAmount } from '../../payments/currencies.ts';
import { beneficiaryChecks, beneficiaryFound } from '../../payments/outcomes.ts';
import { isWorld } from '../../payments/places.ts';
import { invalid, invalidField, Problem } from '../../tools/problem.ts';
import { outcomeSuffix } from '../../tools/suffix.ts';
import type { ExternalAccountRecord, PostingRecord } from './records.ts';

/** What a rule about balances needs of an account; the amount is in the currency's smallest unit. */
interface Held {
  readonly balance: number;
  readonly currency: string;
}

/**
 * The balance after money came in, in the same smallest unit. `pointer` says where the request names the amount.
 * @throws Problem 400 `AMOUNT_OUT_OF_RANGE` beyond what an account can hold, never a rounded number (D08).
 */
export function balanceAfterCredit({ balance, currency }: Held, amount: number, pointer = '/amount'): number {
  if (amount > maxAmount - balance) {
    const [most, room] = [sayAmount(maxAmount, currency), sayAmount(maxAmount - balance, currency)];
    const message = `would take the balance beyond ${most}; at most ${room} more fits`;
    throw invalidField(pointer, message, 'AMOUNT_OUT_OF_RANGE');
  }
  return balance + amount;
}

/**
 * A wallet that somebody can sign in to. `at` says where the request names the account.
 * @throws Problem 400: only a wallet has credentials, a key to export and a privacy to set (D12, D62), and a closed one
 * has none any more (D67).
 */
export function checkIsOpenWallet(
  account: { readonly type: string; readonly status: string },
  at: Pick<Fault, 'in' | 'pointer'>,
): void {
  if (account.type !== 'EMBEDDED_WALLET')
    throw invalid([{ ...at, message: `is an ${account.type} account; only an EMBEDDED_WALLET has credentials` }]);
  if (account.status === 'CLOSED')
    throw invalid([{ ...at, message: 'is closed, because its currency was dropped from the customer' }]);
}

/** @throws Problem 400: a closed account takes no money. `at` says where the request names the account. */
export function checkIsOpen(
  account: { readonly status: string },
  at: Pick<Fault, 'in' | 'pointer'> = { in: 'path', pointer: '/accountId' },
): void {
  if (account.status !== 'CLOSED') return;
  throw invalid([{ ...at, message: 'is closed: its customer was deleted, or no longer has its currency' }]);
}

/** An account type's fields by name, as the validator has passed them. */
type Fields = Readonly<Record<string, unknown>>;

/** What the contract says of the account's type. */
function typeOf(info: ExternalAccountInfo): AccountTypeFacts {
  const facts = accountTypes[info.accountType];
  if (facts === undefined) throw new Error(`The contract has no account type ${info.accountType}`);
  return facts;
}

/** @throws Problem 400 `INVALID_CURRENCY` for an unknown currency or one that is not the type's (D03). */
export function checkAccountCurrency(currency: string, info: ExternalAccountInfo): void {
  const { currencies } = typeOf(info);
  if (findCurrency(currency) === undefined) {
    throw invalidField('/currency', `${currency} is not a currency of the service`, 'INVALID_CURRENCY');
  }
  const takesNational = currencies.includes('*') && accountTypeFor(currency) === 'INTERNAL_FIAT';
  if (takesNational || currencies.includes(currency)) return;
  const taken = currencies.includes('*') ? 'a national currency' : currencies.join(' or ');
  const message = `must be ${taken}, the currency of ${info.accountType}`;
  throw invalidField('/currency', message, 'INVALID_CURRENCY');
}

/**
 * The account with the rails that reach it: those asked for, else all that its fields are enough for (D64).
 * @throws Problem 400 when the fields are enough for none, or not for one that was asked for.
 */
export function withRails(info: ExternalAccountInfo): ExternalAccountInfo {
  const { rails } = typeOf(info);
  if (rails.length === 0) return info;
  const given = info as Fields;
  const isPossible = ({ fields }: { readonly fields: readonly string[] }) =>
    fields.every((field) => given[field] !== undefined);
  const possible = [...new Set(rails.filter(isPossible).map(({ rail }) => rail))];
  const asked = given['paymentRails'] as readonly string[] | undefined;
  const missing = rails.filter(({ rail }) =>
    asked === undefined ? possible.length === 0 : asked.includes(rail) && !possible.includes(rail),
  );
  if (missing.length > 0) {
    const ways = missing.map(({ rail, fields }) => `${rail} needs ${fields.join(' and ')}`).join('; ');
    throw invalidField('/accountInfo', `lacks the fields of its payment rail: ${ways}`);
  }
  return { ...info, paymentRails: asked ?? possible } as ExternalAccountInfo;
}

/** The rails that reach a kept account; none for wallets. */
export function railsOf(info: ExternalAccountInfo): readonly string[] {
  return 'paymentRails' in info ? ((info as Fields)['paymentRails'] as readonly string[]) : [];
}

/** What identifies the account: the first of its type's identifiers that is there (D03). */
export function primaryIdentifier(info: ExternalAccountInfo): string {
  const given = info as Fields;
  const field = typeOf(info).identifiers.find((name) => given[name] !== undefined);
  return String(field === undefined ? '' : given[field]);
}

/**
 * The result of the beneficiary's name check, by the identifier's suffix, and the name that it found
 * (D40).
 * @throws Problem 400 `INVALID_BANK_ACCOUNT` for suffix 105.
 */
export function checkBeneficiary(
  info: ExternalAccountInfo,
): Pick<ExternalAccountRecord, 'beneficiaryVerificationStatus' | 'verifiedName'> {
  const status = beneficiaryChecks[outcomeSuffix(primaryIdentifier(info))] ?? beneficiaryFound;
  if (status === 'INVALID_BANK_ACCOUNT') throw invalidField('/accountInfo', 'does not exist at its bank', status);
  const name = beneficiaryName(info);
  if (name === undefined) return { beneficiaryVerificationStatus: status };
  if (status === 'MATCHED') return { beneficiaryVerificationStatus: status, verifiedName: name };
  if (status === 'PARTIAL_MATCH') return { beneficiaryVerificationStatus: status, verifiedName: abbreviate(name) };
  return { beneficiaryVerificationStatus: status };
}

/** The beneficiary's name as it was sent; undefined for an account without one. */
export function beneficiaryName(info: ExternalAccountInfo): string | undefined {
  return 'beneficiary' in info ? nameOf(info.beneficiary) : undefined;
}

function nameOf(beneficiary: { readonly beneficiaryType: string }): string {
  return 'legalName' in beneficiary ? String(beneficiary.legalName) : String((beneficiary as Fields)['fullName']);
}

/** A name that is nearly the one sent, and never longer: what a bank might have on file. */
function abbreviate(name: string): string {
  const [first = '', ...rest] = name.split(' ');
  const letters = Array.from(first);
  if (rest.length > 0 && letters.length > 2) return `${letters[0]}. ${rest.join(' ')}`;
  // What cannot be abbreviated loses its last letter; a single one gets a full stop.
  return Array.from(name).slice(0, -1).join('') || `${name}.`;
}

/** @throws Problem 400: only a customer's account can receive what arrives by UMA. */
export function checkDeposit(customerId: string | undefined, isDefault: boolean): void {
  if (isDefault && customerId === undefined) {
    throw invalidField('/defaultUmaDepositAccount', 'is for accounts of customers; name a customerId');
  }
}

/**
 * The balance after money went out.
 * @throws Problem 400 `INSUFFICIENT_FUNDS`: no account goes below zero (D28, D29).
 */
export function balanceAfterDebit({ balance, currency }: Held, amount: number): number {
  if (amount > balance) {
    const message = `The account holds ${sayAmount(balance, currency)}; the payment needs ${sayAmount(amount, currency)}.`;
    throw new Problem('INSUFFICIENT_FUNDS', message, { details: { balance, needed: amount } });
  }
  return balance - amount;
}

/** What a check of the ledger found; no faults, and it is sound (D29). */
export interface LedgerReport {
  readonly faults: readonly string[];
  /** What each place holds, in smallest units; the nearest number where that is more than one can hold exactly. */
  readonly places: Readonly<Record<string, number>>;
}

/**
 * Proves the ledger: both sides of every movement cancel out, each account's balance is the sum of its postings, no
 * place but the outside world is below zero, and each currency sums up to zero.
 */
export function examineLedger(
  all: readonly Pick<PostingRecord, 'movementId' | 'accountId' | 'currency' | 'amount'>[],
  accounts: readonly { readonly id: string; readonly balance: number }[],
): LedgerReport {
  // Sums pass what a number holds exactly, though no single amount does.
  const places = new Map<string, bigint>();
  const movements = new Map<string, bigint>();
  const currencies = new Map<string, bigint>();
  const add = (sums: Map<string, bigint>, name: string, amount: bigint) =>
    sums.set(name, (sums.get(name) ?? 0n) + amount);
  for (const { movementId, accountId, currency, amount } of all) {
    add(places, accountId, BigInt(amount));
    add(movements, `${movementId} in ${currency}`, BigInt(amount));
    add(currencies, currency, BigInt(amount));
  }
  const faults = [
    ...[...movements].flatMap(([name, sum]) => (sum === 0n ? [] : [`the movement ${name} sums up to ${sum}`])),
    ...[...currencies].flatMap(([name, sum]) => (sum === 0n ? [] : [`${name} sums up to ${sum}`])),
    ...[...places].flatMap(([name, sum]) => (sum < 0n && !isWorld(name) ? [`${name} holds ${sum}`] : [])),
    ...accounts.flatMap(({ id, balance }) =>
      BigInt(balance) === (places.get(id) ?? 0n) ? [] : [`${id} says ${balance}, its postings ${places.get(id) ?? 0n}`],
    ),
  ];
  return { faults, places: Object.fromEntries([...places].map(([name, sum]) => [name, Number(sum)])) };
}
