/** Walks through two bodies, and describes the differences it finds. */
import type { Contract } from '../../contract/contract.ts';
import { maskNamed } from '../../contract/mask.ts';
import { pointerKeys } from '../../contract/pointer.ts';
import type { Operation } from '../../generated/operations.ts';
import type { RecordedBody } from '../../traffic/exchange.ts';
import type { Difference } from './difference.ts';
import type { Learnt } from './learnt.ts';
import type { Times } from './times.ts';

/** What a comparison needs besides the two replies. */
export interface Comparison {
  readonly contract: Contract;
  readonly operation: Operation | undefined;
  readonly learnt: Learnt;
  /** Texts of the recorded requests so far. If a recorded reply repeats one, ours must too. */
  readonly sent: ReadonlySet<string>;
  /** The recorded request's body, parsed; undefined if there is none. */
  readonly request: unknown;
  /**
   * Whether amounts must be the same, as for a recording of the sandbox itself. If not, only how they follow from each
   * other.
   */
  readonly exact: boolean;
  readonly times: Times;
}

/** The walk through two bodies: its place, and the differences so far. */
export interface Walk extends Comparison {
  readonly status: number;
  readonly recordedBody: unknown;
  readonly beside: ReadonlySet<string>;
  readonly found: Difference[];
  /** Compares two values of the bodies. */
  readonly compare: (was: unknown, is: unknown, pointer: string, walk: Walk) => void;
}

/** How a place in the body differs. */
export type Kind =
  | 'missing'
  | 'extra'
  | 'type'
  | 'value'
  | 'form'
  | 'reference'
  | 'time'
  | 'amount'
  | 'relation'
  | 'order'
  | 'length'
  | 'inner';

/** Adds a difference in the body. */
export function add(walk: Walk, pointer: string, kind: Kind, was: unknown, is: unknown, inside?: string): void {
  const found = describe('response.body', pointer, `replay/${kind}`, was, is);
  walk.found.push(
    inside === undefined ? found : { ...found, message: `${found.message} (at ${inside} inside the text)` },
  );
}

/** Describes a difference in words. */
export function describe(
  where: Difference['in'],
  pointer: string,
  rule: Difference['rule'],
  was: unknown,
  is: unknown,
): Difference {
  const keys = pointerKeys(pointer);
  const [recorded, ours] = [was, is].map((value) => maskNamed(keys, value));
  const values = { ...(was === undefined ? {} : { recorded }), ...(is === undefined ? {} : { ours }) };
  return { in: where, pointer, rule, message: sentence(rule, recorded, ours), ...values };
}

function sentence(rule: Difference['rule'], was: unknown, is: unknown): string {
  switch (rule) {
    case 'replay/missing':
      return `is ${short(was)} in the recording, but is missing here`;
    case 'replay/extra':
      return `isn't in the recording, but is ${short(is)} here`;
    case 'replay/type':
      return `is ${article(kindOf(was))} in the recording, and ${article(kindOf(is))} here`;
    case 'replay/reference':
      return `names another one: ${short(was)} in the recording, ${short(is)} here`;
    case 'replay/order':
      return `has the same items in another order: ${short(was)} in the recording, ${short(is)} here`;
    case 'replay/length':
      return `has ${short(was)} items in the recording, and ${short(is)} here`;
    case 'replay/relation':
      return `follows by another rule from sending amount, fees and rate: ${short(was)} in the recording, ${short(is)} here`;
    case 'replay/form':
      return `has another form: ${short(was)} in the recording, ${short(is)} here`;
    default:
      return `is ${short(was)} in the recording, and ${short(is)} here`;
  }
}

function short(value: unknown): string {
  if (value === undefined) return 'not there';
  const text = JSON.stringify(value);
  return text.length > 120 ? `${text.slice(0, 117)}...` : text;
}

function article(kind: string): string {
  if (kind === 'null') return kind;
  return /^[aeiou]/.test(kind) ? `an ${kind}` : `a ${kind}`;
}

/** The JSON type of a value. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'list' : typeof value;
}

/** The body as JSON. @returns undefined if it is empty or isn't JSON */
export function parse(body: RecordedBody): unknown {
  return body.kind === 'text' ? parseText(body.text) : undefined;
}

/** A text as JSON. @returns undefined if it isn't JSON */
export function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
