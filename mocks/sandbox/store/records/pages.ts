import { KnownPage } from '../known.ts';
import { nameOfMark, nameOfPage } from '../units/memory.ts';
import type { Unit } from '../units/unit.ts';

/** Call this for every change of a table's records. */
export function forgetPages(unit: Unit, table: string): void {
  unit.memory.set(nameOfMark(table), undefined);
}

/**
 * A page, or a count as a page without records, that stays known until a record of the table changes on this platform.
 * @param request what distinguishes it from other pages of the table
 */
export async function rememberPage<Page extends { readonly records: readonly unknown[] }>(
  unit: Unit,
  table: string,
  request: unknown,
  find: () => Promise<Page>,
): Promise<Page> {
  const name = nameOfPage(table, request);
  const mark = markOf(unit, table);
  const known = unit.memory.get(name) as KnownPage<Page> | undefined;
  if (known?.mark === mark) return known.page;
  const page = await find();
  unit.memory.set(name, new KnownPage(page, mark));
  return page;
}

function markOf(unit: Unit, table: string): object {
  const name = nameOfMark(table);
  const known = unit.memory.get(name) as object | undefined;
  if (known !== undefined) return known;
  const mark = {};
  unit.memory.set(name, mark);
  return mark;
}
