import type { Fault } from '../../../../contract/faults.ts';
import { type AccountTypeFacts, accountTypes } from '../../../../generated/accountTypes.ts';
import type { ExternalAccountInfo } from '../../../../generated/types.ts';
import { accountTypeFor, findCurrency, maxAmount, sayAmount } from '../../payments/currencies.ts';
import { beneficiaryChecks, beneficiaryFound } from '../../payments/outcomes.ts';
import { isWorld } from '../../payments/places.ts';
import { invalid, invalidField, Problem } from '../../tools/problem.ts';
import { outcomeSuffix } from '../../tools/suffix.ts';
import type { ExternalAccountRecord, PostingRecord } from './records.ts';

/** The facts of an account that rules about balances need. The amount is in the currency's smallest unit. */
interface Held {
  readonly balance: number;
  readonly currency: string;
}

/**
 * The balance after money came in, in the smallest unit. `pointer` is the place of the amount in the request.
 * @throws Problem 400 `AMOUNT_OUT_OF_RANGE` above what an account can hold, so that no number is rounded (D08).
 */
export function balanceAfterCredit({ balance, currency }: Held, amount: number, pointer = '/amount'): number {
  if (amount > maxAmount - balance) {
    const [most, room] = [sayAmount(maxAmount, currency), sayAmount(maxAmount - balance, currency)];
    const message = `would raise the balance above ${most}; at most ${room} more is possible`;
    throw invalidField(pointer, message, 'AMOUNT_OUT_OF_RANGE');
  }
  return balance + amount;
}

/**
 * Checks that an account is a wallet that its owner can sign in to. `at` is the place of the account in the request.
 * @throws Problem 400: only a wallet has credentials, a key to export and a privacy setting (D12, D62), and a closed
 * wallet has none of these (D67).
 */
export function checkIsOpenWallet(
  account: { readonly type: string; readonly status: string },
  at: Pick<Fault, 'in' | 'pointer'>,
): void {
  if (account.type !== 'EMBEDDED_WALLET')
    throw invalid([{ ...at, message: `is an ${account.type} account; only an EMBEDDED_WALLET has credentials` }]);
  if (account.status === 'CLOSED')
    throw invalid([{ ...at, message: 'is closed, because the customer no longer has its currency' }]);
}

/** @throws Problem 400 if the account is closed: it takes no money. `at` is the place of the account in the request. */
export function checkIsOpen(
  account: { readonly status: string },
  at: Pick<Fault, 'in' | 'pointer'> = { in: 'path', pointer: '/accountId' },
): void {
  if (account.status !== 'CLOSED') return;
  throw invalid([{ ...at, message: 'is closed: its customer was deleted, or no longer has its currency' }]);
}

/** The fields of an account type by name, after validation. */
type Fields = Readonly<Record<string, unknown>>;

/** The contract's facts about the account's type. */
function typeOf(info: ExternalAccountInfo): AccountTypeFacts {
  const facts = accountTypes[info.accountType];
  if (facts === undefined) throw new Error(`The contract has no account type ${info.accountType}`);
  return facts;
}

/** @throws Problem 400 `INVALID_CURRENCY` if the currency is unknown or the type doesn't allow it (D03) */
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
 * The account with the rails that reach it: the requested ones, or all rails that its fields are sufficient for (D64).
 * @throws Problem 400 if the fields aren't sufficient for any rail, or for a requested one.
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

/** The rails that reach a stored account; none for wallets. */
export function railsOf(info: ExternalAccountInfo): readonly string[] {
  return 'paymentRails' in info ? ((info as Fields)['paymentRails'] as readonly string[]) : [];
}

/** The identifier of the account: the first of its type's identifiers that is present (D03). */
export function primaryIdentifier(info: ExternalAccountInfo): string {
  const given = info as Fields;
  const field = typeOf(info).identifiers.find((name) => given[name] !== undefined);
  return String(field === undefined ? '' : given[field]);
}

/**
 * The result of the beneficiary's name check, selected by the identifier's suffix, and the name found (D40).
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

/** The beneficiary's name as it was sent; undefined if the account has none. */
export function beneficiaryName(info: ExternalAccountInfo): string | undefined {
  return 'beneficiary' in info ? nameOf(info.beneficiary) : undefined;
}

function nameOf(beneficiary: { readonly beneficiaryType: string }): string {
  return 'legalName' in beneficiary ? String(beneficiary.legalName) : String((beneficiary as Fields)['fullName']);
}

/** A name similar to the one sent, and never longer: a name as a bank might have stored it. */
function abbreviate(name: string): string {
  const [first = '', ...rest] = name.split(' ');
  const letters = Array.from(first);
  if (rest.length > 0 && letters.length > 2) return `${letters[0]}. ${rest.join(' ')}`;
  // A name that can't be abbreviated loses its last letter. A single letter gets a full stop.
  return Array.from(name).slice(0, -1).join('') || `${name}.`;
}

/** @throws Problem 400: only a customer's account can receive UMA payments */
export function checkDeposit(customerId: string | undefined, isDefault: boolean): void {
  if (isDefault && customerId === undefined) {
    throw invalidField('/defaultUmaDepositAccount', 'is only for accounts of customers; add a customerId');
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

/** The result of a check of the ledger. It is sound if there are no faults (D29). */
export interface LedgerReport {
  readonly faults: readonly string[];
  /** The amount in each place, in smallest units. If a number can't hold it exactly, the nearest number. */
  readonly places: Readonly<Record<string, number>>;
}

/**
 * Checks the ledger: both sides of every movement cancel out, each account's balance is the sum of its postings, no
 * place except the outside world is negative, and the sum of each currency is zero. It takes the records in parts, and
 * keeps one sum for each place, and for each movement that doesn't cancel out.
 */
export class LedgerExamination {
  // Sums can exceed what a number holds exactly, although no single amount does.
  readonly #places = new Map<string, bigint>();
  readonly #movements = new Map<string, bigint>();
  readonly #currencies = new Map<string, bigint>();
  readonly #wrongBalances: string[] = [];

  /** Takes all postings before the first account. */
  addPostings(postings: readonly Pick<PostingRecord, 'movementId' | 'accountId' | 'currency' | 'amount'>[]): void {
    for (const { movementId, accountId, currency, amount } of postings) {
      add(this.#places, accountId, BigInt(amount));
      const movement = `${movementId} in ${currency}`;
      if (add(this.#movements, movement, BigInt(amount)) === 0n) this.#movements.delete(movement);
      add(this.#currencies, currency, BigInt(amount));
    }
  }

  addAccounts(accounts: readonly { readonly id: string; readonly balance: number }[]): void {
    for (const { id, balance } of accounts) {
      const sum = this.#places.get(id) ?? 0n;
      if (BigInt(balance) !== sum) this.#wrongBalances.push(`${id} says ${balance}, its postings ${sum}`);
    }
  }

  report(): LedgerReport {
    const faults = [
      ...[...this.#movements].map(([name, sum]) => `the movement ${name} sums up to ${sum}`),
      ...[...this.#currencies].flatMap(([name, sum]) => (sum === 0n ? [] : [`${name} sums up to ${sum}`])),
      ...[...this.#places].flatMap(([name, sum]) => (sum < 0n && !isWorld(name) ? [`${name} holds ${sum}`] : [])),
      ...this.#wrongBalances,
    ];
    return { faults, places: Object.fromEntries([...this.#places].map(([name, sum]) => [name, Number(sum)])) };
  }
}

/** @returns the new sum under the name */
function add(sums: Map<string, bigint>, name: string, amount: bigint): bigint {
  const sum = (sums.get(name) ?? 0n) + amount;
  sums.set(name, sum);
  return sum;
}

/** The same for a ledger that is in memory. */
export function examineLedger(
  all: Parameters<LedgerExamination['addPostings']>[0],
  accounts: Parameters<LedgerExamination['addAccounts']>[0],
): LedgerReport {
  const examination = new LedgerExamination();
  examination.addPostings(all);
  examination.addAccounts(accounts);
  return examination.report();
}
