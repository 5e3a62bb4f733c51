/**
 * How much a platform's records weigh: their size in a snapshot. It is counted while they are written, so a snapshot
 * that is too large is refused before anything is read.
 */
import { utf8Length } from '../../node/machine/bytes.ts';
import type { Row } from '../store.ts';

/** The name of the counter. */
export const weightCounter = 'bytes';

/** What a record takes in a snapshot besides its body: sequence, version, and the line's end. */
export const bytesBesideBody = 48;

export function weightOfRow({ body }: Row): number {
  return utf8Length(String(body)) + bytesBesideBody;
}

/** What a record weighs more after a change. Only the fields that have changed are measured. */
export function differenceOf(before: object, after: object): number {
  let difference = 0;
  const [was, is] = [before as Readonly<Record<string, unknown>>, after as Readonly<Record<string, unknown>>];
  for (const name in is) if (is[name] !== was[name] && isInBody(name)) difference += sizeOf(name, is[name]);
  for (const name in was) if (is[name] !== was[name] && isInBody(name)) difference -= sizeOf(name, was[name]);
  return difference;
}

function isInBody(name: string): boolean {
  return name !== 'sequence' && name !== 'version';
}

/** With quotes, colon and comma. A field without a value isn't written. */
function sizeOf(name: string, value: unknown): number {
  return value === undefined ? 0 : utf8Length(name) + utf8Length(JSON.stringify(value)) + 4;
}
