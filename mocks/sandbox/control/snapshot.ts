import type { Fault } from '../../../contract/faults.ts';
import { type TokenRecord, tokens } from '../domains/tokens/records.ts';
import { utf8Length } from '../node/machine/bytes.ts';
import { readBody } from '../steps/readBody.ts';
import { migrations } from '../store/migrations/index.ts';
import { type RecordTable, recordTables } from '../store/store.ts';
import { hashJson } from '../tools/bytes.ts';
import { type Clock, lastInstant, readClock, toTimestamp } from '../tools/clock.ts';
import { invalid, Problem } from '../tools/problem.ts';
import {
  newestSchema,
  restoreSnapshot,
  type Snapshot,
  snapshotBounds,
  snapshotFormat,
  takeSnapshot,
  writeSnapshot,
} from '../worlds/snapshot.ts';
import { findFaultyFaults } from './faults.ts';
import { bodyCheck, type ControlRoute, type ManagerCall } from './route.ts';
import { hiddenFields, tryRecords } from './snapshotRecords.ts';
import { settingsFields } from './state.ts';

/** `GET|PUT /snapshot`: all that a platform is, to keep and to go back to. */
export const snapshotRoutes: readonly ControlRoute[] = [
  {
    method: 'GET',
    path: '/snapshot',
    needs: 'manager',
    async handle({ requester, parts }) {
      const text = writeSnapshot(await parts.units.run(requester.platformId, takeSnapshot));
      if (utf8Length(text) > snapshotBounds.bytes) {
        throw new Problem(
          'PAYLOAD_TOO_LARGE',
          `This platform is too large for a snapshot of ${snapshotBounds.bytes} bytes.`,
        );
      }
      return { status: 200, text };
    },
  },
  {
    method: 'PUT',
    path: '/snapshot',
    needs: 'manager',
    async handle(call) {
      const { request, requester, parts } = call;
      const sent = await readBody(request, undefined, snapshotBounds);
      if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) {
        throw invalid([
          { in: 'body', pointer: '', message: 'must be a snapshot, as GET /__sandbox/snapshot gives it' },
        ]);
      }
      const snapshot = checkSnapshot(sent, parts.clock);
      const kept = await accessOf(call);
      const isOwn = snapshot.platformId === requester.platformId;
      const access = isOwn ? kept.filter(({ id }) => id === requester.actorId) : kept;
      await parts.units.replace(requester.platformId, (unit) =>
        tryRecords(unit, snapshot, parts.contract, () => restoreSnapshot(unit, snapshot, access)),
      );
      return { status: 204 };
    },
  },
];

function accessOf({ requester, parts }: ManagerCall): Promise<readonly TokenRecord[]> {
  return parts.units.run(requester.platformId, (unit) => tokens.all(unit, { filters: {} }));
}

const count = { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER };
const recordOf = (table: RecordTable) => {
  const { required, properties, ...rest } = hiddenFields[table];
  return {
    ...rest,
    required: ['id', 'sequence', 'version', ...required],
    properties: {
      id: { type: 'string', minLength: 1, maxLength: 128 },
      sequence: count,
      version: { ...count, minimum: 1 },
      ...properties,
    },
  };
};

const findMisfits = bodyCheck({
  type: 'object',
  required: ['format', 'schema', 'platformId', 'sequence', 'state', 'records', 'digest'],
  additionalProperties: false,
  properties: {
    format: { const: snapshotFormat },
    schema: { type: 'string' },
    platformId: { type: 'string' },
    sequence: count,
    state: {
      type: 'object',
      required: ['clock', 'proofs', 'derivationKey'],
      additionalProperties: false,
      properties: {
        ...settingsFields,
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
        // There is always one.
        configs: { type: 'array', minItems: 1, maxItems: 1, items: recordOf('configs') },
      },
    },
    digest: { type: 'string' },
  },
});

/**
 * The digest finds what was damaged or changed by mistake; anybody can make one that fits. So what a snapshot
 * brings is bounded here, and tried record by record by {@link tryRecords}.
 * @param pointer where it stands in the body.
 * @throws Problem 400 for another format, a newer one than this sandbox knows, one that was changed by hand, and for a
 * clock, settings, faults or records that a platform can't have.
 */
export function checkSnapshot(value: unknown, clock: Clock, pointer = ''): Snapshot {
  const refuse = (faults: readonly Fault[]) =>
    invalid(faults.map((fault) => ({ ...fault, pointer: pointer + fault.pointer })));
  const misfits = findMisfits(value);
  if (misfits.length > 0) throw refuse(misfits);
  const { digest, ...content } = value as Snapshot;
  if (!Object.hasOwn(migrations, content.schema)) {
    const message = `is of a newer version of the sandbox; this one knows ${newestSchema} and what came before`;
    throw refuse([{ in: 'body', pointer: '/schema', message }]);
  }
  if (digest !== hashJson(content)) {
    const message =
      'does not belong to this content: a snapshot is taken from a platform and not written or changed by hand; write a world instead';
    throw refuse([{ in: 'body', pointer: '/digest', message }]);
  }
  const impossible = findImpossible(content, clock);
  if (impossible.length > 0) throw refuse(impossible);
  return value as Snapshot;
}

/** What no form can tell: the time of its clock by the machine's, its faults, and ids and places that are there twice. */
function findImpossible({ state, sequence, records }: Omit<Snapshot, 'digest'>, clock: Clock): Fault[] {
  const fault = (pointer: string, message: string): Fault => ({ in: 'body', pointer, message });
  const now = readClock(state.clock, clock.now());
  const found = findFaultyFaults(state.faults ?? {}).map((one) => fault(`/state/faults${one.pointer}`, one.message));
  if (now < 0 || now > lastInstant) {
    found.push(fault('/state/clock', `is not between ${toTimestamp(0)} and ${toTimestamp(lastInstant)}`));
  }
  const sequences = new Set<number>();
  for (const name of recordTables) {
    const ids = new Set<string>();
    for (const [index, record] of (records[name] ?? []).entries()) {
      const pointer = `/records/${name}/${index}`;
      if (ids.has(record.id)) found.push(fault(`${pointer}/id`, 'is there twice'));
      if (sequences.has(record.sequence)) found.push(fault(`${pointer}/sequence`, 'is there twice'));
      if (record.sequence > sequence) found.push(fault(`${pointer}/sequence`, `is beyond the last, ${sequence}`));
      ids.add(record.id);
      sequences.add(record.sequence);
    }
  }
  return found;
}
