/**
 * Promise: a new platform is exactly what was requested, or isn't made at all. It has its own credentials, and is
 * deleted on request (D43).
 */
import { describe, expect, test } from 'vitest';
import type { Customer, InternalAccount } from '../../generated/types.ts';
import { seededChance } from '../../mocks/sandbox/tools/chance.ts';
import { expectRefusal, faultPlaces } from '../support/expect/apiError.ts';
import { basic, data, must, openSandbox, type TestSandbox } from '../support/sandbox/harness.ts';
import { customerOf, openPlatform } from '../support/sandbox/platforms.ts';
import { openWallet, registerEmailOtp, signIn } from '../support/scenes/builders.ts';

const create = (sandbox: TestSandbox, body?: unknown) =>
  sandbox.control('POST', '/platforms', { body, authorization: null });
const list = async (sandbox: TestSandbox): Promise<{ customers: Customer[]; accounts: InternalAccount[] }> => ({
  customers: data(await sandbox.client.GET('/customers', { params: { query: { limit: 100 } } })).data,
  accounts: data(await sandbox.client.GET('/customers/internal-accounts', { params: { query: { limit: 100 } } })).data,
});

describe('what is asked for', () => {
  test.each([undefined, {}])(
    'nothing (%j): an empty platform in magic proofs, with a token that may do all',
    async (body) => {
      const sandbox = await openSandbox();
      const made = await create(sandbox, body);
      expect([made.status, made.body]).toEqual([
        201,
        {
          platformId: expect.stringMatching(/^[0-9a-f]{16}$/),
          clientId: expect.stringMatching(/^[0-9a-f]{32}$/),
          clientSecret: expect.stringMatching(/^[0-9a-f]{64}$/),
          proofs: 'magic',
        },
      ]);
      expect(made.headers.get('cache-control')).toBe('no-store');
      const platform = await openPlatform(sandbox);
      expect(await list(platform)).toEqual({ customers: [], accounts: [] });
      const { accountId } = await openWallet(platform);
      await signIn(platform, (await registerEmailOtp(platform, accountId)).id);
      const fund = `/sandbox/internal-accounts/${accountId}/fund`;
      expect((await platform.send('POST', fund, { body: { amount: 1 } })).status).toBe(200);
      expect(await platform.now()).toBe('2025-10-13T09:00:00.000Z');
    },
  );

  test('the ready-made world: what the default platform has, under ids of its own', async () => {
    const sandbox = await openSandbox();
    const platform = await openPlatform(sandbox, { world: 'ready-made' });
    const [theirs, ours] = [await list(platform), await list(sandbox)];
    const shown = ({ customers, accounts }: typeof ours) => [
      customers.map(({ id: _id, ...customer }) => customer),
      accounts.map(({ type, balance }) => [type, balance]),
    ];
    expect(shown(theirs)).toEqual(shown(ours));
    const idsOf = ({ customers, accounts }: typeof ours) => [...customers, ...accounts].map(({ id }) => id);
    expect(idsOf(theirs).filter((id) => idsOf(ours).includes(id))).toEqual([]);
  });

  test('a world: its customers as createCustomer makes them, the last one newest, with the accounts it gives', async () => {
    const platform = await openPlatform(await openSandbox(), {
      world: {
        customers: [
          { customer: { customerType: 'INDIVIDUAL', email: 'a@example.com', kycStatus: 'PENDING' } },
          {
            customer: {
              customerType: 'BUSINESS',
              email: 'b@example.com',
              currencies: ['USD'],
              platformCustomerId: 'b',
            },
            accounts: [
              { currency: 'USDB', balance: 5_000_000 },
              { currency: 'USD' },
              { currency: 'USDB' },
              { currency: 'BTC', balance: 9_000_000_000_000_000 },
            ],
          },
          { customer: { customerType: 'INDIVIDUAL', email: 'c@example.com' }, accounts: [] },
        ],
      },
    });
    expect((await list(platform)).customers.map(({ email }) => email)).toEqual([
      'c@example.com',
      'b@example.com',
      'a@example.com',
    ]);
    const shown = async (email: string) => {
      const { customer, accounts } = await customerOf(platform, email);
      const held = accounts.map(({ type, balance }) => `${type} ${balance.currency.code} ${balance.amount}`);
      return { currencies: customer.currencies, held };
    };
    expect(await shown('a@example.com')).toEqual({
      currencies: ['USD', 'USDC', 'USDB'],
      held: ['INTERNAL_FIAT USD 0', 'INTERNAL_CRYPTO USDC 0', 'EMBEDDED_WALLET USDB 0'],
    });
    expect(await shown('b@example.com')).toEqual({
      currencies: ['USD', 'USDB', 'BTC'],
      held: [
        'EMBEDDED_WALLET USDB 5000000',
        'INTERNAL_FIAT USD 0',
        'EMBEDDED_WALLET USDB 0',
        'INTERNAL_CRYPTO BTC 9000000000000000',
      ],
    });
    expect((await shown('c@example.com')).held).toEqual([]);
    expect((await customerOf(platform, 'a@example.com')).customer).toMatchObject({ kycStatus: 'PENDING' });
    expect((await customerOf(platform, 'b@example.com')).customer).toMatchObject({ platformCustomerId: 'b' });
  });

  test.each(['magic', 'real'] as const)('%s proofs', async (proofs) => {
    const sandbox = await openSandbox();
    const platform = await openPlatform(sandbox, { proofs });
    expect((await platform.control('GET', '/settings')).body.proofs).toBe(proofs);
    expect((await sandbox.control('GET', '/settings')).body.proofs).toBe('magic');
    const { accountId } = await openWallet(platform);
    await registerEmailOtp(platform, accountId);
    expect((await platform.control('GET', '/outbox')).body.data).toHaveLength(proofs === 'real' ? 1 : 0);
  });
});

describe('what is refused', () => {
  const person = (fields: object = {}) => ({ customer: { customerType: 'INDIVIDUAL', ...fields } });
  const world = (...customers: object[]) => ({ world: { customers } });

  test.each<[name: string, body: unknown, code: string, places: string[]]>([
    ['an unknown field', { name: 'x' }, 'INVALID_INPUT', ['body /name']],
    ['other proofs', { proofs: 'none' }, 'INVALID_INPUT', ['body /proofs']],
    ["proofs that aren't text", { proofs: true }, 'INVALID_INPUT', ['body /proofs']],
    ['a world of another name', { world: 'empty' }, 'INVALID_INPUT', ['body /world']],
    ['a world that is a list', { world: [] }, 'INVALID_INPUT', ['body /world']],
    ['a world without customers', { world: {} }, 'INVALID_INPUT', ['body /world/customers']],
    ['more in a world', { world: { customers: [], agents: [] } }, 'INVALID_INPUT', ['body /world/agents']],
    ['an invalid customer', world({}), 'INVALID_INPUT', ['body /world/customers/0/customer']],
    [
      'a customer that createCustomer does not take',
      world(person(), person({ email: 'x', nick: 'y' })),
      'INVALID_INPUT',
      ['body /world/customers/1/customer/email', 'body /world/customers/1/customer/nick'],
    ],
    [
      'faults of several customers',
      world(person({ region: 'gb' }), person(), { customer: { customerType: 'OTHER' } }),
      'INVALID_INPUT',
      ['body /world/customers/0/customer/region', 'body /world/customers/2/customer/customerType'],
    ],
    [
      'an unknown currency',
      world(person({ currencies: ['USD', 'XYZ'] })),
      'INVALID_CURRENCY',
      ['body /world/customers/0/customer/currencies/1'],
    ],
    [
      'currencies that do not go together',
      world(person(), person({ currencies: ['KES', 'NGN'] })),
      'INVALID_CURRENCY',
      ['body /world/customers/1/customer/currencies'],
    ],
    [
      'an account in an unknown currency',
      world({ ...person(), accounts: [{ currency: 'USD' }, { currency: 'XYZ' }] }),
      'INVALID_CURRENCY',
      ['body /world/customers/0/accounts/1/currency'],
    ],
    [
      'an account that does not go with the currencies',
      world({ ...person({ currencies: ['KES'] }), accounts: [{ currency: 'NGN' }] }),
      'INVALID_CURRENCY',
      ['body /world/customers/0/customer/currencies'],
    ],
    [
      'accounts without what they need, or with more',
      world({ ...person(), accounts: [{ balance: 1 }, { currency: 'USD', id: 'x' }] }),
      'INVALID_INPUT',
      ['body /world/customers/0/accounts/0/currency', 'body /world/customers/0/accounts/1/id'],
    ],
    [
      "balances that aren't amounts",
      world({
        ...person(),
        accounts: [-1, 1.5, 9_000_000_000_000_001, '1'].map((balance) => ({ currency: 'USD', balance })),
      }),
      'INVALID_INPUT',
      [0, 1, 2, 3].map((index) => `body /world/customers/0/accounts/${index}/balance`),
    ],
    [
      'more customers than a world can hold',
      world(...Array.from({ length: 1001 }, () => person())),
      'INVALID_INPUT',
      ['body /world/customers'],
    ],
  ])('%s: 400 at its place, and no platform is made', async (_name, body, code, places) => {
    const sandbox = await openSandbox();
    const refused = await create(sandbox, body);
    expect(refused.body).toMatchObject({ status: 400, code });
    expect(faultPlaces(refused.body)).toEqual(places);
    await expectNothingMade(sandbox);
  });

  test.each([
    [{ umaAddress: '$ada@pay.example' }, { umaAddress: '$ADA@pay.example' }, 'UMA_ADDRESS_EXISTS'],
    [{ platformCustomerId: 'ada' }, { platformCustomerId: 'ada' }, 'CONFLICT'],
  ] as const)(
    'two customers with one %j: 409 that names the second, and no platform is made',
    async (one, two, code) => {
      const sandbox = await openSandbox();
      const refused = expectRefusal(await create(sandbox, world(person(), person(one), person(two))), 409, code);
      expect(refused.message).toContain('/world/customers/2/customer');
      await expectNothingMade(sandbox);
    },
  );

  /** With one seed, the first platform always gets the same name. If that name is still free, no platform was made. */
  async function expectNothingMade(sandbox: TestSandbox): Promise<void> {
    const first = (await create(await openSandbox())).body;
    expect((await create(sandbox)).body).toEqual(first);
    const platform = await openPlatform(sandbox);
    expect(await list(platform)).toEqual({ customers: [], accounts: [] });
  }
});

describe('an end', () => {
  test('takes its tokens, its issuer and all its data at once, and nothing of the others', async () => {
    const sandbox = await openSandbox();
    const [ended, other] = [await openPlatform(sandbox, { world: 'ready-made' }), await openPlatform(sandbox)];
    const view = { name: 'view', permissions: ['VIEW' as const] };
    const token = data(await ended.client.POST('/tokens', { body: view }));
    const before = await list(sandbox);
    const answer = await ended.control('DELETE', '/platform');
    expect([answer.status, answer.body]).toEqual([204, undefined]);
    expectRefusal(await ended.send('GET', '/customers'), 401, 'UNAUTHORIZED');
    expectRefusal(await ended.control('DELETE', '/platform'), 401, 'UNAUTHORIZED');
    const authorization = basic(token.clientId, token.clientSecret);
    expectRefusal(await sandbox.send('GET', '/customers', { authorization }), 401, 'UNAUTHORIZED');
    expectRefusal(await sandbox.control('GET', `/oidc/${ended.platformId}/jwks`), 404, 'NOT_FOUND');
    expect(await list(sandbox)).toEqual(before);
    expect((await other.send('GET', '/customers')).status).toBe(200);
  });

  test('can be that of the default platform; others can be made anyway', async () => {
    const sandbox = await openSandbox();
    must(await sandbox.control('DELETE', '/platform'));
    expectRefusal(await sandbox.send('GET', '/customers'), 401, 'UNAUTHORIZED');
    expect((await (await openPlatform(sandbox)).send('GET', '/customers')).status).toBe(200);
  });

  test('among work of the same platform refuses what comes after it, and breaks nothing', async () => {
    const sandbox = await openSandbox();
    const platform = await openPlatform(sandbox);
    const work = () => platform.send('POST', '/customers', { body: { customerType: 'INDIVIDUAL' } });
    const answers = await Promise.all([work(), work(), platform.control('DELETE', '/platform'), work(), work()]);
    for (const { status } of answers) expect([201, 204, 401]).toContain(status);
    expect(sandbox.log).toEqual([]);
    expectRefusal(await work(), 401, 'UNAUTHORIZED');
  });
});

describe('a seeded run', () => {
  test('never gives the name and the token of a platform that has ended to another', async () => {
    const sandbox = await openSandbox();
    const seen = new Set<string>();
    for (let count = 0; count < 5; count += 1) {
      const platform = await openPlatform(sandbox);
      seen.add(platform.platformId).add(platform.clientId).add(platform.clientSecret);
      must(await platform.control('DELETE', '/platform'));
    }
    expect(seen.size).toBe(15);
  });

  test('gives platforms that are made at once names of their own', async () => {
    const sandbox = await openSandbox();
    const made = await Promise.all(Array.from({ length: 5 }, () => create(sandbox)));
    expect(made.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201]);
    expect(new Set(made.map(({ body }) => body.platformId)).size).toBe(5);
  });

  test('makes the same platforms again, each another', async () => {
    const makeTwo = async (seed: number) => {
      const sandbox = await openSandbox({ chance: seededChance(seed) });
      return [(await create(sandbox)).body, (await create(sandbox)).body];
    };
    const [one, again, other] = [await makeTwo(7), await makeTwo(7), await makeTwo(8)];
    expect(again).toEqual(one);
    const all = [...one, ...other];
    for (const field of ['platformId', 'clientId', 'clientSecret']) {
      expect(new Set(all.map((made) => made[field])).size).toBe(4);
    }
  });
});
