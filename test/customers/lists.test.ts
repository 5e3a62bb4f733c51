/**
 * Promise: the list of customers shows the results of all requests, for every combination of filters. A client that
 * reads pages during changes sees no customer twice, and misses none that stayed unchanged (D07, D39).
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Customer } from '../../generated/types.ts';
import { runs } from '../support/run/length.ts';
import { openSandbox, type TestSandbox } from '../support/sandbox/harness.ts';
import { openPlatform } from '../support/sandbox/platforms.ts';

const types = ['INDIVIDUAL', 'BUSINESS'] as const;
const regions = ['DE', 'AT'];
const currencyLists = [['USD'], ['EUR', 'USD'], ['USDB', 'EUR'], ['GBP']];
const addresses = ['$Ada@pay.example', '$bob@pay.example'];

type Step =
  | { readonly do: 'create'; readonly type: (typeof types)[number]; readonly fields: Record<string, unknown> }
  | { readonly do: 'update'; readonly which: number; readonly fields: Record<string, unknown> }
  | { readonly do: 'delete'; readonly which: number }
  | { readonly do: 'wait'; readonly milliseconds: number };

const which = fc.nat({ max: 30 });
const optional = { requiredKeys: [] as [] };
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('create' as const),
      type: fc.constantFrom(...types),
      fields: fc.record(
        {
          region: fc.constantFrom(...regions),
          currencies: fc.constantFrom(...currencyLists),
          umaAddress: fc.constantFrom(...addresses),
        },
        optional,
      ),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('update' as const),
      which,
      fields: fc.record(
        { currencies: fc.constantFrom(...currencyLists), umaAddress: fc.constantFrom(...addresses) },
        optional,
      ),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('delete' as const), which }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('wait' as const), milliseconds: fc.constantFrom(1, 2, 1000) }) },
);

/** The platform's expected customers in the order of creation, built from the replies to changes, not from the list. */
class Model {
  readonly customers: Customer[] = [];
  readonly platform: TestSandbox;

  constructor(platform: TestSandbox) {
    this.platform = platform;
  }

  /** Sends a step. If the service refuses it (a taken address, a deleted customer), nothing changes. */
  async take(one: Step): Promise<string | undefined> {
    if (one.do === 'wait') {
      await this.platform.advance(one.milliseconds / 1000);
      return undefined;
    }
    if (one.do === 'create') {
      const body = { customerType: one.type, ...one.fields };
      const created = await this.platform.send('POST', '/customers', { body });
      if (created.status === 201) this.customers.push(created.body);
      else expect(created.status).toBe(409);
      return undefined;
    }
    const index = this.customers.length === 0 ? -1 : one.which % this.customers.length;
    const customer = this.customers[index];
    if (customer === undefined) return undefined;
    const path = `/customers/${customer.id}`;
    const answer =
      one.do === 'delete'
        ? await this.platform.send('DELETE', path)
        : await this.platform.send('PATCH', path, { body: { customerType: customer.customerType, ...one.fields } });
    if (answer.status === 200) this.customers[index] = answer.body;
    else expect([409, 410]).toContain(answer.status);
    return customer.id;
  }

  matching(query: Query): string[] {
    const instants = (text: string | undefined, other: number) => (text === undefined ? other : Date.parse(text));
    return this.customers
      .filter((one) => {
        const [created, updated] = [Date.parse(one.createdAt), Date.parse(one.updatedAt)];
        return (
          (query.isIncludingDeleted === 'true' || !one.isDeleted) &&
          (query.customerType === undefined || one.customerType === query.customerType) &&
          (query.region === undefined || one.region === query.region) &&
          (query.currency === undefined || one.currencies.includes(query.currency)) &&
          (query.umaAddress === undefined || one.umaAddress.toLowerCase() === query.umaAddress.toLowerCase()) &&
          created >= instants(query.createdAfter, created) &&
          created <= instants(query.createdBefore, created) &&
          updated >= instants(query.updatedAfter, updated) &&
          updated <= instants(query.updatedBefore, updated)
        );
      })
      .map(({ id }) => id)
      .reverse();
  }
}

const boundaries = ['createdAfter', 'createdBefore', 'updatedAfter', 'updatedBefore'] as const;
type Query = Partial<
  Record<
    (typeof boundaries)[number] | 'customerType' | 'region' | 'currency' | 'umaAddress' | 'isIncludingDeleted',
    string
  >
>;

/** Limits of ranges are times of existing customers, or one millisecond before or after. */
const moment = fc.tuple(which, fc.constantFrom('createdAt' as const, 'updatedAt' as const), fc.constantFrom(-1, 0, 1));
const wish = fc.record(
  {
    customerType: fc.constantFrom(...types),
    region: fc.constantFrom(...regions),
    currency: fc.constantFrom('USD', 'EUR', 'USDB', 'GBP', 'JPY'),
    umaAddress: fc.constantFrom('$ada@pay.example', '$ADA@PAY.example', '$bob@pay.example', '$none@pay.example'),
    isIncludingDeleted: fc.constantFrom('true', 'false'),
    createdAfter: moment,
    createdBefore: moment,
    updatedAfter: moment,
    updatedBefore: moment,
  },
  optional,
);

function queryOf(wanted: typeof wish extends fc.Arbitrary<infer W> ? W : never, { customers }: Model): Query {
  const { createdAfter, createdBefore, updatedAfter, updatedBefore, ...query } = wanted;
  const moments = { createdAfter, createdBefore, updatedAfter, updatedBefore };
  const ranges = boundaries.flatMap((name) => {
    const [index, field, beside] = moments[name] ?? [0, 'createdAt', 0];
    const customer = customers[index % Math.max(1, customers.length)];
    if (moments[name] === undefined || customer === undefined) return [];
    return [[name, new Date(Date.parse(customer[field]) + beside).toISOString()]];
  });
  return { ...query, ...Object.fromEntries(ranges) };
}

async function page(platform: TestSandbox, query: Query, limit: number, cursor?: string) {
  const parameters = new URLSearchParams({ ...query, limit: String(limit), ...(cursor && { cursor }) });
  const { status, body } = await platform.send('GET', `/customers?${parameters}`);
  expect([status, `${parameters}`]).toEqual([200, `${parameters}`]);
  const ids: string[] = body.data.map(({ id }: Customer) => id);
  return { ids, totalCount: body.totalCount as number, nextCursor: body.nextCursor as string | undefined };
}

test('every combination of filters shows exactly what it should, on pages of any size', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 6, maxLength: 25 }),
      fc.array(wish, { minLength: 5, maxLength: 12 }),
      fc.integer({ min: 1, max: 4 }),
      async (steps, wishes, limit) => {
        const model = new Model(await openPlatform(await openSandbox()));
        for (const one of steps) await model.take(one);
        for (const wanted of wishes) {
          const query = queryOf(wanted, model);
          const expected = model.matching(query);
          const seen: string[] = [];
          let cursor: string | undefined;
          do {
            const { ids, totalCount, nextCursor } = await page(model.platform, query, limit, cursor);
            expect(totalCount).toBe(expected.length);
            seen.push(...ids);
            cursor = nextCursor;
          } while (cursor !== undefined);
          expect(seen).toEqual(expected);
        }
      },
    ),
    { numRuns: runs(40) },
  );
});

test('while others create, change and delete, no customer is shown twice and no unchanged one is missed', async () => {
  const between = fc.array(fc.array(step, { maxLength: 4 }), { minLength: 1, maxLength: 12 });
  // Filters by fields that an update can remove and restore, or a deletion removes.
  const queries: Query[] = [{}, { currency: 'EUR' }, { currency: 'USD', customerType: 'INDIVIDUAL' }, { region: 'DE' }];
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 8, maxLength: 20 }),
      between,
      fc.constantFrom(...queries),
      fc.integer({ min: 1, max: 3 }),
      async (before, meanwhile, query, limit) => {
        const model = new Model(await openPlatform(await openSandbox()));
        for (const one of before) await model.take(one);
        const atFirst = model.matching(query);
        const touched = new Set<string>();
        const seen: string[] = [];
        let cursor: string | undefined;
        for (let turn = 0; turn === 0 || cursor !== undefined; turn += 1) {
          const { ids, totalCount, nextCursor } = await page(model.platform, query, limit, cursor);
          const now = model.matching(query);
          expect(totalCount).toBe(now.length);
          expect(now).toEqual(expect.arrayContaining(ids));
          seen.push(...ids);
          cursor = nextCursor;
          for (const one of meanwhile[turn] ?? []) {
            const id = await model.take(one);
            if (id !== undefined) touched.add(id);
          }
        }
        expect(new Set(seen).size).toBe(seen.length);
        expect(seen).toEqual(expect.arrayContaining(atFirst.filter((id) => !touched.has(id))));
      },
    ),
    { numRuns: runs(40) },
  );
});
