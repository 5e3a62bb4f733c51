import type { Kysely } from 'kysely';

interface Row {
  platform_id: string;
  id: string;
  sequence: number;
  version: number;
  due_at: number;
  body: string;
}
type Subject = Pick<Row, 'platform_id' | 'id' | 'body'>;
interface Rows {
  effects: Row;
  quotes: Subject;
  transactions: Subject;
  counters: { platform_id: string; name: string; count: number };
}
interface Effect {
  readonly kind: 'EXPIRE_QUOTE' | 'SETTLE_TRANSACTION';
  readonly subjectId: string;
}

/** The number of effects that are read at once. There may be hundreds of thousands. */
const pageSize = 200;

/**
 * Delayed changes get the id that their subject decides. Those whose subject no longer waits for them are removed. A
 * platform gets a column for its latest instant.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('platforms').addColumn('latest', 'bigint').execute();
  const rows = db as Kysely<Rows>;
  for (let last: Row | undefined; ; ) {
    const page = await pageAfter(rows, last);
    for (const [platformId, some] of Map.groupBy(page, (row) => row.platform_id)) await renew(rows, platformId, some);
    last = page.at(-1);
    if (page.length < pageSize) return;
  }
}

function pageAfter(rows: Kysely<Rows>, last: Row | undefined): Promise<Row[]> {
  const all = rows
    .selectFrom('effects')
    .select(['platform_id', 'id', 'sequence', 'version', 'due_at', 'body'])
    // Those that already have their new id come again, because the pages are in the order of ids.
    .where('id', 'not like', 'EXPIRE_QUOTE:%')
    .where('id', 'not like', 'SETTLE_TRANSACTION:%')
    .orderBy('platform_id')
    .orderBy('id')
    .limit(pageSize);
  if (last === undefined) return all.execute();
  return all
    .where((where) =>
      where.or([
        where('platform_id', '>', last.platform_id),
        where.and([where('platform_id', '=', last.platform_id), where('id', '>', last.id)]),
      ]),
    )
    .execute();
}

async function renew(rows: Kysely<Rows>, platformId: string, some: readonly Row[]): Promise<void> {
  const read = some.map((row) => ({ row, effect: JSON.parse(row.body) as Effect }));
  const waiting = new Set<string>();
  for (const [table, kind, waits] of rules) {
    const ids = read.filter(({ effect }) => effect.kind === kind).map(({ effect }) => effect.subjectId);
    if (ids.length === 0) continue;
    const found = await rows
      .selectFrom(table)
      .select(['id', 'body'])
      .where('platform_id', '=', platformId)
      .where('id', 'in', ids)
      .execute();
    for (const { id, body } of found) if (waits(JSON.parse(body))) waiting.add(`${kind}:${id}`);
  }
  await rows
    .deleteFrom('effects')
    .where('platform_id', '=', platformId)
    .where(
      'id',
      'in',
      some.map(({ id }) => id),
    )
    .execute();
  const renewed = read.flatMap(({ row, effect }) => {
    const id = `${effect.kind}:${effect.subjectId}`;
    return waiting.has(id) ? [{ ...row, id, body: JSON.stringify({ ...effect, id }) }] : [];
  });
  if (renewed.length > 0) {
    await rows
      .insertInto('effects')
      .values(renewed)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
  await rows
    .updateTable('counters')
    .set((set) => ({ count: set('count', '+', weightOf(renewed) - weightOf(some)) }))
    .where('platform_id', '=', platformId)
    .where('name', '=', 'bytes')
    .execute();
}

/** As 0007-slices counts it. */
function weightOf(some: readonly Row[]): number {
  return some.reduce((sum, { body }) => sum + new TextEncoder().encode(body).length + 48, 0);
}

/** For each kind of effect, its subjects, and the state in which they wait for it. */
const rules = [
  ['quotes', 'EXPIRE_QUOTE', ({ status }: { status?: unknown }) => status === 'PENDING'],
  ['transactions', 'SETTLE_TRANSACTION', ({ pending }: { pending?: unknown }) => pending !== undefined],
] as const;
