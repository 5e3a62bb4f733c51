import type { TokenRequester } from '../domains/operation.ts';
import { type TokenRecord, tokens } from '../domains/tokens/records.ts';
import { readPieces } from '../steps/readBody.ts';
import { pour } from '../tools/pour.ts';
import { Problem } from '../tools/problem.ts';
import { largestSnapshot, sizeOfSnapshot, writeSnapshot } from '../worlds/snapshot.ts';
import { weighPlatform } from '../worlds/weigh.ts';
import type { ControlHandlers, ControlParts } from './route.ts';
import { restoreBody } from './snapshotBody.ts';

/** Exports a platform's whole state, weighs it, and restores it. */
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
  getWeight: {
    handle: async ({ requester: { platformId }, parts }) => ({
      status: 200,
      body: await parts.units.inSlices(platformId, weighPlatform),
    }),
  },
  restoreSnapshot: {
    readsBody: true,
    async handle({ request, requester, parts }) {
      const pieces = readPieces(request, largestSnapshot);
      const kept = await accessOf(requester, parts);
      const access = (platformId: string) =>
        platformId === requester.platformId ? kept.filter(({ id }) => id === requester.actorId) : kept;
      await parts.units.replace(requester.platformId, (unit) => restoreBody(unit, pieces, parts, access));
      return { status: 204 };
    },
  },
} satisfies Pick<ControlHandlers, 'getSnapshot' | 'getWeight' | 'restoreSnapshot'>;

function accessOf({ platformId }: TokenRequester, { units }: ControlParts): Promise<readonly TokenRecord[]> {
  return units.run(platformId, (unit) => tokens.all(unit, { filters: {} }));
}
