/** The differences that a user has reviewed and expects: `--expect differences.yaml`. */
import { isDeepStrictEqual } from 'node:util';
import { LineCounter, parseDocument } from 'yaml';
import { pointerKeys } from '../../contract/pointer.ts';
import type { Finding } from '../report/report.ts';

/** An expected difference. It covers every difference of this kind. */
export interface Pin {
  /** The operation; `none` if the contract doesn't have the path. */
  readonly operation: string;
  /** The place: `response.status`, `response.body /data/*`, `response.headers /Retry-After`. A `*` matches any key. */
  readonly at: string;
  readonly rule?: string;
  readonly recorded?: unknown;
  readonly ours?: unknown;
  readonly reason: string;
}

/** The file isn't a list of expected differences. The message says what is wrong, and where. */
export class UnreadablePins extends Error {}

const names: readonly string[] = ['operation', 'at', 'rule', 'recorded', 'ours', 'reason'];

/** Reads the expected differences from a file. @throws UnreadablePins */
export function readPins(text: string): Pin[] {
  const document = parseDocument(text, { lineCounter: new LineCounter() });
  const [fault] = document.errors;
  if (fault !== undefined) throw new UnreadablePins(`isn't YAML: ${fault.message.split('\n')[0] ?? ''}`);
  const value: unknown = document.toJS();
  const list =
    typeof value === 'object' && value !== null ? (value as { differences?: unknown }).differences : undefined;
  if (!Array.isArray(list)) throw new UnreadablePins('has no list `differences`');
  return list.map((item: unknown, index) => readPin(item, index));
}

function readPin(item: unknown, index: number): Pin {
  const where = `differences[${index}]`;
  if (typeof item !== 'object' || item === null) throw new UnreadablePins(`has a ${where} that isn't a map`);
  const unknown = Object.keys(item).find((name) => !names.includes(name));
  if (unknown !== undefined) {
    throw new UnreadablePins(`has ${where}.${unknown}, but a difference has only ${names.join(', ')}`);
  }
  for (const name of ['operation', 'at', 'reason']) {
    const text = (item as Record<string, unknown>)[name];
    if (typeof text !== 'string' || text.trim() === '') throw new UnreadablePins(`has no text in ${where}.${name}`);
  }
  return item as Pin;
}

/** The expected differences of a run, and which of them occurred. */
export interface Expected {
  /** The entry that covers a difference. */
  find(finding: Omit<Finding, 'fails'>): Pin | undefined;
  /** The expected differences that didn't occur. */
  gone(): readonly Pin[];
}

export function createExpected(pins: readonly Pin[]): Expected {
  const met = new Set<Pin>();
  return {
    find(finding) {
      const found = pins.find((pin) => matches(pin, finding));
      if (found !== undefined) met.add(found);
      return found;
    },
    gone: () => pins.filter((pin) => !met.has(pin)),
  };
}

function matches(pin: Pin, finding: Omit<Finding, 'fails'>): boolean {
  if (pin.operation !== (finding.operationId ?? 'none')) return false;
  const [where, pointer = ''] = pin.at.split(/\s+/);
  const [wanted, keys] = [pointerKeys(pointer), pointerKeys(finding.pointer)];
  const isThere =
    where === finding.in &&
    wanted.length === keys.length &&
    wanted.every((key, index) => key === '*' || key === keys[index]);
  if (!isThere) return false;
  if (pin.rule !== undefined && pin.rule !== finding.rule) return false;
  return (['recorded', 'ours'] as const).every(
    (side) => !Object.hasOwn(pin, side) || isDeepStrictEqual(pin[side], finding[side]),
  );
}
