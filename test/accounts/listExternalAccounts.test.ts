/**
 * Promise: the list shows the customers' external accounts that match the filters, and none of the platform's own. If
 * accounts are added or deleted while a client reads pages, none is shown twice or skipped, and `totalCount` is exact
 * (D07, D36).
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ExternalAccount } from '../../generated/types.ts';
import { expectRefusal, faultPlaces } from '../support/expect/apiError.ts';
import { testList } from '../support/requests/lists.ts';
import { testCommonRefusals } from '../support/requests/refusals.ts';
import { runs } from '../support/run/length.ts';
import type { TestSandbox } from '../support/sandbox/harness.ts';
import { openPlatform } from '../support/sandbox/platforms.ts';
import { deleteCustomer, readyMadeBusiness } from '../support/scenes/businesses.ts';
import {
  listOfCustomers,
  mustAdd,
  newCustomer,
  openBareSandbox,
  externalAccountsPath as path,
  person,
  usdcRequest,
  usdRequest,
} from '../support/scenes/externalAccounts.ts';

testCommonRefusals('listExternalAccounts', path);

const business = await readyMadeBusiness();
let made = 0;
const nextNumber = (): string => {
  made += 1;
  return `${made}000`;
};

testList({
  path,
  none: 'currency=JPY',
  some: 'currency=USD',
  wide: `customerId=${business}`,
  add: async (sandbox) => void (await mustAdd(sandbox, usdRequest(nextNumber(), { customerId: business }))),
  addOther: async (sandbox) => void (await mustAdd(sandbox, usdcRequest(nextNumber(), { customerId: business }))),
  otherPath: '/customers',
  open: openBareSandbox,
});

describe('filters', () => {
  const fill = async (sandbox: TestSandbox) => {
    const [one, other] = [await newCustomer(sandbox), await newCustomer(sandbox)];
    for (const owner of [{ customerId: one }, { customerId: other }, {}]) {
      await mustAdd(sandbox, usdRequest('1', owner));
      await mustAdd(sandbox, usdcRequest('2', owner));
    }
    const swift = { accountType: 'SWIFT_ACCOUNT', country: 'US', swiftCode: 'SBOXUS22', bankName: 'B' };
    await mustAdd(sandbox, {
      customerId: one,
      currency: 'USD',
      accountInfo: { ...swift, accountNumber: '3', beneficiary: person },
    });
    return { one, other };
  };
  const short = ({ customerId, accountInfo }: ExternalAccount, one: string): string =>
    `${customerId === one ? 'one' : 'other'} ${accountInfo.accountType}`;

  test.each<[query: string, found: string[]]>([
    ['customerId=ONE', ['one SWIFT_ACCOUNT', 'one SOLANA_WALLET', 'one USD_ACCOUNT']],
    ['currency=USDC', ['other SOLANA_WALLET', 'one SOLANA_WALLET']],
    ['currency=USD', ['one SWIFT_ACCOUNT', 'other USD_ACCOUNT', 'one USD_ACCOUNT']],
    ['currency=USD&customerId=ONE', ['one SWIFT_ACCOUNT', 'one USD_ACCOUNT']],
    ['customerId=OTHER&currency=USD', ['other USD_ACCOUNT']],
    ['currency=EUR&customerId=ONE', []],
    ['currency=XXX', []],
    ['customerId=Customer:none', []],
  ])('%s: %s', async (query, found) => {
    const sandbox = await openBareSandbox();
    const { one, other } = await fill(sandbox);
    const accounts = await listOfCustomers(sandbox, query.replace('ONE', one).replace('OTHER', other));
    expect(accounts.map((account) => short(account, one))).toEqual(found);
  });

  test('without one, all of the customers', async () => {
    const sandbox = await openBareSandbox();
    await fill(sandbox);
    expect(await listOfCustomers(sandbox)).toHaveLength(5);
  });

  test('the accounts of a deleted customer stay in the list', async () => {
    const sandbox = await openBareSandbox();
    const { one } = await fill(sandbox);
    await deleteCustomer(sandbox, one);
    expect(await listOfCustomers(sandbox, `customerId=${one}`)).toHaveLength(3);
  });

  test('another platform has its own list', async () => {
    const sandbox = await openBareSandbox();
    await fill(sandbox);
    const other = await openPlatform(sandbox);
    expect(await listOfCustomers(other)).toEqual([]);
    const added = await mustAdd(other, usdRequest('1', { customerId: await newCustomer(other) }));
    expect(await listOfCustomers(other)).toEqual([added]);
    expect(await listOfCustomers(sandbox)).toHaveLength(5);
  });

  test.each([
    ['customerId=none', 'customerId'],
    ['customerId=', 'customerId'],
    ['currency=usd', 'currency'],
    ['currency=USD&currency=EUR', 'currency'],
    ['accountType=USD_ACCOUNT', 'accountType'],
    ['platformAccountId=a', 'platformAccountId'],
  ])('%s is 400 and names the parameter', async (query, name) => {
    const answer = await (await openBareSandbox()).send('GET', `${path}?${query}`);
    expect(faultPlaces(expectRefusal(answer, 400, 'INVALID_INPUT'))).toEqual([`query /${name}`]);
  });
});

describe('while it is read', () => {
  type Step =
    | readonly ['add', owner: number, isUsd: boolean]
    | readonly ['remove', at: number]
    | readonly ['read', limit: number];
  const step: fc.Arbitrary<Step> = fc.oneof(
    fc.tuple(fc.constant('add' as const), fc.nat(2), fc.boolean()),
    fc.tuple(fc.constant('remove' as const), fc.nat()),
    fc.tuple(fc.constant('read' as const), fc.integer({ min: 1, max: 4 })),
  );
  const filters = fc.record({
    currency: fc.constantFrom(undefined, 'USD', 'USDC'),
    owner: fc.constantFrom(undefined, 0, 1),
  });

  test('nothing is seen twice, nothing that stays is missed, and the count is exact', async () => {
    await fc.assert(
      fc.asyncProperty(filters, fc.nat(8), fc.array(step, { maxLength: 40 }), async (filter, count, steps) => {
        const sandbox = await openBareSandbox();
        const owners = [await newCustomer(sandbox), await newCustomer(sandbox), undefined];
        const query = new URLSearchParams();
        if (filter.currency !== undefined) query.set('currency', filter.currency);
        if (filter.owner !== undefined) query.set('customerId', owners[filter.owner] ?? '');
        // All existing accounts, and those that match the filter, both oldest first.
        let there: ExternalAccount[] = [];
        const shown = () =>
          there.filter(
            ({ currency, customerId }) =>
              customerId !== undefined &&
              (filter.currency ?? currency) === currency &&
              (filter.owner === undefined || customerId === owners[filter.owner]),
          );
        let [seen, atStart]: [string[], ExternalAccount[]] = [[], []];
        let cursor: string | undefined;
        const read = async (limit: number): Promise<void> => {
          if (cursor === undefined) [seen, atStart] = [[], shown()];
          const next = cursor === undefined ? '' : `&cursor=${cursor}`;
          const { body } = await sandbox.send('GET', `${path}?limit=${limit}${next}&${query}`);
          expect(body.totalCount).toBe(shown().length);
          for (const account of body.data) expect(shown()).toContainEqual(account);
          seen.push(...body.data.map(({ id }: ExternalAccount) => id));
          cursor = body.nextCursor;
          expect(body.hasMore).toBe(cursor !== undefined);
          if (cursor !== undefined) return;
          const stayed = atStart.filter((account) => there.includes(account)).map(({ id }) => id);
          expect(seen.filter((id) => stayed.includes(id))).toEqual(stayed.reverse());
          expect(new Set(seen).size).toBe(seen.length);
        };
        const first = Array.from({ length: count }, (_, index): Step => ['add', index % 3, index % 2 === 0]);
        for (const [kind, at, isUsd] of [...first, ...steps, ['read', 100] as const]) {
          if (kind === 'read') await read(at);
          if (kind === 'add') {
            const owner = owners[at] === undefined ? {} : { customerId: owners[at] };
            const request = isUsd ? usdRequest : usdcRequest;
            there.push(await mustAdd(sandbox, request(nextNumber(), owner)));
          }
          const gone = kind === 'remove' ? there[at % there.length] : undefined;
          if (gone === undefined) continue;
          expect((await sandbox.send('DELETE', `${path}/${gone.id}`)).status).toBe(204);
          there = there.filter((account) => account !== gone);
        }
      }),
      { numRuns: runs(30) },
    );
  });
});
