/**
 * Amounts. Another service has other rates and fees, so its figures can't be ours. What can be compared is how sending
 * amount, fees, rate and receiving amount follow from each other, and that an amount which was asked for is the one given.
 */
import { pointerKeys } from '../../contract/pointer.ts';
import { add, type Walk } from './walk.ts';

type Json = Readonly<Record<string, unknown>>;

/** Fields that depend on rates, fees and balances. */
const moneyName = /(?:amount|fees?|feesincluded|rate|multiplier|balance|spend|used|fixedfee)$/i;

/** Whether a number is a matter of rates and fees, and not one that the request asked for. */
export function isMoney(pointer: string, { request, status }: Walk): boolean {
  const keys = pointerKeys(pointer);
  const name = keys.at(-1) ?? '';
  // A refusal's details are the figures that it was decided by.
  if (status >= 400 && keys[0] === 'details') return true;
  return moneyName.test(name) && !isAskedFor(name, request);
}

/** Whether the request has a field of that name, with a number. */
function isAskedFor(name: string, request: unknown): boolean {
  if (typeof request !== 'object' || request === null) return false;
  return Object.entries(request).some(([key, value]) =>
    typeof value === 'number' ? key === name : isAskedFor(name, value),
  );
}

/** The figures of a quote or a transaction; undefined for what is neither. */
interface Figures {
  readonly sending: number;
  readonly fees: number;
  readonly receiving: number;
  readonly rate: number;
  readonly sendingDecimals: number;
  readonly receivingDecimals: number;
}

/** Compares by which rule the receiving amount follows from the others. */
export function compareMoney(was: Json, is: Json, pointer: string, walk: Walk): void {
  const [before, now] = [readFigures(was), readFigures(is)];
  if (before === undefined || now === undefined || follows(before) === follows(now)) return;
  // A figure that is told by itself says it already.
  if (walk.found.some((one) => one.rule === 'replay/amount' && one.pointer.startsWith(`${pointer}/`))) return;
  const place = Object.hasOwn(was, 'totalReceivingAmount') ? 'totalReceivingAmount' : 'receivedAmount/amount';
  add(walk, `${pointer}/${place}`, 'relation', before.receiving, now.receiving);
}

/** Whether it is what is left after the fees, by the rate, to one unit of either currency. */
function follows({ sending, fees, receiving, rate, sendingDecimals, receivingDecimals }: Figures): boolean {
  const left = (sending - fees) / 10 ** sendingDecimals;
  const needed = (receiving / 10 ** receivingDecimals) * rate;
  // A rate is given to a few digits, so a large amount may be off by as much as the last of them.
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
