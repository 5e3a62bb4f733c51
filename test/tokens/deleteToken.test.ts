/**
 * Promise: from the next request on, a deleted token opens nothing. A platform always keeps one token that can make
 * others (D11).
 */
import { describe, expect, test } from 'vitest';
import type { Permission, Token } from '../../generated/types.ts';
import { expectRefusal, faultPlaces } from '../support/expect/apiError.ts';
import { testCommonRefusals } from '../support/requests/refusals.ts';
import { openSandbox, type TestSandbox } from '../support/sandbox/harness.ts';
import { openPlatform } from '../support/sandbox/platforms.ts';
import { makeToken } from '../support/scenes/tokens.ts';

testCommonRefusals('deleteToken', '/tokens/Token:none');

const list = async (sandbox: TestSandbox): Promise<Token[]> => (await sandbox.send('GET', '/tokens')).body.data;
const firstOf = async (sandbox: TestSandbox): Promise<string> => (await list(sandbox)).at(-1)?.id ?? '';
const remove = (sandbox: TestSandbox, id: string, authorization?: string) =>
  sandbox.send('DELETE', `/tokens/${id}`, authorization === undefined ? {} : { authorization });

describe('a deleted token', () => {
  test.each<Permission[][]>([[['VIEW']], [['TRANSACT']], [['MANAGE']], [['VIEW', 'TRANSACT', 'MANAGE']]])(
    'with %j is refused at once, by the contract and the control surface, and is 404',
    async (permissions) => {
      const sandbox = await openSandbox();
      const { token, authorization } = await makeToken(sandbox, permissions);
      const path = permissions.includes('VIEW') ? '/customers' : '/nowhere';
      const before = (await sandbox.send('GET', path, { authorization })).status;
      expect(before).not.toBe(401);
      const answer = await remove(sandbox, token.id);
      expect([answer.status, answer.body]).toEqual([204, undefined]);
      expectRefusal(await sandbox.send('GET', '/customers', { authorization }), 401, 'UNAUTHORIZED');
      expectRefusal(await sandbox.send('POST', '/tokens', { authorization, body: {} }), 401, 'UNAUTHORIZED');
      expectRefusal(await sandbox.control('GET', '/clock', { authorization }), 401, 'UNAUTHORIZED');
      expectRefusal(await sandbox.send('GET', `/tokens/${token.id}`), 404, 'TOKEN_NOT_FOUND');
      expectRefusal(await remove(sandbox, token.id), 404, 'TOKEN_NOT_FOUND');
    },
  );

  test("doesn't delete other tokens with its name, or objects that it has made", async () => {
    const sandbox = await openSandbox();
    const maker = await makeToken(sandbox, ['MANAGE']);
    const namesake = await makeToken(sandbox, ['VIEW']);
    const body = { customerType: 'INDIVIDUAL' };
    const made = await sandbox.send('POST', '/customers', { body, authorization: maker.authorization });
    expect((await remove(sandbox, maker.token.id)).status).toBe(204);
    const { authorization } = namesake;
    expect((await sandbox.send('GET', `/customers/${made.body.id}`, { authorization })).status).toBe(200);
  });

  test('may delete itself', async () => {
    const sandbox = await openSandbox();
    const { token, authorization } = await makeToken(sandbox, ['MANAGE']);
    expect((await remove(sandbox, token.id, authorization)).status).toBe(204);
    expectRefusal(await remove(sandbox, token.id, authorization), 401, 'UNAUTHORIZED');
  });

  test('may be the first token, once there is another with MANAGE', async () => {
    const sandbox = await openSandbox();
    const id = await firstOf(sandbox);
    const { authorization } = await makeToken(sandbox, ['VIEW', 'MANAGE']);
    expect((await remove(sandbox, id)).status).toBe(204);
    expectRefusal(await sandbox.send('GET', '/customers'), 401, 'UNAUTHORIZED');
    expect((await sandbox.send('GET', '/tokens', { authorization })).body.totalCount).toBe(1);
  });
});

describe('the last token with MANAGE', () => {
  test.each<Permission[][]>([[[]], [['VIEW']], [['TRANSACT']], [['VIEW', 'TRANSACT']]])(
    'stays (400), with others of %j beside it',
    async (others) => {
      const sandbox = await openSandbox();
      if (others.length > 0) for (const name of ['a', 'b']) await makeToken(sandbox, others, name);
      const before = await list(sandbox);
      const refused = expectRefusal(await remove(sandbox, await firstOf(sandbox)), 400, 'INVALID_INPUT');
      expect(faultPlaces(refused)).toEqual(['path /tokenId']);
      expect(await list(sandbox)).toEqual(before);
    },
  );

  test('is the last again after the other went', async () => {
    const sandbox = await openSandbox();
    const { token } = await makeToken(sandbox, ['MANAGE']);
    expect((await remove(sandbox, token.id)).status).toBe(204);
    expectRefusal(await remove(sandbox, await firstOf(sandbox)), 400, 'INVALID_INPUT');
  });

  test('does not keep those without MANAGE', async () => {
    const sandbox = await openSandbox();
    const { token } = await makeToken(sandbox, ['VIEW', 'TRANSACT']);
    expect((await remove(sandbox, token.id)).status).toBe(204);
  });

  test("of another platform does not count, and ours can't delete it", async () => {
    const sandbox = await openSandbox();
    const other = await openPlatform(sandbox);
    expectRefusal(await remove(other, await firstOf(other)), 400, 'INVALID_INPUT');
    expectRefusal(await remove(sandbox, await firstOf(other)), 404, 'TOKEN_NOT_FOUND');
    expect(await list(other)).toHaveLength(1);
  });

  test('of two that delete each other at once, one stays', async () => {
    const sandbox = await openSandbox();
    const [one, two] = [await makeToken(sandbox, ['MANAGE'], 'a'), await makeToken(sandbox, ['MANAGE'], 'b')];
    // The first token is deleted, so that only these two have MANAGE. The third only reads.
    const reader = await makeToken(sandbox, ['VIEW'], 'reader');
    expect((await remove(sandbox, await firstOf(sandbox))).status).toBe(204);
    const answers = await Promise.all([
      remove(sandbox, two.token.id, one.authorization),
      remove(sandbox, one.token.id, two.authorization),
    ]);
    const statuses = answers.map(({ status }) => status).sort();
    // The slower one is refused, either as the last token with MANAGE or because its own token is gone.
    expect(statuses[0]).toBe(204);
    expect([400, 401]).toContain(statuses[1]);
    const left = (await sandbox.send('GET', '/tokens', { authorization: reader.authorization })).body.data;
    expect(left.filter(({ permissions }: Token) => permissions.includes('MANAGE'))).toHaveLength(1);
  });

  test('is left over when all are deleted at once', async () => {
    const sandbox = await openSandbox();
    const made = [];
    for (let number = 0; number < 5; number += 1) made.push(await makeToken(sandbox, ['MANAGE'], `m${number}`));
    const ids = [await firstOf(sandbox), ...made.map(({ token }) => token.id)];
    const [{ authorization }] = [await makeToken(sandbox, ['VIEW'], 'reader')];
    const answers = await Promise.all(ids.map((id) => remove(sandbox, id)));
    expect(answers.every(({ status }) => [204, 400, 401].includes(status))).toBe(true);
    const left = (await sandbox.send('GET', '/tokens', { authorization })).body.data;
    const managers = left.filter(({ permissions }: Token) => permissions.includes('MANAGE'));
    expect(managers).toHaveLength(6 - answers.filter(({ status }) => status === 204).length);
    expect(managers.length).toBeGreaterThan(0);
  });
});

test.each(['Token:0199dccc-0000-7000-8000-000000000000', 'Token:', 'Customer:a', 'sandbox'])(
  'an id %s is 404',
  async (id) => {
    expectRefusal(await remove(await openSandbox(), id), 404, 'TOKEN_NOT_FOUND');
  },
);
