/**
 * How much a platform's records weigh: their size in a snapshot. It is counted while they are written, so a snapshot
 * that is too large is refused before anything is read.
 */
import { sql } from 'kysely';
import { memoize } from '../../../../contract/memoize.ts';
import { utf8Length } from '../../node/machine/bytes.ts';
import { firstRow, literal, query } from '../query.ts';
import type { Cell, Reader, RecordTable, Row } from '../store.ts';

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

/** The number of records that one statement weighs. */
const atOnce = 200;

const weighIn = memoize((name: RecordTable) =>
  query<Record<'rowsId' | 'beyond', Cell>>((db, p) =>
    db
      .selectFrom(
        db
          .selectFrom(name)
          .select(['sequence', sql<number>`octet_length(body)`.as('bytes')])
          .where('platform_id', '=', p.rowsId)
          .where('sequence', '>', p.beyond)
          .orderBy('sequence')
          .limit(literal(atOnce))
          .as('part'),
      )
      .select([
        sql<number>`count(*)`.as('records'),
        sql<number>`coalesce(sum(bytes), 0)`.as('bytes'),
        sql<number>`max(sequence)`.as('last'),
      ]),
  ),
);

/**
 * Weighs the next records of a table, oldest first, without reading them.
 * @param beyond a place in the sequence; -1 for the start
 * @returns their number and weight, and the place of the last one; undefined if there are no further ones
 */
export async function weighPart(reader: Reader, rowsId: string, name: RecordTable, beyond: number) {
  const row = firstRow(await weighIn(name)(reader, { rowsId, beyond }));
  const rows = Number(row?.['records'] ?? 0);
  return {
    rows,
    bytes: Number(row?.['bytes'] ?? 0) + rows * bytesBesideBody,
    last: rows < atOnce ? undefined : Number(row?.['last']),
  };
}
