/**
 * Promise: a token works at once, with exactly its permissions. Its secret is shown once, can't be guessed, and isn't
 * stored anywhere.
 */
import { describe, expect, test } from 'vitest';
import { openSqlite } from '../../mocks/sandbox/node/sqlite/sqlite.ts';
import type { Reader, Statement, Store } from '../../mocks/sandbox/store/store.ts';
import { systemChance } from '../../mocks/sandbox/tools/chance.ts';
import { bundle, expectRefusal, faultPlaces } from '../support/expect/apiError.ts';
import { testCommonRefusals } from '../support/requests/refusals.ts';
import { basic, data, openSandbox, type TestSandbox } from '../support/sandbox/harness.ts';

const create = (sandbox: TestSandbox, body: unknown) => sandbox.send('POST', '/tokens', { body });

testCommonRefusals('createToken', '/tokens');

describe('a token', () => {
  test('has what was asked for, an id, a client id and a secret', async () => {
    const answer = await create(await openSandbox(), { name: 'CI', permissions: ['TRANSACT', 'VIEW'] });
    expect([answer.status, answer.body]).toEqual([
      201,
      {
        id: expect.stringMatching(/^Token:[0-9a-f-]{36}$/),
        name: 'CI',
        permissions: ['TRANSACT', 'VIEW'],
        clientId: expect.stringMatching(/^[0-9a-f]{32}$/),
        clientSecret: expect.stringMatching(/^[0-9a-f]{64}$/),
        createdAt: '2025-10-13T09:00:00.000Z',
        updatedAt: '2025-10-13T09:00:00.000Z',
      },
    ]);
  });

  test('works at once, on the platform that made it', async () => {
    const sandbox = await openSandbox();
    const token = data(await sandbox.client.POST('/tokens', { body: { name: 'a', permissions: ['VIEW'] } }));
    const mine = await sandbox.as(token.clientId, token.clientSecret).GET('/customers');
    expect(data(mine)).toEqual(data(await sandbox.client.GET('/customers')));
  });

  test('with MANAGE may make others, of any permission', async () => {
    const sandbox = await openSandbox();
    const manager = data(await sandbox.client.POST('/tokens', { body: { name: 'm', permissions: ['MANAGE'] } }));
    const client = sandbox.as(manager.clientId, manager.clientSecret);
    const reader = data(await client.POST('/tokens', { body: { name: 'r', permissions: ['VIEW'] } }));
    expect((await sandbox.as(reader.clientId, reader.clientSecret).GET('/customers')).response.status).toBe(200);
    expect((await client.GET('/customers')).response.status).toBe(403);
  });

  test.each(['a', 'Same name', 'Zoe\u0308 \u200f\u0645 😀', ' spaces ', '😀'.repeat(255)])(
    'keeps its name: "%s"',
    async (name) => {
      const answer = await create(await openSandbox(), { name, permissions: ['VIEW'] });
      expect([answer.status, answer.body.name]).toEqual([201, name]);
    },
  );

  test('shares nothing with the next of the same name', async () => {
    const sandbox = await openSandbox();
    const [one, two] = [await create(sandbox, body()), await create(sandbox, body())];
    for (const field of ['id', 'clientId', 'clientSecret']) expect(one.body[field]).not.toBe(two.body[field]);
  });
});

describe('the secret', () => {
  test('case 35: is in the reply of the creation only, by schema and in fact', async () => {
    const { Token, TokenCreated } = bundle.components.schemas;
    expect(Token.properties).not.toHaveProperty('clientSecret');
    expect(JSON.stringify(TokenCreated)).toContain('clientSecret');
    const holders = Object.entries(bundle.components.schemas).filter(([, schema]) =>
      JSON.stringify(schema).includes('clientSecret'),
    );
    expect(holders.map(([name]) => name)).toEqual(['TokenCreated']);
  });

  test('case 35: never reaches the store or the log; what is kept there is its hash', async () => {
    const { store, written } = await openSpyingStore();
    const sandbox = await openSandbox({ store });
    const token = data(await sandbox.client.POST('/tokens', { body: { name: 'a', permissions: ['MANAGE'] } }));
    await sandbox
      .as(token.clientId, token.clientSecret)
      .POST('/tokens', { body: { name: 'b', permissions: ['VIEW'] } });
    const kept = JSON.stringify([written, sandbox.log]);
    expect(kept).toContain(token.clientId);
    expect(kept).not.toContain(token.clientSecret);
    expect(kept).not.toContain(Buffer.from(`${token.clientId}:${token.clientSecret}`).toString('base64'));
  });

  test('differs from run to run unless a seed is given', async () => {
    const secretWith = async (parts: Parameters<typeof openSandbox>[0]) =>
      (await create(await openSandbox(parts), body())).body.clientSecret;
    expect(await secretWith({})).toBe(await secretWith({}));
    expect(await secretWith({ chance: systemChance })).not.toBe(await secretWith({ chance: systemChance }));
  });

  test("isn't good with a part missing, or for another token", async () => {
    const sandbox = await openSandbox();
    const [one, two] = [(await create(sandbox, body())).body, (await create(sandbox, body())).body];
    const attempts: [string, string][] = [
      [one.clientId, two.clientSecret],
      [one.clientId, one.clientSecret.slice(0, -1)],
      [one.clientId, one.clientSecret.toUpperCase()],
      [one.clientId, ''],
      [one.id, one.clientSecret],
    ];
    for (const pair of attempts) {
      expectRefusal(await sandbox.send('GET', '/customers', { authorization: basic(...pair) }), 401, 'UNAUTHORIZED');
    }
  });
});

describe('refusals', () => {
  test.each<[name: string, body: unknown, places: string[]]>([
    ['nothing', {}, ['body /name', 'body /permissions']],
    ['no name', { permissions: ['VIEW'] }, ['body /name']],
    ['an empty name', { name: '', permissions: ['VIEW'] }, ['body /name']],
    ['a name of 256', { name: 'a'.repeat(256), permissions: ['VIEW'] }, ['body /name']],
    ['an invalid name', { name: 5, permissions: ['VIEW'] }, ['body /name']],
    ['no permission', { name: 'a', permissions: [] }, ['body /permissions']],
    ['one twice', { name: 'a', permissions: ['VIEW', 'VIEW'] }, ['body /permissions']],
    ['an unknown one', { name: 'a', permissions: ['VIEW', 'ADMIN'] }, ['body /permissions/1']],
    ['one in small letters', { name: 'a', permissions: ['view'] }, ['body /permissions/0']],
    ["one that isn't a list", { name: 'a', permissions: 'VIEW' }, ['body /permissions']],
    ['a secret of its own', { ...body(), clientSecret: 's', clientId: 'c' }, ['body /clientId', 'body /clientSecret']],
  ])('%s is 400 at its place', async (_name, given, places) => {
    const refused = expectRefusal(await create(await openSandbox(), given), 400, 'INVALID_INPUT');
    expect(faultPlaces(refused)).toEqual(places);
  });
});

function body() {
  return { name: 'CI', permissions: ['VIEW'] };
}

/** A store that remembers every value it was ever given. */
async function openSpyingStore(): Promise<{ store: Store; written: Statement['parameters'][] }> {
  const real = await openSqlite(':memory:');
  const written: Statement['parameters'][] = [];
  const spy = (reader: Reader): Reader => ({
    builder: reader.builder,
    execute(statement) {
      written.push(statement.parameters);
      return reader.execute(statement);
    },
  });
  const store: Store = {
    read: (work) => real.read((reader) => work(spy(reader))),
    transaction: (id, work) => real.transaction(id, (reader) => work(spy(reader))),
    hold: (id, work) => real.hold(id, (slices) => work({ run: (part) => slices.run((reader) => part(spy(reader))) })),
    counts: () => real.counts(),
    close: () => real.close(),
  };
  return { store, written };
}
