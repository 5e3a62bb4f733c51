/** Writes the tables of the guides from their sources: the contract, the sandbox's data, the decisions. */
import {
  beneficiaryChecks,
  beneficiaryFound,
  endings,
  identityChecks,
  identityFound,
  type Outcome,
  quoteOutcomes,
  success,
  transferOutcomes,
  umaReceivers,
  unknownUmaReceiver,
} from '../../mocks/sandbox/payments/outcomes.ts';
import { magic } from '../../mocks/sandbox/proofs/magic.ts';
import type { ContractDocument } from '../lib/contract.ts';
import { readAccountTypes } from './accountTypes.ts';
import { readCurrencies, readExclusions } from './currencies.ts';
import { writeEntries } from './decisions.ts';
import { writeErrors } from './errors.ts';
import { type Facts, readOperations } from './facts.ts';
import { code, codes, list, table } from './phrases.ts';
import type { Machine } from './states.ts';

/** What the tables are made from, besides the sandbox's data. */
export interface TableSources {
  readonly contract: ContractDocument;
  /** Error code → what it means. */
  readonly meanings: Readonly<Record<string, string>>;
  /** The text of DECISIONS.md. */
  readonly decisions: string;
}

/**
 * Every table by the name that a guide uses.
 * @throws Error if a code has no meaning, or a meaning has no code.
 */
export function writeTables(sources: TableSources): Readonly<Record<string, string>> {
  const operations = readOperations(sources.contract);
  return {
    errors: writeErrors(sources, operations),
    idempotent: operationTable(operations.filter(({ idempotent }) => idempotent)),
    'signed-retries': operationTable(operations.filter(({ signedRetry }) => signedRetry)),
    magic: magicTable(),
    ...outcomeTables,
    currencies: currencyTable(sources.contract),
    exclusions: exclusionTable(sources.contract),
    'account-types': accountTypeTable(sources.contract),
    decisions: writeEntries(sources.decisions),
  };
}

/** The outcomes that an identifier selects in the sandbox: tables by the name that a guide or a description uses. */
export const outcomeTables: Readonly<Record<string, string>> = {
  quotes: outcomeTable(quoteOutcomes, quoteMoney),
  transfers: outcomeTable(transferOutcomes, transferMoney),
  beneficiaries: checkTable('`beneficiaryVerificationStatus`', beneficiaryChecks, beneficiaryFound),
  identities: checkTable('KYB or KYC status', identityChecks, identityFound),
  receivers: receiverTable(),
};

/** A machine's transitions as a table, for readers of plain text and readers who can't see the picture. */
export function transitionTable({ transitions, unused = [] }: Machine): string {
  const rows = transitions.map(({ from, to, when }) => [from === null ? '(new)' : code(from), code(to), when]);
  const never = unused.length === 0 ? '' : `\n\nThe sandbox never sets ${list(unused.map(code))}.`;
  return table(['From', 'To', 'When'], rows) + never;
}

function operationTable(operations: readonly Facts[]): string {
  return table(
    ['Operation', 'Request'],
    operations.map(({ id, method, path }) => [code(id), code(`${method} ${path}`)]),
  );
}

function magicTable(): string {
  return table(
    ['Where', 'Value'],
    [
      ['`otp` on verify, EMAIL_OTP', code(magic.otp)],
      ['`assertion.signature` on verify, PASSKEY', code(magic.passkeySignature)],
      ['`oidcToken` on verify, OAUTH', code(magic.oidcToken)],
      ['`Service-Wallet-Signature` on signed retries and quotes', code(magic.walletSignature)],
    ],
  );
}

type Money = (outcome: Outcome) => string;

function outcomeTable(outcomes: Readonly<Record<string, Outcome>>, money: Money): string {
  const rows = Object.entries(outcomes).map(([suffix, outcome]) => [code(suffix), statuses(outcome), money(outcome)]);
  return table(['Ends in', 'Status', 'Money'], [...rows, ['anything else', statuses(success), money(success)]]);
}

function receiverTable(): string {
  const rows = Object.entries(umaReceivers).map(([name, { currency, outcome }]) => [
    code(name),
    currency,
    statuses(outcome),
    quoteMoney(outcome),
  ]);
  const nobody = [
    code(unknownUmaReceiver),
    'nothing',
    `none: the lookup is 404 ${code('UMA_NOT_FOUND')}`,
    'does not move',
  ];
  return table(['Address begins with', 'Takes', 'Status', 'Money'], [...rows, nobody]);
}

/** What a quote does with the payer's money. */
function quoteMoney({ step, refund, later }: Outcome): string {
  const moved = {
    PAY: 'arrives at once',
    HOLD: 'leaves at once, arrives later',
    BOUNCE: 'leaves and comes back at once',
    LOSE: 'is gone',
    NOTHING: 'does not move',
  }[step];
  const returned = later?.pending === 'RETURN' ? ', comes back later' : '';
  const refunded = refund === undefined ? '' : `; refund ${refund.status}, ${code(refund.reason)}`;
  return moved + returned + refunded;
}

/** What a transfer does with the balance of the internal account. A transfer has no refund (D70). */
function transferMoney({ step }: Outcome): string {
  if (step === 'PAY') return 'arrives at once';
  if (step === 'HOLD') return 'a transfer out is debited and comes back later; a transfer in is not credited';
  return 'no balance changes';
}

function statuses(outcome: Outcome): string {
  const { later } = outcome;
  const then = later === undefined ? '' : `, after ${duration(later.afterMs)} ${statusCell(endings[later.pending])}`;
  return statusCell(outcome) + then;
}

function currencyTable(contract: ContractDocument): string {
  const types = readAccountTypes(contract);
  const rows = readCurrencies(contract).map(({ code: currency, name, decimals, account }) => {
    const own = types.filter(({ currencies }) => currencies.includes(currency)).map(({ type }) => type);
    const any = types.filter(({ currencies }) => account === 'INTERNAL_FIAT' && currencies.includes('*'));
    return [
      currency,
      name,
      String(decimals),
      code(account),
      codes([...own, ...any.map(({ type }) => type)]).join(', '),
    ];
  });
  return table(['Code', 'Currency', 'Decimals', 'Held in', 'Types of external account'], rows);
}

function exclusionTable(contract: ContractDocument): string {
  return table(
    ['Not for the same customer'],
    readExclusions(contract).map((names) => [list(names)]),
  );
}

function accountTypeTable(contract: ContractDocument): string {
  const rows = readAccountTypes(contract).map(({ type, currencies, identifiers, rails }) => [
    code(type),
    currencies.includes('*') ? 'every national currency' : currencies.join(', '),
    codes(identifiers).join(', else '),
    rails.map(({ rail, fields }) => (fields.length === 0 ? rail : `${rail}: ${codes(fields).join(', ')}`)).join('; '),
  ]);
  return table(['Type', 'Currencies', 'Selects the outcome', 'Rails, and what each needs'], rows);
}

function statusCell({ status, failureReason }: Pick<Outcome, 'status' | 'failureReason'>): string {
  return failureReason === undefined ? status : `${status}, ${code(failureReason)}`;
}

function duration(milliseconds: number): string {
  const seconds = milliseconds / 1000;
  return seconds % 60 === 0 ? `${seconds / 60} minutes` : `${seconds} seconds`;
}

function checkTable(title: string, checks: Readonly<Record<string, string>>, otherwise: string): string {
  const rows = Object.entries(checks).map(([suffix, status]) => [
    code(suffix),
    status === 'INVALID_BANK_ACCOUNT' ? `none: 400 ${code(status)}` : status,
  ]);
  return table(['Ends in', title], [...rows, ['anything else', otherwise]]);
}
