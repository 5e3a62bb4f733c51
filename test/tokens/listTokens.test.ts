/** Promise: the list has every valid token, no deleted token, and no secret (D07, D11). */
import { describe, expect, test } from 'vitest';
import type { Token } from '../../generated/types.ts';
import { expectRefusal, faultPlaces } from '../support/expect/apiError.ts';
import { testList } from '../support/requests/lists.ts';
import { testCommonRefusals } from '../support/requests/refusals.ts';
import { openSandbox, type TestSandbox } from '../support/sandbox/harness.ts';
import { openPlatform } from '../support/sandbox/platforms.ts';
import { makeToken, withoutSecret } from '../support/scenes/tokens.ts';

const path = '/tokens';
const find = async (sandbox: TestSandbox, query: string): Promise<string[]> => {
  const { status, body } = await sandbox.send('GET', `${path}?${query}`);
  expect([status, body.totalCount]).toEqual([200, body.data?.length]);
  return body.data.map(({ name }: Token) => name);
};

testCommonRefusals('listTokens', path);

testList({
  path,
  none: 'name=nobody',
  some: 'name=CI',
  wide: 'createdAfter=2025-10-13T09:00:00Z',
  add: async (sandbox) => void (await makeToken(sandbox)),
  addOther: async (sandbox) => void (await makeToken(sandbox, ['VIEW'], 'ci')),
  otherPath: '/customers',
});

test('case 35: the first token and every other, newest first, none with its secret', async () => {
  const sandbox = await openSandbox();
  const tokens = [await makeToken(sandbox, ['VIEW'], 'a'), await makeToken(sandbox, ['MANAGE'], 'b')];
  const { body } = await sandbox.send('GET', path);
  const first = { name: 'First token', clientId: 'sandbox', permissions: ['VIEW', 'TRANSACT', 'MANAGE'] };
  expect(body).toEqual({
    data: [...tokens.map(({ token }) => withoutSecret(token)).reverse(), expect.objectContaining(first)],
    hasMore: false,
    totalCount: 3,
  });
  expect(Object.keys(body.data[2])).not.toContain('clientSecret');
});

test('a deleted one is gone from it, and those of another platform were never there', async () => {
  const sandbox = await openSandbox();
  const other = await openPlatform(sandbox);
  await makeToken(other, ['VIEW'], 'theirs');
  const { token } = await makeToken(sandbox, ['VIEW'], 'gone');
  await makeToken(sandbox, ['VIEW'], 'kept');
  expect((await sandbox.send('DELETE', `${path}/${token.id}`)).status).toBe(204);
  expect(await find(sandbox, '')).toEqual(['kept', 'First token']);
  expect(await find(sandbox, 'name=gone')).toEqual([]);
  expect(await find(other, '')).toEqual(['theirs', 'First token']);
});

describe('filters', () => {
  const names = ['CI', 'ci', 'CI 2', 'Zo\u00eb +&=?#', 'Zoe\u0308', '%', ' CI'];

  test.each(names)('the name "%s" finds its own spelling only', async (name) => {
    const sandbox = await openSandbox();
    for (const one of names) await makeToken(sandbox, ['VIEW'], one);
    expect(await find(sandbox, `name=${encodeURIComponent(name)}`)).toEqual([name]);
  });

  // The tokens are made one millisecond apart. updatedAt is createdAt, because a token never changes.
  test.each<[query: string, found: string[]]>([
    ['createdAfter=2025-10-13T09:00:00.001Z', ['b', 'a']],
    ['createdAfter=2025-10-13T09:00:00.002Z', ['b']],
    ['createdAfter=2025-10-13T09:00:00.0015Z', ['b']],
    ['createdAfter=2025-10-13T09:00:00.003Z', []],
    ['createdBefore=2025-10-13T09:00:00.001Z', ['a', 'First token']],
    ['createdBefore=2025-10-13T09:00:00.0015Z', ['a', 'First token']],
    ['createdBefore=2025-10-13T09:00:00Z', ['First token']],
    ['createdBefore=2025-10-13T08:59:59.999Z', []],
    ['updatedAfter=2025-10-13T09:00:00.002Z', ['b']],
    ['updatedBefore=2025-10-13T09:00:00.001Z', ['a', 'First token']],
    ['createdAfter=2025-10-13T09:00:00.001Z&createdBefore=2025-10-13T09:00:00.001Z', ['a']],
    ['updatedAfter=2025-10-13T09:00:00.001Z&createdBefore=2025-10-13T09:00:00.002Z', ['b', 'a']],
    ['createdAfter=2025-10-13T09:00:00.001Z&name=b', ['b']],
    ['createdBefore=2025-10-13T09:00:00.001Z&name=b', []],
  ])('%s finds %j: both ends count', async (query, found) => {
    const sandbox = await openSandbox();
    for (const name of ['a', 'b']) {
      await sandbox.advance(0.001);
      await makeToken(sandbox, ['VIEW'], name);
    }
    expect(await find(sandbox, query)).toEqual(found);
  });

  test.each([
    ['name=', 'name'],
    [`name=${'a'.repeat(256)}`, 'name'],
    ['createdAfter=yesterday', 'createdAfter'],
    ['updatedBefore=2025-10-13T09:00Z', 'updatedBefore'],
    ['permissions=MANAGE', 'permissions'],
    ['clientId=sandbox', 'clientId'],
  ])('%s is 400 and names the parameter', async (query, name) => {
    const answer = await (await openSandbox()).send('GET', `${path}?${query}`);
    expect(faultPlaces(expectRefusal(answer, 400, 'INVALID_INPUT'))).toEqual([`query /${name}`]);
  });
});
