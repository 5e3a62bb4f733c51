/**
 * Promise: a cursor is valid only on the platform that issued it, even if another platform has the same entries (D07).
 * Each list's own test covers damaged cursors and cursors of another list.
 */
import { expect, test } from 'vitest';
import { expectRefusal, faultPlaces } from '../support/expect/apiError.ts';
import { must, openSandbox } from '../support/sandbox/harness.ts';
import { openPlatform, type TestPlatform } from '../support/sandbox/platforms.ts';
import { openSignedInWallet, refreshSession } from '../support/scenes/builders.ts';

const lists: [name: string, path: (platform: TestPlatform) => Promise<string>][] = [
  ['customers', async () => '/customers?limit=1'],
  ['internal accounts', async () => '/customers/internal-accounts?limit=1'],
  [
    'sessions',
    async (platform) => {
      const wallet = await openSignedInWallet(platform);
      await refreshSession(platform, wallet.session.id);
      return `/auth/sessions?accountId=${wallet.accountId}&limit=1`;
    },
  ],
];

test.each(lists)('case 88: the cursor of another platform in the list of %s: 400', async (_name, pathOn) => {
  const sandbox = await openSandbox();
  const [mine, theirs] = [
    await openPlatform(sandbox, { world: 'ready-made' }),
    await openPlatform(sandbox, { world: 'ready-made' }),
  ];
  const [path, other] = [await pathOn(mine), await pathOn(theirs)];
  const { nextCursor } = (await theirs.send('GET', other)).body;
  expect(nextCursor).toEqual(expect.any(String));
  for (const platform of [mine, sandbox]) {
    for (const asked of [path, other]) {
      const refused = expectRefusal(await platform.send('GET', `${asked}&cursor=${nextCursor}`), 400, 'INVALID_INPUT');
      expect(faultPlaces(refused)).toEqual(['query /cursor']);
    }
  }
  const page = await theirs.send('GET', `${other}&cursor=${nextCursor}`);
  expect([page.status, page.body.data.length]).toEqual([200, 1]);
});

test('case 88: the cursor of a platform that has ended is good nowhere', async () => {
  const sandbox = await openSandbox();
  const ended = await openPlatform(sandbox, { world: 'ready-made' });
  const { nextCursor } = (await ended.send('GET', '/customers?limit=1')).body;
  must(await ended.control('DELETE', '/platform'));
  const again = await openPlatform(sandbox, { world: 'ready-made' });
  const path = `/customers?limit=1&cursor=${nextCursor}`;
  expectRefusal(await ended.send('GET', path), 401, 'UNAUTHORIZED');
  for (const platform of [sandbox, again]) expectRefusal(await platform.send('GET', path), 400, 'INVALID_INPUT');
});
