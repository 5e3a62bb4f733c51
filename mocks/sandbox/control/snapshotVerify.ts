import type { Contract } from '../../../contract/contract.ts';
import { tables } from '../registry/tables.ts';
import type { RecordTable } from '../store/store.ts';
import type { Unit } from '../store/units/unit.ts';
import type { Clock } from '../tools/clock.ts';
import { invalid } from '../tools/problem.ts';
import { inOrder, type Snapshot } from '../worlds/snapshot.ts';
import { SnapshotDigest } from '../worlds/snapshotDigest.ts';
import type { AnyRecord } from '../worlds/visit.ts';
import { findImpossible, wrongDigest } from './snapshotForm.ts';
import { type Ids, links, refuseFailure, requireLinks, showRecord } from './snapshotRecords.ts';

/** The number of records that are tried together. */
const triedTogether = 20;

/**
 * Tries records that are already written, as `tryRecords` does. Only a page of them is in memory, and the records that
 * they refer to. It also compares the digest. A wrong digest explains more than the fault that it has led to.
 * @param head the snapshot, with the names of its tables instead of its records
 * @throws Problem 400
 */
export async function verifyRecords(
  unit: Unit,
  head: Snapshot,
  { contract, controlContract, clock }: { contract: Contract; controlContract: Contract; clock: Clock },
): Promise<void> {
  const digest = new SnapshotDigest(head);
  let fault: unknown;
  for (const name of inOrder.filter((table) => head.records[table] !== undefined)) {
    digest.beginTable(name);
    let index = 0;
    for (let at: number | null = null; ; ) {
      const records: readonly AnyRecord[] = await tables[name].after(unit, at, triedTogether);
      for (const record of records) digest.add(record);
      if (fault === undefined) fault = await findFault(unit, name, records, index, head, contract);
      index += records.length;
      at = records.at(-1)?.sequence ?? null;
      if (at === null) break;
      await unit.pause();
    }
  }
  if (digest.end() !== head.digest) throw invalid([wrongDigest]);
  const impossible = findImpossible(head, controlContract, clock);
  if (impossible.length > 0) throw invalid(impossible);
  if (fault !== undefined) throw fault;
}

/** @returns what is wrong with the first wrong record of a page */
async function findFault(
  unit: Unit,
  name: RecordTable,
  records: readonly AnyRecord[],
  first: number,
  { sequence }: Snapshot,
  contract: Contract,
): Promise<unknown> {
  const others = await readLinked(unit, name, records);
  return unit.attempt(async () => {
    for (const [index, record] of records.entries()) {
      const pointer = `/records/${name}/${first + index}`;
      if (record.sequence > sequence) {
        throw invalid([
          { in: 'body', pointer: `${pointer}/sequence`, message: `is greater than the last one, ${sequence}` },
        ]);
      }
      await refuseFailure(pointer, async () => {
        requireLinks(name, record, (other, id) => others.get(other)?.has(id) === true);
        await showRecord(unit, name, record, contract);
      });
      requireOwn(name, record, others, pointer);
    }
    return undefined;
  });
}

type Linked = ReadonlyMap<RecordTable, ReadonlyMap<string, object>>;

/** The records that others refer to, by table and id. */
async function readLinked(unit: Unit, name: RecordTable, records: readonly AnyRecord[]): Promise<Linked> {
  const wanted = new Map<RecordTable, Set<string>>();
  for (const record of records) {
    try {
      for (const [other, id] of links[name]?.(record as never) ?? []) {
        if (id === undefined) continue;
        const ids = wanted.get(other) ?? new Set();
        wanted.set(other, ids.add(id));
      }
    } catch {
      // The record has another form. It is refused when it is tried.
    }
  }
  const found = new Map<RecordTable, ReadonlyMap<string, object>>();
  for (const [table, ids] of wanted) {
    const read = await tables[table].findAll(unit, [...ids]);
    found.set(table, new Map(read.map((record) => [record.id, record])));
  }
  return found;
}

/** @throws Problem 400 if a quote and its transaction don't refer to each other */
function requireOwn(name: RecordTable, record: AnyRecord, others: Linked, pointer: string): void {
  const { transactionId = '', quoteId } = record as Ids;
  const refuse = (field: string) =>
    invalid([{ in: 'body', pointer: `${pointer}/${field}`, message: 'is not its own' }]);
  const linked = (table: RecordTable, id: string) => others.get(table)?.get(id) as Ids | undefined;
  if (name === 'quotes' && linked('transactions', transactionId)?.quoteId !== record.id) throw refuse('transactionId');
  if (name !== 'transactions' || quoteId === undefined) return;
  if (linked('quotes', quoteId)?.transactionId !== record.id) throw refuse('quoteId');
}
