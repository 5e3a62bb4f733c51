import { weighPart } from '../store/records/weight.ts';
import { type RecordTable, recordTables } from '../store/store.ts';
import type { RunPart } from '../store/units/unit.ts';

/** How many records there are, and what they weigh in a snapshot. */
export interface Weight {
  readonly rows: number;
  readonly bytes: number;
}

export interface PlatformWeight extends Weight {
  /** By table, as in a snapshot. */
  readonly tables: Readonly<Record<string, Weight>>;
}

/** Weighs a platform's records in slices. It changes nothing, so what is due doesn't happen first. */
export async function weighPlatform(run: RunPart): Promise<PlatformWeight> {
  const tables: Record<string, Weight> = {};
  const all = { rows: 0, bytes: 0 };
  for (const name of recordTables) {
    const weight = await weighTable(run, name);
    tables[name] = weight;
    all.rows += weight.rows;
    all.bytes += weight.bytes;
  }
  return { ...all, tables };
}

async function weighTable(run: RunPart, name: RecordTable): Promise<Weight> {
  const weight = { rows: 0, bytes: 0 };
  for (let at: number | undefined = -1; at !== undefined; ) {
    const from: number = at;
    at = await run(async (unit, isOver): Promise<number | undefined> => {
      for (let last = from; ; ) {
        const part = await weighPart(unit, unit.rowsId, name, last);
        weight.rows += part.rows;
        weight.bytes += part.bytes;
        if (part.last === undefined) return undefined;
        last = part.last;
        if (isOver()) return last;
      }
    });
  }
  return weight;
}
