import { type TokenRecord, tokens } from '../domains/tokens/records.ts';
import { hashJson } from '../kernel/bytes.ts';
import { type Fault, invalid, Problem } from '../kernel/problem.ts';
import { readBody } from '../steps/readBody.ts';
import { migrations } from '../store/migrations/index.ts';
import { recordTables } from '../store/store.ts';
import {
  newestSchema,
  restoreSnapshot,
  type Snapshot,
  snapshotBounds,
  snapshotFormat,
  takeSnapshot,
  writeSnapshot,
} from '../worlds/snapshot.ts';
import { bodyCheck, type ControlRoute, type ManagerCall } from './route.ts';

/** `GET|PUT /snapshot`: all that a platform is, to keep and to go back to. */
export const snapshotRoutes: readonly ControlRoute[] = [
  {
    method: 'GET',
    path: '/snapshot',
    needs: 'manager',
    async handle({ requester, parts }) {
      const text = writeSnapshot(await parts.units.run(requester.platformId, takeSnapshot));
      if (Buffer.byteLength(text) > snapshotBounds.size) {
        throw new Problem(
          'PAYLOAD_TOO_LARGE',
          `This platform is too large for a snapshot of ${snapshotBounds.size} bytes.`,
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
      const snapshot = checkSnapshot(sent);
      const kept = await accessOf(call);
      const isOwn = snapshot.platformId === requester.platformId;
      const access = isOwn ? kept.filter(({ id }) => id === requester.actorId) : kept;
      await parts.units.replace(requester.platformId, (unit) => restoreSnapshot(unit, snapshot, access));
      parts.journal.empty(requester.platformId);
      return { status: 204 };
    },
  },
];

function accessOf({ requester, parts }: ManagerCall): Promise<readonly TokenRecord[]> {
  return parts.units.run(requester.platformId, (unit) => tokens.all(unit, { filters: {} }));
}

const texts = { type: 'array', items: { type: 'string' } };
const count = { type: 'integer', minimum: 0 };
const record = {
  type: 'object',
  required: ['id', 'sequence', 'version'],
  properties: { id: { type: 'string' }, sequence: count, version: count },
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
      properties: {
        clock: {
          type: 'object',
          required: ['offsetMs', 'frozenAt'],
          properties: { offsetMs: { type: 'integer' }, frozenAt: { type: ['integer', 'null'] } },
        },
        proofs: { enum: ['magic', 'real'] },
        derivationKey: { type: 'string', pattern: '^[0-9a-f]{64}$' },
        origins: texts,
        rpIds: texts,
        audiences: texts,
        issuers: { type: 'array', items: { type: 'object' } },
        faults: { type: 'object' },
      },
    },
    records: {
      type: 'object',
      additionalProperties: false,
      properties: Object.fromEntries(recordTables.map((name) => [name, { type: 'array', items: record }])),
    },
    digest: { type: 'string' },
  },
});

/**
 * @param pointer where it stands in the body.
 * @throws Problem 400 for another format, a newer one than this sandbox knows, and one that was changed by hand.
 */
export function checkSnapshot(value: unknown, pointer = ''): Snapshot {
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
  return value as Snapshot;
}
