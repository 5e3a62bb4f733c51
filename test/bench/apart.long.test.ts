/** Promise: the separate measurements run, with the load's own requests. */
import { expect, it } from 'vitest';
import { temporaryFolder } from '../support/sandbox/folder.ts';
import { measureApart } from './apart.ts';

it('says how long the main thread was busy and what many sandboxes cost', async () => {
  const { sandboxes, stall, rawStall } = await measureApart(temporaryFolder(), { isQuick: true, sandboxFlags: [] });
  for (const one of [stall, rawStall]) {
    expect(one?.ms).toBeGreaterThan(0);
    expect(one?.workMs).toBeGreaterThan(0);
  }
  expect(sandboxes).toMatchObject({ count: 200 });
  expect(sandboxes?.bytesEach).toBeGreaterThan(0);
});
