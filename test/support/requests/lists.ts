/** Tests that every list with a cursor needs (D07), called from each list's own test file. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { expectRefusal, faultPlaces } from '../expect/apiError.ts';
import { byLength, runs } from '../run/length.ts';
import { openSandbox, type TestSandbox } from '../sandbox/harness.ts';

interface ListFacts {
  readonly path: string;
  /** Filter query strings: one that matches nothing, and one that matches only what `add` adds. */
  readonly none: string;
  readonly some: string;
  /** Another filter that `add`'s entries match too; absent if the list has no other. */
  readonly wide?: string;
  /** Whether the list requires a filter, for which `some` is used. */
  readonly isSomeRequired?: boolean;
  /** Adds an entry that `some` matches. */
  add(sandbox: TestSandbox): Promise<void>;
  /** Adds an entry that `some` doesn't match. */
  addOther(sandbox: TestSandbox): Promise<void>;
  /** Another list, whose cursors this one must refuse. */
  readonly otherPath: string;
  /** Opens the sandbox that the list is read in; {@link openSandbox} unless the list isn't the platform's own. */
  readonly open?: () => Promise<TestSandbox>;
}

interface Page {
  readonly data: readonly { readonly id: string; readonly createdAt: string }[];
  readonly hasMore: boolean;
  readonly nextCursor?: string;
  readonly totalCount: number;
}

/** Adds tests to the file that calls it. */
export function testList(facts: ListFacts): void {
  const { open = openSandbox } = facts;
  // The beginning of a query without a filter.
  const given = facts.isSomeRequired ? `${facts.some}&` : '';
  const wide = facts.wide === undefined ? '' : `&${facts.wide}`;
  const read = async (sandbox: TestSandbox, query: string, path = facts.path): Promise<Page> => {
    const answer = await sandbox.send('GET', `${path}?${query}`);
    expect([answer.status, query]).toEqual([200, query]);
    return answer.body;
  };
  const addMany = async (sandbox: TestSandbox, count: number): Promise<void> => {
    for (let added = 0; added < count; added += 1) await facts.add(sandbox);
  };
  const walk = async (sandbox: TestSandbox, query: string, path?: string): Promise<Page[]> => {
    const pages = [await read(sandbox, query, path)];
    for (let page = pages[0]; page?.nextCursor !== undefined; page = pages.at(-1)) {
      pages.push(await read(sandbox, `${query}&cursor=${page.nextCursor}`, path));
    }
    return pages;
  };
  const idsOf = (pages: Page[]): string[] => pages.flatMap(({ data }) => data.map(({ id }) => id));

  describe('pages', () => {
    test.each([
      '0',
      '101',
      '-1',
      '+5',
      'abc',
      '',
      '1e1',
      '%2020',
      '20%20',
      '20.0',
      '00020',
      '9'.repeat(19),
      '0x10',
      '%D9%A1',
      'null',
    ])('case 85: limit=%s is 400 and names limit', async (limit) => {
      const sandbox = await open();
      const answer = await sandbox.send('GET', `${facts.path}?${given}limit=${limit}`);
      expect(faultPlaces(expectRefusal(answer, 400, 'INVALID_INPUT'))).toEqual(['query /limit']);
    });

    test('case 85: 1 and 100 are the ends, 20 is the default', async () => {
      const sandbox = await open();
      await addMany(sandbox, 101);
      const sizes = [];
      for (const query of ['limit=1', 'limit=100', '']) sizes.push((await read(sandbox, given + query)).data.length);
      expect(sizes).toEqual([1, 100, 20]);
    });

    test('limit given twice is 400', async () => {
      const sandbox = await open();
      const answer = await sandbox.send('GET', `${facts.path}?${given}limit=1&limit=2`);
      expect(faultPlaces(expectRefusal(answer, 400, 'INVALID_INPUT'))).toEqual(['query /limit']);
    });

    test('case 86: 25 entries of one moment come once each, newest first', async () => {
      const sandbox = await open();
      await addMany(sandbox, 25);
      const pages = await walk(sandbox, `${facts.some}&limit=10`);
      expect(pages.map(({ data, hasMore, totalCount }) => [data.length, hasMore, totalCount])).toEqual([
        [10, true, 25],
        [10, true, 25],
        [5, false, 25],
      ]);
      expect(new Set(pages.flatMap(({ data }) => data.map(({ createdAt }) => createdAt))).size).toBe(1);
      expect(new Set(idsOf(pages)).size).toBe(25);
      expect(idsOf(pages)).toEqual(idsOf([await read(sandbox, `${facts.some}&limit=100`)]));
    });

    test.each([
      [0, 'limit=5', 0],
      [4, 'limit=5', 4],
      [5, 'limit=5', 5],
      [6, 'limit=5', 5],
    ])('case 89: of %i entries %s has hasMore and nextCursor as it should', async (count, query, length) => {
      const sandbox = await open();
      await addMany(sandbox, count);
      const page = await read(sandbox, `${facts.some}&${query}`);
      const hasMore = count > length;
      expect(page).toMatchObject({ hasMore, totalCount: count });
      expect([page.data.length, 'nextCursor' in page]).toEqual([length, hasMore]);
    });

    test('a filter that matches nothing gives an empty page', async () => {
      const page = await read(await open(), facts.none);
      expect(page).toEqual({ data: [], hasMore: false, totalCount: 0 });
    });

    test('the size of a page may change on the way', async () => {
      const sandbox = await open();
      await addMany(sandbox, 6);
      const first = await read(sandbox, `${facts.some}&limit=2`);
      const second = await read(sandbox, `${facts.some}&limit=100&cursor=${first.nextCursor}`);
      expect([second.data.length, second.hasMore]).toEqual([4, false]);
    });

    test('nothing is missed or seen twice, whatever is added between two pages', async () => {
      const step = fc.oneof(
        fc.constant('add' as const),
        fc.constant('addOther' as const),
        fc.integer({ min: 1, max: 7 }),
      );
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 0, max: 12 }), fc.array(step, { maxLength: 20 }), async (count, steps) => {
          const sandbox = await open();
          await addMany(sandbox, count);
          const seen: string[] = [];
          let atFirstPage: string[] = [];
          let total = count;
          let cursor: string | undefined = '';
          for (const next of [...steps, 100]) {
            if (next === 'add') total += 1;
            if (typeof next === 'string') await facts[next](sandbox);
            else if (cursor !== undefined) {
              if (cursor === '') atFirstPage = idsOf(await walk(sandbox, `${facts.some}&limit=100`));
              const page: Page = await read(sandbox, `${facts.some}&limit=${next}${cursor}`);
              expect(page.totalCount).toBe(total);
              seen.push(...page.data.map(({ id }) => id));
              cursor = page.nextCursor === undefined ? undefined : `&cursor=${page.nextCursor}`;
            }
          }
          // Later entries come before the first page, which the client doesn't read again.
          expect(seen).toEqual(atFirstPage);
          expect(new Set(seen).size).toBe(seen.length);
        }),
        { numRuns: runs(15) },
      );
    });
  });

  describe('cursors', () => {
    const refusesCursor = async (sandbox: TestSandbox, query: string, cursor: string): Promise<void> => {
      const answer = await sandbox.send('GET', `${facts.path}?${query}&cursor=${encodeURIComponent(cursor)}`);
      expect(faultPlaces(expectRefusal(answer, 400, 'INVALID_INPUT'))).toEqual(['query /cursor']);
    };
    const openWithCursor = async (query = `${facts.some}&limit=1`): Promise<[TestSandbox, string]> => {
      const sandbox = await open();
      await addMany(sandbox, 3);
      return [sandbox, (await read(sandbox, query)).nextCursor ?? ''];
    };

    test.each([
      ['made up', () => 'abc'],
      ['empty', () => ''],
      ['a number', () => '1'],
      ['of the right length', (cursor: string) => 'A'.repeat(cursor.length)],
      ['cut', (cursor: string) => cursor.slice(0, -1)],
      ['padded', (cursor: string) => `${cursor}=`],
      ['doubled', (cursor: string) => cursor + cursor],
      ['with a space', (cursor: string) => ` ${cursor}`],
      ['in another alphabet', (cursor: string) => Buffer.from(cursor, 'base64url').toString('hex')],
      ['a megabyte long', () => 'A'.repeat(1_000_000)],
      ['not ASCII', () => '☃'],
      ['an injection', () => "' or 1=1 --"],
    ])('case 88: one that is %s is 400', async (_name, damage) => {
      const [sandbox, cursor] = await openWithCursor();
      await refusesCursor(sandbox, facts.some, damage(cursor));
    });

    test('case 88: one with any bit flipped is 400', async () => {
      const [sandbox, cursor] = await openWithCursor();
      const bytes = Buffer.from(cursor, 'base64url');
      for (let bit = 0; bit < bytes.length * 8; bit += byLength(11, 1)) {
        const flipped = Buffer.from(bytes);
        flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        await refusesCursor(sandbox, facts.some, flipped.toString('base64url'));
      }
      expect((await read(sandbox, `${facts.some}&cursor=${cursor}`)).data).toHaveLength(2);
    });

    test('case 88: one of another filter, of more filters or of none is 400', async () => {
      const [sandbox, cursor] = await openWithCursor();
      await refusesCursor(sandbox, facts.none, cursor);
      if (wide !== '') await refusesCursor(sandbox, facts.some + wide, cursor);
      if (facts.isSomeRequired) return;
      await refusesCursor(sandbox, 'limit=1', cursor);
      const unfiltered = (await read(sandbox, 'limit=1')).nextCursor ?? '';
      await refusesCursor(sandbox, facts.some, unfiltered);
    });

    test('the order of the query does not matter to a cursor', async () => {
      const [sandbox, cursor] = await openWithCursor(`${facts.some}${wide}&limit=1`);
      const page = await read(sandbox, `cursor=${cursor}&limit=1${wide}&${facts.some}`);
      expect(page.data).toHaveLength(1);
    });

    test('case 88: one of another list is 400', async () => {
      const sandbox = await open();
      const { nextCursor } = await read(sandbox, 'limit=1', facts.otherPath);
      await refusesCursor(sandbox, `${given}limit=1`, nextCursor ?? '');
    });

    test('a cursor stays good while time passes', async () => {
      const [sandbox, cursor] = await openWithCursor();
      await sandbox.advance(365 * 86_400);
      expect((await read(sandbox, `${facts.some}&cursor=${cursor}`)).data).toHaveLength(2);
    });
  });
}
