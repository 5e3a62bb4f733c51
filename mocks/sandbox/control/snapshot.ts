import type { Contract } from '../../../contract/contract.ts';
import { type Fault, toFaults } from '../../../contract/faults.ts';
import { once } from '../../../contract/memoize.ts';
import { createValidator } from '../../../contract/validator.ts';
import type { Snapshot as SnapshotBody } from '../../../generated/controlTypes.ts';
import type { TokenRequester } from '../domains/operation.ts';
import { type TokenRecord, tokens } from '../domains/tokens/records.ts';
import { migrations } from '../store/migrations/index.ts';
import { type RecordTable, recordTables } from '../store/store.ts';
import { hashJson } from '../tools/bytes.ts';
import { type Clock, lastInstant, readClock, toTimestamp } from '../tools/clock.ts';
import { pour } from '../tools/pour.ts';
import { invalid, Problem } from '../tools/problem.ts';
import {
  largestSnapshot,
  newestSchema,
  restoreSnapshot,
  type Snapshot,
  sizeOfSnapshot,
  snapshotBounds,
  writeSnapshot,
} from '../worlds/snapshot.ts';
import { findFaultyFaults } from './faults.ts';
import type { ControlHandlers, ControlParts } from './route.ts';
import { hiddenFields, tryRecords } from './snapshotRecords.ts';

/** Exports a platform's whole state, and restores it. */
export const snapshotHandlers = {
  getSnapshot: {
    async handle({ requester: { platformId }, parts }) {
      const size = await parts.units.run(platformId, sizeOfSnapshot);
      if (size > largestSnapshot) {
        const message = `This platform is too large for a snapshot: it would have ${size} bytes, and at most ${largestSnapshot} are possible.`;
        throw new Problem('PAYLOAD_TOO_LARGE', message);
      }
      const stream = pour((give) => parts.units.inSlices(platformId, (run) => writeSnapshot(run, give)));
      return { status: 200, stream, headers: { 'Content-Type': 'application/json' } };
    },
  },
  restoreSnapshot: {
    bounds: snapshotBounds,
    async handle({ body, requester, parts }) {
      const snapshot = examineSnapshot(body, parts.controlContract, parts.clock);
      const kept = await accessOf(requester, parts);
      const isOwn = snapshot.platformId === requester.platformId;
      const access = isOwn ? kept.filter(({ id }) => id === requester.actorId) : kept;
      await parts.units.replace(requester.platformId, (unit) =>
        tryRecords(unit, snapshot, parts.contract, () => restoreSnapshot(unit, snapshot, access)),
      );
      return { status: 204 };
    },
  },
} satisfies Pick<ControlHandlers, 'getSnapshot' | 'restoreSnapshot'>;

function accessOf({ platformId }: TokenRequester, { units }: ControlParts): Promise<readonly TokenRecord[]> {
  return units.run(platformId, (unit) => tokens.all(unit, { filters: {} }));
}

/** The part that the contract leaves to the sandbox: a record as the store keeps it. */
const recordOf = (table: RecordTable) => {
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
  if (!Object.hasOwn(migrations, content.schema)) {
    const message = `is from a newer version of the sandbox; this version reads ${newestSchema} and older`;
    throw refuse([{ in: 'body', pointer: '/schema', message }]);
  }
  if (digest !== hashJson(content)) {
    const message =
      'does not match the content, so the snapshot was written or changed by hand; take a new snapshot, or write a world';
    throw refuse([{ in: 'body', pointer: '/digest', message }]);
  }
  const impossible = findImpossible(content, contract, clock);
  if (impossible.length > 0) throw refuse(impossible);
  return value as unknown as Snapshot;
}

/**
 * Finds faults that a schema can't express: its clock compared to the machine's, its planted faults, duplicate ids and
 * places.
 */
function findImpossible(
  { state, sequence, records }: Omit<Snapshot, 'digest'>,
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
