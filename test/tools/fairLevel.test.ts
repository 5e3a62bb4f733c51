/** Promise: a fair level divides a total so that the largest give way first, and nobody below an equal share. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fairLevel } from '../../mocks/sandbox/tools/fairLevel.ts';

test.each<[sizes: number[], total: number, level: number]>([
  [[], 10, Number.POSITIVE_INFINITY],
  [[3, 4], 10, Number.POSITIVE_INFINITY],
  [[100], 10, 10],
  [[1, 100], 10, 9],
  [[1, 50, 100], 11, 5],
  [[7, 7, 7], 12, 4],
])('of %j, at most %i together: %i each', (sizes, total, level) => {
  expect(fairLevel(sizes, total)).toBe(level);
});

test('what stays fits, uses the whole total, and takes nothing from those within their share', () => {
  const sizes = fc.array(fc.integer({ min: 0, max: 1000 }), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(sizes, fc.integer({ min: 1, max: 5000 }), (some, total) => {
      const level = fairLevel(some, total);
      const stays = some.map((size) => Math.min(size, level)).reduce((sum, size) => sum + size, 0);
      const wanted = some.reduce((sum, size) => sum + size, 0);
      expect(stays).toBeCloseTo(Math.min(wanted, total), 6);
      expect(level).toBeGreaterThanOrEqual(total / some.length);
    }),
  );
});
