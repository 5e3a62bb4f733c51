import canonicalize from 'canonicalize';
import { type agents, type deviceCodes, isCodeTaken, isTokenOfAnother } from '../domains/agents/records.ts';
import { findToken, type TokenRecord, tokens } from '../domains/tokens/records.ts';
import { numberOf, type TransactionRecord } from '../domains/transfers/records.ts';
import { toHex } from '../node/machine/bytes.ts';
import { sha256InParts } from '../node/machine/crypto.ts';
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
export const largestSnapshot: number = snapshotBounds.bytes;

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
const inOrder = [...recordTables].sort();

/**
 * Writes the snapshot of a platform: canonical JSON (RFC 8785) but for the order of the first fields and the ends of
 * lines, one record per line, so that two snapshots can be compared. The same snapshot always has the same text.
 * Effects that are due aren't carried out for it, because a snapshot changes nothing.
 */
export async function writeSnapshot(run: RunPart, give: Give): Promise<void> {
  const digest = sha256InParts();
  const { head, before, after } = await run(async (unit) => {
    const [format, platformId, schema, sequence] = [snapshotFormat, unit.platformId, newestSchema, unit.lastSequence()];
    const derivationKey = toHex(unit.derive(platformKeyLabel, 32));
    const state = { ...unit.state, derivationKey };
    return {
      head: { format, schema, platformId, sequence, state },
      before: { format, platformId },
      after: { schema, sequence, state },
    };
  });
  // The digest is that of the canonical text, in which the records come between the other fields.
  digest.add(`${canonical(before).slice(0, -1)},"records":{`);
  let text = `${JSON.stringify(head).slice(0, -1)},"records":{\n`;
  for (const [index, name] of inOrder.entries()) {
    text += `${index === 0 ? '' : ',\n'}${JSON.stringify(name)}:[`;
    digest.add(`${index === 0 ? '' : ','}${JSON.stringify(name)}:[`);
    let comma = '';
    await visitRecords(
      run,
      name,
      (records) => {
        for (const record of records) {
          const line = canonical(record);
          digest.add(comma + line);
          text += `${comma}\n${line}`;
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
    digest.add(']');
  }
  digest.add(`},${canonical(after).slice(1)}`);
  await give(`${text}\n},"digest":${JSON.stringify(digest.base64Url())}}\n`);
}

/** A piece is sent when it has this many characters. */
const pieceLength = 65_536;

function canonical(value: object): string {
  return canonicalize(value) ?? '';
}

/** Whether a value is meant as a snapshot, valid or not. */
export function isSnapshot<T extends object>(value: T): value is Extract<T, SnapshotDocument> {
  return 'format' in value;
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
  const { derivationKey, ...state } = snapshot.state;
  const isOwn = derivationKey === toHex(unit.derive(platformKeyLabel, 32));
  const kept = isOwn || derivationKey === undefined ? {} : { derivationKey };
  unit.setState({ ...freshPlatform, ...state, ...kept });
  unit.continueFrom(snapshot.sequence);
  // A reference that was written by hand may have a number that is still to come.
  const paid = (snapshot.records['transactions'] ?? []) as readonly Stored<TransactionRecord>[];
  for (const { reference } of paid) unit.continueFrom(numberOf(reference));
  for (const name of recordTables) {
    for (const record of snapshot.records[name] ?? []) {
      const admitted = await admit(unit, snapshot, name, record);
      if (admitted !== undefined) await tables[name].restore(unit, admitted);
      await unit.pause();
    }
  }
  for (const token of access) {
    const [known] = await tokens.where(unit, 'client_id', token.clientId);
    if (known === undefined) await tokens.insert(unit, token);
  }
}

/** The record in the form that this platform can have. @returns undefined if it can't have it */
async function admit(
  unit: Unit,
  { platformId }: Snapshot,
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
      return (await isCodeTaken(unit, codeHash)) ? undefined : record;
    }
    default:
      return record;
  }
}
