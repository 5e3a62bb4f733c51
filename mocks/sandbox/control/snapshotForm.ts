/** Checks the form of a snapshot, which the contract leaves to the sandbox. */
import type { Contract } from '../../../contract/contract.ts';
import { type Fault, toFaults } from '../../../contract/faults.ts';
import { once } from '../../../contract/memoize.ts';
import { createValidator } from '../../../contract/validator.ts';
import type { Snapshot as SnapshotBody } from '../../../generated/controlTypes.ts';
import { migrations } from '../store/migrations/index.ts';
import { type RecordTable, recordTables } from '../store/store.ts';
import { hashJson } from '../tools/bytes.ts';
import { type Clock, lastInstant, readClock, toTimestamp } from '../tools/clock.ts';
import { invalid } from '../tools/problem.ts';
import { newestSchema, type Snapshot } from '../worlds/snapshot.ts';
import { findFaultyFaults } from './faults.ts';
import { hiddenFields } from './snapshotRecords.ts';

/** The part that the contract leaves to the sandbox: a record as the store keeps it. */
export const recordOf = (table: RecordTable) => {
  const { required, properties, ...rest } = hiddenFields[table];
  return { ...rest, required: [...required], properties };
};

/** The schema inside a snapshot. The contract describes its outside and its settings. */
const compileInside = once(() =>
  createValidator({ allowUnionTypes: true }).compile({
    type: 'object',
    properties: {
      state: {
        type: 'object',
        required: ['clock', 'proofs', 'derivationKey'],
        additionalProperties: false,
        properties: {
          ...Object.fromEntries(settingNames.map((name) => [name, true])),
          clock: {
            type: 'object',
            required: ['offsetMs', 'frozenAt'],
            additionalProperties: false,
            properties: {
              offsetMs: { type: 'integer', minimum: -lastInstant, maximum: lastInstant },
              frozenAt: { type: ['integer', 'null'], minimum: 0, maximum: lastInstant },
            },
          },
          derivationKey: { type: 'string', pattern: '^[0-9a-f]{64}$' },
          faults: { type: 'object' },
        },
      },
      records: {
        type: 'object',
        required: ['configs'],
        additionalProperties: false,
        properties: {
          ...Object.fromEntries(recordTables.map((name) => [name, { type: 'array', items: recordOf(name) }])),
          // There is always exactly one.
          configs: { type: 'array', minItems: 1, maxItems: 1, items: recordOf('configs') },
        },
      },
    },
  }),
);

/** Half of the safe integers: the platform needs the others for what it makes afterwards. */
const mostNumbers = 2 ** 52;

const settingNames = ['proofs', 'origins', 'rpIds', 'topOrigins', 'issuers', 'audiences'] as const;

function findMisfits(snapshot: SnapshotBody, contract: Contract): Fault[] {
  const inside = compileInside();
  const ofInside = inside(snapshot) ? [] : toFaults('body', inside.errors ?? []);
  const settings = Object.fromEntries(
    settingNames.flatMap((name) => (Object.hasOwn(snapshot.state, name) ? [[name, snapshot.state[name]]] : [])),
  );
  const ofSettings = toFaults('body', contract.checkSchema('#/components/schemas/SettingsUpdate', settings));
  return [...ofSettings.map((fault) => ({ ...fault, pointer: `/state${fault.pointer}` })), ...ofInside];
}

const tooNew: Fault = {
  in: 'body',
  pointer: '/schema',
  message: `is from a newer version of the sandbox; this version reads ${newestSchema} and older`,
};

export const wrongDigest: Fault = {
  in: 'body',
  pointer: '/digest',
  message:
    'does not match the content, so the snapshot was written or changed by hand; take a new snapshot, or write a world',
};

/**
 * Checks the form of a snapshot whose records are checked one by one.
 * @param head its fields; of its records, only the names of their tables and the configuration
 */
export function checkHead(head: Readonly<Record<string, unknown>>, contract: Contract): readonly Fault[] {
  const outside = toFaults('body', contract.checkSchema('#/components/schemas/Snapshot', head));
  if (outside.length > 0) return outside;
  const misfits = findMisfits(head as unknown as SnapshotBody, contract);
  if (misfits.length > 0) return misfits;
  return Object.hasOwn(migrations, String(head['schema'])) ? [] : [tooNew];
}

/**
 * Checks a snapshot that is given as a world, or by a program.
 * @param pointer its place in the body.
 * @throws Problem 400 if it doesn't have a snapshot's form, and as {@link examineSnapshot} does.
 */
export function checkSnapshot(value: unknown, contract: Contract, clock: Clock, pointer = ''): Snapshot {
  const misfits = toFaults('body', contract.checkSchema('#/components/schemas/Snapshot', value));
  if (misfits.length > 0) throw invalid(misfits.map((fault) => ({ ...fault, pointer: pointer + fault.pointer })));
  return examineSnapshot(value as SnapshotBody, contract, clock, pointer);
}

/**
 * Checks a snapshot. The digest finds damage and accidental changes, but anyone can compute a valid digest. So this
 * checks the limits of a snapshot, and {@link tryRecords} tries each record.
 * @param pointer its place in the body.
 * @throws Problem 400 for another format, a newer format than this sandbox knows, a snapshot that was edited, and for a
 * clock, settings, faults or records that a platform can't have.
 */
function examineSnapshot(value: SnapshotBody, contract: Contract, clock: Clock, pointer = ''): Snapshot {
  const refuse = (faults: readonly Fault[]) =>
    invalid(faults.map((fault) => ({ ...fault, pointer: pointer + fault.pointer })));
  const misfits = findMisfits(value, contract);
  if (misfits.length > 0) throw refuse(misfits);
  const { digest, ...content } = value as unknown as Snapshot;
  if (!Object.hasOwn(migrations, content.schema)) throw refuse([tooNew]);
  if (digest !== hashJson(content)) throw refuse([wrongDigest]);
  const impossible = [...findImpossible(content, contract, clock), ...findImpossibleRecords(content)];
  if (impossible.length > 0) throw refuse(impossible);
  return value as unknown as Snapshot;
}

/**
 * Finds faults that a schema can't express: its clock compared to the machine's, its planted faults, and a last number
 * that leaves no room.
 */
export function findImpossible(
  { state, sequence }: Pick<Snapshot, 'state' | 'sequence'>,
  contract: Contract,
  clock: Clock,
): Fault[] {
  const fault = (pointer: string, message: string): Fault => ({ in: 'body', pointer, message });
  const now = readClock(state.clock, clock.now());
  const found = findFaultyFaults(contract, state.faults ?? {}).map((one) =>
    fault(`/state/faults${one.pointer}`, one.message),
  );
  if (now < 0 || now > lastInstant) {
    found.push(fault('/state/clock', `is not between ${toTimestamp(0)} and ${toTimestamp(lastInstant)}`));
  }
  if (sequence > mostNumbers) {
    found.push(fault('/sequence', `is greater than ${mostNumbers}, more than any platform has given`));
  }
  return found;
}

/** The same for the records of a snapshot that is in memory. */
function findImpossibleRecords({ sequence, records }: Pick<Snapshot, 'sequence' | 'records'>): Fault[] {
  const fault = (pointer: string, message: string): Fault => ({ in: 'body', pointer, message });
  const found: Fault[] = [];
  const sequences = new Set<number>();
  for (const name of recordTables) {
    const ids = new Set<string>();
    for (const [index, record] of (records[name] ?? []).entries()) {
      const pointer = `/records/${name}/${index}`;
      if (ids.has(record.id)) found.push(fault(`${pointer}/id`, 'occurs twice'));
      if (sequences.has(record.sequence)) found.push(fault(`${pointer}/sequence`, 'occurs twice'));
      if (record.sequence > sequence)
        found.push(fault(`${pointer}/sequence`, `is greater than the last one, ${sequence}`));
      ids.add(record.id);
      sequences.add(record.sequence);
    }
  }
  return found;
}
