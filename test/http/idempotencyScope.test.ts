/**
 * Promise: a key belongs to the platform with all its tokens, and to the operation and the path that it was used with
 * (D10). Nobody can read another platform's answer with it. It survives a change of the secret, and a restart.
 */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { sha256Hex } from '../../mocks/sandbox/node/machine/crypto.ts';
import { openSqlite } from '../../mocks/sandbox/node/sqlite/sqlite.ts';
import { expectRefusal } from '../support/expect/apiError.ts';
import {
  expectReplay,
  isReplay,
  key,
  names,
  otherKey,
  type Plan,
  plans,
  post,
  prepare,
} from '../support/requests/idempotency.ts';
import { temporaryFolder } from '../support/sandbox/folder.ts';
import { type Answer, basic, openSandbox } from '../support/sandbox/harness.ts';
import { openPlatform } from '../support/sandbox/platforms.ts';
import { makeToken } from '../support/scenes/tokens.ts';
import { expectSound, listTransactions, openOwner } from '../support/scenes/transfers.ts';

describe.each(names)('%s', (name) => {
  test('case 83: a key belongs to all tokens of the platform: after a change of the secret, a retry does nothing', async () => {
    const { sandbox, plan } = await prepare(name);
    const old = await makeToken(sandbox, ['TRANSACT']);
    const first = await post(sandbox, plan, key, old.authorization);
    expect(isReplay(first)).toBe(false);
    const { authorization } = await makeToken(sandbox, ['TRANSACT']);
    expect((await sandbox.send('DELETE', `/tokens/${old.token.id}`)).status).toBe(204);
    expectReplay(await post(sandbox, plan, key, authorization), first);
    expectReplay(await post(sandbox, plan, key), first);
    expect((await sandbox.control('GET', '/ledger')).body.sound).toBe(true);
  });

  test('credentials and permission are checked at every repetition', async () => {
    const { sandbox, plan } = await prepare(name);
    await post(sandbox, plan, key);
    expectRefusal(await post(sandbox, plan, key, basic('sandbox', 'wrong')), 401, 'UNAUTHORIZED');
    const { authorization } = await makeToken(sandbox, ['MANAGE', 'VIEW']);
    expectRefusal(await post(sandbox, plan, key, authorization), 403, 'FORBIDDEN');
  });

  test('without a key, and with another one, the request is a new one', async () => {
    const { sandbox, plan } = await prepare(name);
    const first = await post(sandbox, plan, key);
    for (const answer of [
      await sandbox.send('POST', plan.path, { body: plan.body }),
      await post(sandbox, plan, otherKey),
    ]) {
      expect(isReplay(answer)).toBe(false);
      if (name === 'executeQuote') expectRefusal(answer, 409, 'QUOTE_NOT_PENDING');
      else expect(answer.body.id).not.toBe(first.body.id);
    }
  });

  test('a reset forgets all keys', async () => {
    const { sandbox, plan } = await prepare(name);
    await post(sandbox, plan, key);
    expect((await sandbox.control('POST', '/reset')).status).toBe(204);
    expectRefusal(await post(sandbox, plan, key), 404, ['ACCOUNT_NOT_FOUND', 'QUOTE_NOT_FOUND']);
  });

  test('a key that an older version kept for one token still counts for this token', async () => {
    const file = join(temporaryFolder(), 'keys.sqlite');
    const store = await openSqlite(file);
    const owner = await openOwner('000', {}, await openSandbox({ store }));
    const plan = (await plans[name]?.(owner)) as Plan;
    const { token, authorization } = await makeToken(owner.sandbox, ['TRANSACT']);
    const first = await post(owner.sandbox, plan, key, authorization);
    await store.close();
    // As the older version wrote it: the id of the token in place of the whole platform.
    const database = new DatabaseSync(file);
    const path = name === 'executeQuote' ? { quoteId: plan.path.split('/')[2] } : {};
    const scope = (owner: string) => sha256Hex(JSON.stringify([owner, name, path, key]));
    const change = database.prepare(
      `update idempotency_keys set id = ?1, body = json_set(body, '$.id', ?1) where id = ?2`,
    );
    expect(change.run(scope(token.id), scope('')).changes).toBe(1);
    database.close();
    const again = await openSqlite(file);
    const restarted = await openSandbox({ store: again });
    expectReplay(await post(restarted, plan, key, authorization), first);
    expect(isReplay(await post(restarted, plan, key))).toBe(false);
    await again.close();
  });

  test('a key survives a restart', async () => {
    const file = join(temporaryFolder(), 'keys.sqlite');
    const store = await openSqlite(file);
    const owner = await openOwner('000', {}, await openSandbox({ store }));
    const plan = (await plans[name]?.(owner)) as Plan;
    const first = await post(owner.sandbox, plan, key);
    expect([200, 201]).toContain(first.status);
    await store.close();
    const again = await openSqlite(file);
    const restarted = await openSandbox({ store: again });
    expectReplay(await post(restarted, plan, key), first);
    expect(await listTransactions(restarted, `customerId=${owner.customerId}`)).toHaveLength(2);
    await again.close();
  });
});

test('case 83: a key belongs to the operation and the path: the same one does for a quote and its execution', async () => {
  const owner = await openOwner();
  const { sandbox } = owner;
  const quote = (await plans['createQuote']?.(owner)) as Plan;
  const one = await post(sandbox, quote, key);
  const two = await post(sandbox, quote, otherKey);
  for (const { body } of [one, two]) {
    const executed = await post(sandbox, { path: `/quotes/${body.id}/execute` }, key);
    expect([executed.status, executed.body.id, isReplay(executed)]).toEqual([200, body.id, false]);
  }
  for (const name of ['createTransferIn', 'createTransferOut']) {
    const answer = await post(sandbox, (await plans[name]?.(owner)) as Plan, key);
    expect([answer.status, isReplay(answer)]).toEqual([201, false]);
  }
  await expectSound(sandbox);
});

test('case 83: a key belongs to the platform', async () => {
  const sandbox = await openSandbox();
  const answers: Answer[] = [];
  for (const platform of [await openPlatform(sandbox), await openPlatform(sandbox)]) {
    const owner = await openOwner('000', {}, platform);
    answers.push(await post(platform, (await plans['createTransferOut']?.(owner)) as Plan, key));
  }
  expect(answers.map((answer) => [answer.status, isReplay(answer)])).toEqual([
    [201, false],
    [201, false],
  ]);
});

test.each(['/sandbox/send', '/customers'])('%s does not take a key: one of any form is ignored', async (path) => {
  const sandbox = await openSandbox();
  for (let round = 0; round < 2; round += 1) {
    const answer = await post(sandbox, { path, body: { customerType: 'INDIVIDUAL' } }, round === 0 ? key : 'abc');
    expect([answer.status, isReplay(answer)]).toEqual([path === '/customers' ? 201 : 400, false]);
  }
});
