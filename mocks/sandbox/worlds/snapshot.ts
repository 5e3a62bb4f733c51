import { type agents, type deviceCodes, isCodeOfAnother, isTokenOfAnother } from '../domains/agents/records.ts';
import { type EffectRecord, effectId } from '../domains/effect.ts';
import { findToken, type TokenRecord, tokens } from '../domains/tokens/records.ts';
import { numberOf, type TransactionRecord } from '../domains/transfers/records.ts';
import { toHex } from '../node/machine/bytes.ts';
import { effects } from '../registry/effects.ts';
import { tables } from '../registry/tables.ts';
import { migrations } from '../store/migrations/index.ts';
import { readCounter } from '../store/records/counters.ts';
import type { Stored } from '../store/records/table.ts';
import { weightCounter } from '../store/records/weight.ts';
import { type RecordTable, recordTables } from '../store/store.ts';
import { freshPlatform, type PlatformState } from '../store/units/platformState.ts';
import type { RunPart, Unit } from '../store/units/unit.ts';
import { platformKeyLabel } from '../tools/derive.ts';
import type { Give } from '../tools/pour.ts';
import { invalid } from '../tools/problem.ts';
import type { SnapshotDocument } from './shape.ts';
import { SnapshotDigest } from './snapshotDigest.ts';
import { type AnyRecord, visitRecords } from './visit.ts';

/** The whole state of a platform at one moment. It can be restored there, or start another platform. */
export interface Snapshot {
  readonly format: typeof snapshotFormat;
  /** The newest migration of the database that it was taken from. */
  readonly schema: string;
  readonly platformId: string;
  /** The last number of the platform's sequence. */
  readonly sequence: number;
  readonly state: PlatformState;
  /** By table, oldest first. */
  readonly records: Readonly<Record<string, readonly Stored<{ readonly id: string }>[]>>;
  /**
   * A checksum of everything else, against mistakes. Anyone can compute a valid one, so control/snapshot.ts validates
   * everything.
   */
  readonly digest: string;
}

/** The limits of a snapshot that is read as a whole: about fifty thousand records. */
export const snapshotBounds = { bytes: 64 * 1024 * 1024, depth: 64, values: 10_000_000 } as const;

/** The maximum size of a snapshot. It is written record by record, so its size costs no memory. */
export const largestSnapshot: number = 1024 ** 3;

export const snapshotFormat = 'countersign-snapshot-1';
/** The newest migration that this sandbox knows. */
export const newestSchema = Object.keys(migrations).sort().at(-1) ?? '';

/** The size of a platform's snapshot, a little more than exactly. It is known without a look at the records. */
export async function sizeOfSnapshot(unit: Unit): Promise<number> {
  return (await readCounter(unit, weightCounter)) + JSON.stringify(unit.state).length + bytesOfHead;
}

/** The names of the tables in a snapshot, with the ends of their lists, and the fields before and after them. */
const bytesOfHead = 2048;

/** The order of tables in a snapshot, which is that of a canonical text. */
export const inOrder: readonly RecordTable[] = [...recordTables].sort();

/**
 * Writes the snapshot of a platform: canonical JSON (RFC 8785) but for the order of the first fields and the ends of
 * lines, one record per line, so that two snapshots can be compared. The same snapshot always has the same text.
 * Effects that are due aren't carried out for it, because a snapshot changes nothing.
 */
export async function writeSnapshot(run: RunPart, give: Give): Promise<void> {
  const head = await run(async (unit) => ({
    format: snapshotFormat,
    schema: newestSchema,
    platformId: unit.platformId,
    sequence: unit.lastSequence(),
    state: { ...unit.state, derivationKey: toHex(unit.derive(platformKeyLabel, 32)) },
  }));
  const digest = new SnapshotDigest(head);
  let text = `${JSON.stringify(head).slice(0, -1)},"records":{\n`;
  for (const [index, name] of inOrder.entries()) {
    text += `${index === 0 ? '' : ',\n'}${JSON.stringify(name)}:[`;
    digest.beginTable(name);
    let comma = '';
    await visitRecords(
      run,
      name,
      (records) => {
        for (const record of records) {
          text += `${comma}\n${digest.add(record)}`;
          comma = ',';
        }
      },
      async () => {
        if (text.length < pieceLength) return;
        const piece = text;
        text = '';
        await give(piece);
      },
    );
    text += ']';
  }
  await give(`${text}\n},"digest":${JSON.stringify(digest.end())}}\n`);
}

/** A piece is sent when it has this many characters. */
const pieceLength = 65_536;

/** Whether a value is meant as a snapshot, valid or not. */
export function isSnapshot<T extends object>(value: T): value is Extract<T, SnapshotDocument> {
  return 'format' in value;
}

/** Writes a record of a snapshot. */
export async function restoreRecord(unit: Unit, name: RecordTable, record: AnyRecord): Promise<void> {
  await tables[name].restore(unit, record);
  // A reference that was written by hand may have a number that is still to come.
  if (name === 'transactions') unit.continueFrom(numberOf((record as Stored<TransactionRecord>).reference));
}

/**
 * Fills an empty platform with the content of a snapshot, including its settings and clock.
 *
 * Credentials that open a platform must be unique among all platforms. If the snapshot goes back to its own platform,
 * it restores the tokens too; another platform keeps its own. If another platform meanwhile has an agent's token or a
 * device code, it keeps it: in the snapshot's platform that agent isn't connected, and that code is unknown.
 * @param access tokens that must open the platform afterwards, whatever the snapshot says.
 * @throws Problem 400 if a token's client id belongs to another platform.
 */
export async function restoreSnapshot(unit: Unit, snapshot: Snapshot, access: readonly TokenRecord[]): Promise<void> {
  for (const name of recordTables) {
    for (const record of snapshot.records[name] ?? []) {
      const admitted = await admit(unit, snapshot, name, record);
      if (admitted !== undefined) await restoreRecord(unit, name, admitted);
      await unit.pause();
    }
  }
  await restoreHead(unit, snapshot, access);
}

type SnapshotHead = Omit<Snapshot, 'records'>;

async function restoreHead(unit: Unit, head: SnapshotHead, access: readonly TokenRecord[]): Promise<void> {
  const { derivationKey, ...state } = head.state;
  const isOwn = derivationKey === toHex(unit.derive(platformKeyLabel, 32));
  const kept = isOwn || derivationKey === undefined ? {} : { derivationKey };
  unit.setState({ ...freshPlatform, ...state, ...kept });
  unit.continueFrom(head.sequence);
  for (const token of access) {
    const [known] = await tokens.where(unit, 'client_id', token.clientId);
    if (known === undefined) await tokens.insert(unit, token);
  }
}

/** The tables whose records depend on others: on what opens other platforms, and on the subjects of effects. */
const dependentTables = ['tokens', 'agents', 'device_codes', 'effects'] as const;

/** Does the same as {@link restoreSnapshot} once all records are written as they were in the snapshot. */
export async function finishRestore(unit: Unit, head: SnapshotHead, access: readonly TokenRecord[]): Promise<void> {
  for (const name of dependentTables) {
    const table = tables[name];
    for (let at: number | null = null; ; ) {
      const records: readonly AnyRecord[] = await table.after(unit, at, 50);
      for (const record of records) {
        const admitted = await admit(unit, head, name, record);
        if (admitted === undefined) await table.remove(unit, record);
        else if (admitted.id !== record.id) {
          await table.remove(unit, record);
          await table.restore(unit, admitted);
        } else if (admitted !== record) await table.replace(unit, record, admitted);
      }
      at = records.at(-1)?.sequence ?? null;
      if (at === null) break;
      await unit.pause();
    }
  }
  await restoreHead(unit, head, access);
}

/** The record in the form that this platform can have. @returns undefined if it can't have it */
async function admit(
  unit: Unit,
  { platformId }: Pick<Snapshot, 'platformId'>,
  table: RecordTable,
  record: AnyRecord,
): Promise<AnyRecord | undefined> {
  switch (table) {
    case 'tokens': {
      if (platformId !== unit.platformId) return undefined;
      const { clientId } = record as Stored<TokenRecord>;
      const found = await findToken(unit, clientId);
      if (found === undefined || found.platformId === unit.platformId) return record;
      throw invalid([
        { in: 'body', pointer: '/records/tokens', message: `${clientId} is a token of another platform` },
      ]);
    }
    case 'agents': {
      const { tokenHash, ...agent } = record as Awaited<ReturnType<typeof agents.all>>[number];
      const isTaken = tokenHash !== undefined && (await isTokenOfAnother(unit, tokenHash));
      return isTaken ? agent : record;
    }
    case 'device_codes': {
      const { codeHash } = record as Awaited<ReturnType<typeof deviceCodes.all>>[number];
      return (await isCodeOfAnother(unit, codeHash)) ? undefined : record;
    }
    case 'effects': {
      // In a snapshot of before, effects have other ids, and some wait for what has already happened without them.
      const effect = record as Stored<EffectRecord>;
      const { kind, subjectId } = effect;
      if (!(await effects[kind].isAwaited(unit, subjectId))) return undefined;
      const id = effectId(kind, subjectId);
      return effect.id === id ? effect : { ...effect, id };
    }
    default:
      return record;
  }
}
