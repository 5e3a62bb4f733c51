/** Promise: an id's UUID is a version 7 (RFC 9562), and the same bytes of chance give what the `uuid` package makes of them. */
import fc from 'fast-check';
import { v7 } from 'uuid';
import { expect, it } from 'vitest';
import { makeUuid } from '../../mocks/sandbox/tools/chance.ts';

it('agrees with the package', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 2 ** 48 - 1 }),
      fc.uint8Array({ minLength: 16, maxLength: 16 }),
      (now, bytes) => {
        const made = makeUuid(now, { bytes: () => Uint8Array.from(bytes) });
        expect(made).toBe(v7({ msecs: now, random: Uint8Array.from(bytes) }));
      },
    ),
  );
});
