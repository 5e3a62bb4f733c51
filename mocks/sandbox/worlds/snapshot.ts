import { type agents, type deviceCodes, findAgentByToken, findPlatformByHash } from '../domains/agents/records.ts';
import { findToken, type TokenRecord, tokens } from '../domains/tokens/records.ts';
import { toHex } from '../node/machine/bytes.ts';
import { tables } from '../registry/tables.ts';
import { migrations } from '../store/migrations/index.ts';
import type { Stored } from '../store/records/table.ts';
import { type RecordTable, recordTables } from '../store/store.ts';
import { freshPlatform, type PlatformState } from '../store/units/platformState.ts';
import type { Unit } from '../store/units/unit.ts';
import { hashJson } from '../tools/bytes.ts';
import { platformKeyLabel } from '../tools/derive.ts';
import { invalid } from '../tools/problem.ts';
import type { SnapshotDocument } from './shape.ts';

/** All that a platform is at one moment, to be brought back there or begun with elsewhere. */
export interface Snapshot {
  readonly format: typeof snapshotFormat;
  /** The newest step of the database it was taken from. */
  readonly schema: string;
  readonly platformId: string;
  /** The last number of the platform's sequence. */
  readonly sequence: number;
  readonly state: PlatformState;
  /** By table, oldest first. */
  readonly records: Readonly<Record<string, readonly Stored<{ readonly id: string }>[]>>;
  /** A checksum of all the rest, against mistakes. Anybody can make one that fits, so control/snapshot.ts validates everything. */
  readonly digest: string;
}

/** The largest body of a snapshot: some fifty thousand records. */
export const snapshotBounds = { bytes: 64 * 1024 * 1024, depth: 64, values: 10_000_000 } as const;

export const snapshotFormat = 'countersign-snapshot-1';
/** The newest step that this sandbox knows. */
export const newestSchema = Object.keys(migrations).sort().at(-1) ?? '';

/** Takes what the platform is. Nothing that is due happens for it: a snapshot changes nothing. */
export async function takeSnapshot(unit: Unit): Promise<Snapshot> {
  const records: Record<string, readonly Stored<{ readonly id: string }>[]> = {};
  for (const name of recordTables) records[name] = (await tables[name].all(unit, { filters: {} })).toReversed();
  const derivationKey = toHex(unit.derive(platformKeyLabel, 32));
  const content = {
    format: snapshotFormat,
    schema: newestSchema,
    platformId: unit.platformId,
    sequence: unit.lastSequence(),
    state: { ...unit.state, derivationKey },
    records,
  } as const;
  return { ...content, digest: hashJson(content) };
}

/** As text: a record a line, so that two snapshots can be compared. The same snapshot is always the same text. */
export function writeSnapshot({ records, ...rest }: Snapshot): string {
  const tables = Object.entries(records).map(([name, rows]) => {
    const lines = rows.map((row) => `\n${JSON.stringify(row)}`).join(',');
    return `${JSON.stringify(name)}:[${lines}]`;
  });
  const { digest, ...head } = rest;
  return `${JSON.stringify(head).slice(0, -1)},"records":{\n${tables.join(',\n')}\n},"digest":${JSON.stringify(digest)}}\n`;
}

/** Whether somebody means a snapshot, be it a good one or not. */
export function isSnapshot<T extends object>(value: T): value is Extract<T, SnapshotDocument> {
  return 'format' in value;
}

/**
 * Fills an empty platform with what a snapshot holds, its settings and clock included.
 *
 * What opens a platform from outside is one of its kind among all platforms. Into the platform that the snapshot was
 * taken of its tokens come along; another one keeps its own. What another platform has meanwhile stays there: that
 * agent is then not connected, that device code not known.
 * @param access tokens that must open the platform afterwards, whatever the snapshot says.
 * @throws Problem 400 when a token's client id belongs to another platform.
 */
export async function restoreSnapshot(unit: Unit, snapshot: Snapshot, access: readonly TokenRecord[]): Promise<void> {
  const { derivationKey, ...state } = snapshot.state;
  const isOwn = derivationKey === toHex(unit.derive(platformKeyLabel, 32));
  const kept = isOwn || derivationKey === undefined ? {} : { derivationKey };
  unit.setState({ ...freshPlatform, ...state, ...kept });
  unit.continueFrom(snapshot.sequence);
  for (const name of recordTables) {
    for (const record of snapshot.records[name] ?? []) {
      const admitted = await admit(unit, snapshot, name, record);
      if (admitted !== undefined) await tables[name].restore(unit, admitted);
    }
  }
  for (const token of access) {
    const [known] = await tokens.where(unit, 'client_id', token.clientId);
    if (known === undefined) await tokens.insert(unit, token);
  }
}

type AnyRecord = Stored<{ readonly id: string }>;

/** The record as this platform can have it; undefined when it can't. */
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
      if ((await findToken(unit, clientId)) === undefined) return record;
      throw invalid([
        { in: 'body', pointer: '/records/tokens', message: `${clientId} is a token of another platform` },
      ]);
    }
    case 'agents': {
      const { tokenHash, ...agent } = record as Awaited<ReturnType<typeof agents.all>>[number];
      const isTaken = tokenHash !== undefined && (await findAgentByToken(unit, tokenHash)) !== undefined;
      return isTaken ? agent : record;
    }
    case 'device_codes': {
      const { codeHash } = record as Awaited<ReturnType<typeof deviceCodes.all>>[number];
      return (await findPlatformByHash(unit, codeHash)) === undefined ? record : undefined;
    }
    default:
      return record;
  }
}
