import { tables } from '../registry/tables.ts';
import type { Stored } from '../store/records/table.ts';
import type { RecordTable } from '../store/store.ts';
import type { RunPart, Unit } from '../store/units/unit.ts';

/** A record of any table. */
export type AnyRecord = Stored<{ readonly id: string }>;

/** The number of records per read. */
const pageSize = 50;

/**
 * Visits the records of a table, oldest first, in slices.
 * @param between is called after each slice, outside of the store
 */
export async function visitRecords(
  run: RunPart,
  name: RecordTable,
  visit: (records: readonly AnyRecord[], unit: Unit) => void | Promise<void>,
  between?: () => Promise<void>,
): Promise<void> {
  for (let at: number | null | undefined = null; at !== undefined; ) {
    const from: number | null = at;
    at = await run(async (unit, isOver): Promise<number | undefined> => {
      for (let last: number | null = from; ; ) {
        const records = await tables[name].after(unit, last, pageSize);
        await visit(records, unit);
        const end = records.at(-1);
        if (end === undefined || records.length < pageSize) return undefined;
        last = end.sequence;
        if (isOver()) return last;
      }
    });
    await between?.();
  }
}
