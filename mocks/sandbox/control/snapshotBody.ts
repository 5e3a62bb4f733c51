import { maxFaults } from '../../../contract/bounds.ts';
import type { Contract } from '../../../contract/contract.ts';
import { type Fault, toFaults } from '../../../contract/faults.ts';
import { memoize } from '../../../contract/memoize.ts';
import { createValidator } from '../../../contract/validator.ts';
import { type RecordTable, recordTables } from '../store/store.ts';
import type { LongUnit } from '../store/units/unit.ts';
import type { Clock } from '../tools/clock.ts';
import { invalid } from '../tools/problem.ts';
import { finishRestore, restoreRecord, type Snapshot } from '../worlds/snapshot.ts';
import type { AnyRecord } from '../worlds/visit.ts';
import { checkHead, recordOf } from './snapshotForm.ts';
import { type FoundRecord, findUnkept, type SnapshotHead, SnapshotParser } from './snapshotParser.ts';
import { refuseFailure } from './snapshotRecords.ts';
import { verifyRecords } from './snapshotVerify.ts';

export interface SnapshotCheck {
  readonly contract: Contract;
  readonly controlContract: Contract;
  readonly clock: Clock;
}

/** The size of the parts in which a piece of the body is read, because a piece can be the whole body. */
const partBytes = 16 * 1024;

/**
 * Writes the records of a body as they come, then checks them as they are stored. Nothing of it counts before all of
 * it is checked, because the unit's rows aren't the platform's yet.
 * @param access gives the tokens that must open the platform afterwards, for the platform of the snapshot
 * @throws Problem 400 for what isn't a snapshot, and for one that no sandbox could have made
 */
export async function restoreBody(
  unit: LongUnit,
  pieces: AsyncIterable<Uint8Array>,
  check: SnapshotCheck,
  access: (platformId: string) => Parameters<typeof finishRestore>[2],
): Promise<void> {
  const intake = new Intake(unit, check);
  const parser = new SnapshotParser();
  const source = pieces[Symbol.asyncIterator]();
  try {
    for (;;) {
      const { value, done } = await unit.outside(() => source.next());
      if (done === true) break;
      for (let at = 0; at < value.length; at += partBytes) {
        for (const found of parser.write(value.subarray(at, at + partBytes))) await intake.take(found);
        await unit.pause();
      }
    }
  } finally {
    await source.return?.();
  }
  const head = intake.end(parser.end());
  await verifyRecords(unit, head, check);
  await finishRestore(unit, head, access(head.platformId));
}

const validatorOf = memoize((table: RecordTable) =>
  createValidator({ allowUnionTypes: true }).compile(recordOf(table)),
);

/** Checks the form of each record, and writes it. */
class Intake {
  readonly #unit: LongUnit;
  readonly #check: SnapshotCheck;
  readonly #faults: Fault[] = [];
  readonly #configs: AnyRecord[] = [];
  readonly #last = new Map<string, number>();

  constructor(unit: LongUnit, check: SnapshotCheck) {
    this.#unit = unit;
    this.#check = check;
  }

  async take({ table, index, record }: FoundRecord): Promise<void> {
    const name = table as RecordTable;
    // A table that no platform has is found when the text has ended.
    if (!recordTables.includes(name)) return;
    const pointer = `/records/${name}/${index}`;
    const faults = this.#find(name, record);
    this.#faults.push(...faults.map((fault) => ({ ...fault, pointer: pointer + fault.pointer })));
    if (name === 'configs' && this.#configs.length < 2) this.#configs.push(record);
    if (this.#faults.length >= maxFaults) throw invalid(this.#faults);
    // With a fault there is nothing to write, only further faults to find.
    if (this.#faults.length > 0) return;
    await refuseFailure(pointer, async () => {
      await restoreRecord(this.#unit, name, record);
      await this.#unit.pause();
    });
  }

  /** @throws Problem 400 with all faults of form */
  end(head: SnapshotHead): Snapshot {
    if (this.#faults.length > 0) throw invalid(this.#faults);
    const unkept = findUnkept(head);
    if (unkept !== undefined) throw invalid([unkept]);
    const tables = head['records'] as Readonly<Record<string, unknown>> | null | undefined;
    // Without records, the fields say what is missing.
    const given =
      tables === undefined || tables === null
        ? head
        : { ...head, records: { ...tables, ...this.#givenConfigs(tables) } };
    const faults = checkHead(given, this.#check.controlContract);
    if (faults.length > 0) throw invalid(faults);
    return head as unknown as Snapshot;
  }

  #givenConfigs(tables: Readonly<Record<string, unknown>>): object {
    return Array.isArray(tables['configs']) ? { configs: this.#configs } : {};
  }

  #find(table: RecordTable, record: AnyRecord): Fault[] {
    const unkept = findUnkept(record);
    if (unkept !== undefined) return [unkept];
    const { controlContract } = this.#check;
    const outside = toFaults('body', controlContract.checkSchema('#/components/schemas/SnapshotRecord', record));
    if (outside.length > 0) return outside;
    // A platform has one configuration, which is checked with the fields beside the records.
    const inside = validatorOf(table);
    if (table !== 'configs' && !inside(record)) return toFaults('body', inside.errors ?? []);
    const last = this.#last.get(table) ?? -1;
    this.#last.set(table, record.sequence);
    if (record.sequence > last) return [];
    return [{ in: 'body', pointer: '/sequence', message: 'is not after that of the record before it' }];
  }
}
