/**
 * The name under which a platform's rows are stored. At first it is the platform's id. When a platform gets new content,
 * the new rows are written under another name, slice by slice, and become the platform's in one small step.
 */
import { sql } from 'kysely';
import { firstRow, literal, query } from '../query.ts';
import { type Reader, recordTables } from '../store.ts';

// No id of a platform has this character.
const mark = '#';

/** The platform of rows. */
export function platformOf(rows: string): string {
  const at = rows.lastIndexOf(mark);
  return at < 0 ? rows : rows.slice(0, at);
}

/**
 * The columns by which a request finds its platform, by table. Their values are unique among all platforms. Rows that
 * aren't the platform's yet have them hidden, so that nobody finds these rows, and the old rows can have the same.
 */
const openers: Readonly<Record<string, string>> = {
  tokens: 'client_id',
  agents: 'token_hash',
  device_codes: 'code_hash',
};

/** Whether a column opens a platform. */
export function isOpener(table: string, column: string): boolean {
  return openers[table] === column;
}

/** The hidden form of a value that opens a platform. */
export function hide(rows: string, value: string): string {
  return `${rows} ${value}`;
}

/** What is to be done with rows if their process ends before it is done. */
export type Unfinished = 'open' | 'remove';

const list = query<Record<string, never>>((db) =>
  db.selectFrom('unfinished').select(['rows', 'platform_id', 'work']).orderBy('rows'),
);
const ofPlatform = query<{ platformId: string }>((db, p) =>
  db.selectFrom('unfinished').select('rows').where('platform_id', '=', p.platformId),
);
const add = query<{ rows: string; platformId: string; work: string }>((db, p) =>
  db.insertInto('unfinished').values({ rows: p.rows, platform_id: p.platformId, work: p.work }),
);
const change = query<{ rows: string; work: string }>((db, p) =>
  db.updateTable('unfinished').set({ work: p.work }).where('rows', '=', p.rows),
);
const remove = query<{ rows: string }>((db, p) => db.deleteFrom('unfinished').where('rows', '=', p.rows));

/** The rows whose work isn't finished. */
export async function listUnfinished(
  reader: Reader,
): Promise<{ rows: string; platformId: string; work: Unfinished }[]> {
  const { rows } = await list(reader, {});
  return rows.map((row) => ({
    rows: String(row['rows']),
    platformId: String(row['platform_id']),
    work: row['work'] as Unfinished,
  }));
}

/**
 * Begins new rows of a platform. Until they are the platform's, they are rows to remove.
 * @param current the name of its rows; undefined if the platform doesn't exist yet
 * @returns their name, which no other rows have
 */
export async function beginRows(tx: Reader, platformId: string, current: string | undefined): Promise<string> {
  const taken = new Set((await ofPlatform(tx, { platformId })).rows.map(({ rows }) => String(rows)));
  if (current !== undefined) taken.add(current);
  let name = platformId;
  for (let number = 1; taken.has(name); number += 1) name = `${platformId}${mark}${number}`;
  await add(tx, { rows: name, platformId, work: 'remove' });
  return name;
}

/** Notes that rows are the platform's, and that their openers must still be shown. */
export const noteOpen = (tx: Reader, rows: string) => change(tx, { rows, work: 'open' });

/** Notes that rows are to be removed. */
export const noteRemoval = (tx: Reader, platformId: string, rows: string) =>
  add(tx, { rows, platformId, work: 'remove' });

/** Notes that nothing is left to do. */
export const noteFinished = (tx: Reader, rows: string) => remove(tx, { rows });

/** The number of rows that one statement changes. */
const atOnce = 100;

const removals = [...recordTables].map((table) => ({
  table: table as string,
  run: query<{ rows: string }>((db, p) =>
    db
      .deleteFrom(table)
      .where('platform_id', '=', p.rows)
      .where('id', 'in', (inner) =>
        inner
          .selectFrom(table)
          .select('id')
          .where('platform_id', '=', p.rows)
          .orderBy('sequence')
          .limit(literal(atOnce)),
      ),
  ),
}));
const removeLabels = recordTables.map((table) =>
  query<{ rows: string }>((db, p) =>
    db
      .deleteFrom('labels')
      .where('platform_id', '=', p.rows)
      .where('name', '=', sql.lit(table))
      .where(
        sql<boolean>`(label, sequence) in (select label, sequence from labels
          where platform_id = ${p.rows} and name = ${sql.lit(table)} limit ${sql.lit(atOnce)})`,
      ),
  ),
);
const removeCounters = query<{ rows: string }>((db, p) => db.deleteFrom('counters').where('platform_id', '=', p.rows));

/** Called between two statements of long work, so that it can be divided. */
export type Pause = () => Promise<void>;

/** Removes what opens a platform from rows that aren't the platform's any more. */
export async function removeOpeners(tx: Reader, rows: string, pause: Pause): Promise<void> {
  for (const { table, run } of removals) if (table in openers) await repeat(() => run(tx, { rows }), pause);
}

/** Removes rows from all tables. */
export async function removeRows(tx: Reader, rows: string, pause: Pause): Promise<void> {
  for (const { run } of removals) await repeat(() => run(tx, { rows }), pause);
  for (const run of removeLabels) await repeat(() => run(tx, { rows }), pause);
  await removeCounters(tx, { rows });
}

async function repeat(remove: () => Promise<{ readonly affected: number }>, pause: Pause): Promise<void> {
  while ((await remove()).affected > 0) await pause();
}

const showings = Object.entries(openers).map(([table, column]) => ({
  find: query<{ from: string; to: string }>((db, p) =>
    db
      .selectFrom(table)
      .select(['platform_id', 'id', sql.ref<string>(column).as('value')])
      .where(column, '>=', p.from)
      .where(column, '<', p.to)
      .limit(literal(atOnce)),
  ),
  isTaken: query<{ value: string }>((db, p) => db.selectFrom(table).select('id').where(column, '=', p.value)),
  show: query<{ platformId: string; id: string; value: string }>((db, p) =>
    db
      .updateTable(table)
      .set({ [column]: p.value })
      .where('platform_id', '=', p.platformId)
      .where('id', '=', p.id),
  ),
  drop: query<{ platformId: string; id: string }>((db, p) =>
    db.deleteFrom(table).where('platform_id', '=', p.platformId).where('id', '=', p.id),
  ),
}));

/**
 * Shows the openers of rows. If another platform has taken one since the rows were written, it keeps it, and the record
 * is dropped.
 */
export async function showOpeners(tx: Reader, rows: string, pause: Pause): Promise<void> {
  const from = hide(rows, '');
  // The character after a space.
  const to = `${rows}!`;
  for (const { find, isTaken, show, drop } of showings) {
    for (;;) {
      const hidden = (await find(tx, { from, to })).rows;
      if (hidden.length === 0) break;
      for (const row of hidden) {
        const [platformId, id] = [String(row['platform_id']), String(row['id'])];
        const value = String(row['value']).slice(from.length);
        if (firstRow(await isTaken(tx, { value })) === undefined) await show(tx, { platformId, id, value });
        else await drop(tx, { platformId, id });
        await pause();
      }
    }
  }
}
