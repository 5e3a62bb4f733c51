/**
 * Compares amounts. Another service has other rates and fees, so its figures differ from ours. Two things can be
 * compared: how sending amount, fees, rate and receiving amount follow from each other, and whether a requested amount
 * is the amount in the reply.
 */
import { pointerKeys } from '../../contract/pointer.ts';
import { add, type Walk } from './walk.ts';

type Json = Readonly<Record<string, unknown>>;

/** Fields that depend on rates, fees and balances. */
const moneyName = /(?:amount|fees?|feesincluded|rate|multiplier|balance|spend|used|fixedfee)$/i;

/** Whether a number depends on rates and fees, and isn't an amount that the request asked for. */
export function isMoney(pointer: string, { request, status }: Walk): boolean {
  const keys = pointerKeys(pointer);
  const name = keys.at(-1) ?? '';
  // The details of a refusal are the figures that decided it.
  if (status >= 400 && keys[0] === 'details') return true;
  return moneyName.test(name) && !isAskedFor(name, request);
}

/** Whether the request has a number in a field of that name. */
function isAskedFor(name: string, request: unknown): boolean {
  if (typeof request !== 'object' || request === null) return false;
  return Object.entries(request).some(([key, value]) =>
    typeof value === 'number' ? key === name : isAskedFor(name, value),
  );
}

/** The figures of a quote or a transaction. */
interface Figures {
  readonly sending: number;
  readonly fees: number;
  readonly receiving: number;
  readonly rate: number;
  readonly sendingDecimals: number;
  readonly receivingDecimals: number;
}

/** Compares whether the receiving amount follows from the others by the same rule. */
export function compareMoney(was: Json, is: Json, pointer: string, walk: Walk): void {
  const [before, now] = [readFigures(was), readFigures(is)];
  if (before === undefined || now === undefined || follows(before) === follows(now)) return;
  // If one of the figures is already reported, that covers the relation too.
  if (walk.found.some((one) => one.rule === 'replay/amount' && one.pointer.startsWith(`${pointer}/`))) return;
  const place = Object.hasOwn(was, 'totalReceivingAmount') ? 'totalReceivingAmount' : 'receivedAmount/amount';
  add(walk, `${pointer}/${place}`, 'relation', before.receiving, now.receiving);
}

/** Whether the receiving amount is the amount after fees at this rate, to one unit of either currency. */
function follows({ sending, fees, receiving, rate, sendingDecimals, receivingDecimals }: Figures): boolean {
  const left = (sending - fees) / 10 ** sendingDecimals;
  const needed = (receiving / 10 ** receivingDecimals) * rate;
  // A rate has only a few digits, so a large amount may be off by its last digit.
  const slack = 1 / 10 ** sendingDecimals + rate / 10 ** receivingDecimals + Math.abs(left) * 0.002;
  return Math.abs(left - needed) <= slack;
}

function readFigures(value: Json): Figures | undefined {
  const sent = (value['sentAmount'] ?? {}) as Json;
  const received = (value['receivedAmount'] ?? {}) as Json;
  const sendingCurrency = (value['sendingCurrency'] ?? sent['currency'] ?? {}) as Json;
  const receivingCurrency = (value['receivingCurrency'] ?? received['currency'] ?? {}) as Json;
  const figures = {
    sending: value['totalSendingAmount'] ?? sent['amount'],
    fees: value['feesIncluded'] ?? value['fees'] ?? 0,
    receiving: value['totalReceivingAmount'] ?? received['amount'],
    rate: value['exchangeRate'],
    sendingDecimals: sendingCurrency['decimals'],
    receivingDecimals: receivingCurrency['decimals'],
  };
  return Object.values(figures).every((figure) => typeof figure === 'number') ? (figures as Figures) : undefined;
}
