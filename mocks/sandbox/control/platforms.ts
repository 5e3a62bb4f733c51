import { toHex } from '../node/machine/bytes.ts';
import { sha256Hex } from '../node/machine/crypto.ts';
import { invalidField } from '../tools/problem.ts';
import { readyMadeWorld } from '../worlds/readyMade.ts';
import type { SnapshotDocument, World } from '../worlds/shape.ts';
import { isSnapshot, snapshotBounds } from '../worlds/snapshot.ts';
import { type PlatformStart, refillPlatform } from '../worlds/world.ts';
import type { ControlHandlers } from './route.ts';
import { checkWorld, fillChecked, type WorldCheck } from './world.ts';

/** Creates, deletes and resets platforms. */
export const platformHandlers = {
  createPlatform: {
    bounds: snapshotBounds,
    // checkWorld examines the world, of either kind.
    examines: 'world',
    async handle({ body: asked, parts }) {
      const wanted = readWorld(asked.world, parts);
      const proofs = asked.proofs ?? (wanted !== 'examples' && isSnapshot(wanted) ? wanted.state.proofs : 'magic');
      // A seeded source returns the same names again. So the number continues after all platforms ever made, and an old
      // token can't open a new platform. If two platforms are created at once, one of them takes the next number.
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
  deletePlatform: {
    async handle({ requester, parts }) {
      await parts.units.end(requester.platformId);
      parts.journal.end(requester.platformId);
      parts.replies.forget(requester.platformId);
      return { status: 204 };
    },
  },
  resetPlatform: {
    async handle({ requester, parts }) {
      await parts.units.reset(requester.platformId, refillPlatform(parts.contract));
      return { status: 204 };
    },
  },
} satisfies Pick<ControlHandlers, 'createPlatform' | 'deletePlatform' | 'resetPlatform'>;

/** @throws Problem 400 if it is neither a world's name nor an object, and as {@link checkWorld} does */
function readWorld(given: unknown, parts: WorldCheck): PlatformStart['world'] {
  if (given === undefined) return { customers: [] };
  if (given === 'ready-made') return readyMadeWorld;
  if (given === 'examples') return given;
  if (typeof given !== 'object' || given === null)
    throw invalidField(
      '/world',
      'must be "ready-made", "examples", or an object with a world or a snapshot; leave it out for an empty platform',
    );
  return checkWorld(given as World | SnapshotDocument, parts);
}

function hex(bytes: Uint8Array): string {
  return toHex(bytes);
}
