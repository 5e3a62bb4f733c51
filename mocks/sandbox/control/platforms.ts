import { toHex } from '../node/machine/bytes.ts';
import { sha256Hex } from '../node/machine/crypto.ts';
import type { ProofSettings } from '../proofs/proofs.ts';
import { readyMadeWorld } from '../worlds/readyMade.ts';
import type { SnapshotDocument, World } from '../worlds/shape.ts';
import { isSnapshot, snapshotBounds } from '../worlds/snapshot.ts';
import { type PlatformStart, refillPlatform } from '../worlds/world.ts';
import { bodyReader, type ControlRoute } from './route.ts';
import { checkWorld, fillChecked } from './world.ts';

interface PlatformRequest {
  readonly proofs?: ProofSettings['proofs'];
  readonly world?: 'ready-made' | World | SnapshotDocument;
}

const readRequest = bodyReader<PlatformRequest>(
  {
    type: 'object',
    additionalProperties: false,
    properties: {
      proofs: { enum: ['magic', 'real'] },
      // An object is looked at by checkWorld.
      world: {
        type: ['string', 'object'],
        if: { type: 'string' },
        // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
        then: { const: 'ready-made' },
      },
    },
  },
  snapshotBounds,
);

/** `POST /platforms`, `DELETE /platform`, `POST /reset`: platforms come, end, and begin anew. */
export const platformRoutes: readonly ControlRoute[] = [
  {
    method: 'POST',
    path: '/platforms',
    needs: 'operator',
    async handle({ request, parts }) {
      const asked = await readRequest(request);
      const { world = { customers: [] } } = asked;
      const wanted = checkWorld(world === 'ready-made' ? readyMadeWorld : world, parts.contract, parts.clock);
      const proofs = asked.proofs ?? (isSnapshot(wanted) ? wanted.state.proofs : 'magic');
      // A seeded source gives the same names again. Counting on from those that have ended keeps an old token from
      // opening a new platform; where two are made at once, the other takes the next.
      for (let number = await parts.units.countMade(); ; number += 1) {
        const chance = parts.chance.scope(`platforms/${number}`);
        const [platformId, clientId, clientSecret] = [8, 16, 32].map((size) => hex(chance.bytes(size))) as [
          string,
          string,
          string,
        ];
        const state = { ...parts.firstState, proofs };
        const token = { clientId, secretHash: sha256Hex(clientSecret) };
        const first: PlatformStart = { state, token, world: wanted };
        if (await parts.units.create(platformId, first, fillChecked(parts.contract))) {
          return { status: 201, body: { platformId, clientId, clientSecret, proofs } };
        }
      }
    },
  },
  {
    method: 'DELETE',
    path: '/platform',
    needs: 'manager',
    async handle({ requester, parts }) {
      await parts.units.end(requester.platformId);
      parts.journal.empty(requester.platformId);
      return { status: 204 };
    },
  },
  {
    method: 'POST',
    path: '/reset',
    needs: 'manager',
    async handle({ requester, parts }) {
      await parts.units.reset(requester.platformId, refillPlatform);
      return { status: 204 };
    },
  },
];

function hex(bytes: Uint8Array): string {
  return toHex(bytes);
}
