/** Promise: a run's seed is fixed, unless it is given or the run is long. The end of a run names the slowest files. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { describeSlowest } from '../support/run/reporter.ts';
import { chooseSeed, fixedSeed, seed } from '../support/run/seed.ts';

describe('the seed', () => {
  test('is fixed in npm test, drawn in the long run, and the given one in both', () => {
    expect([chooseSeed(undefined, false), chooseSeed('', false)]).toEqual([fixedSeed, fixedSeed]);
    expect([chooseSeed('7', false), chooseSeed('0', true)]).toEqual([7, 0]);
    const drawn = Array.from({ length: 20 }, () => chooseSeed(undefined, true));
    expect(new Set(drawn).size).toBeGreaterThan(1);
  });

  test.each(['-1', '1.5', 'abc', '2147483648'])('"%s" is none, and the message says what is', (given) => {
    expect(() => chooseSeed(given, false)).toThrow(
      /COUNTERSIGN_SEED is ".*"\. Set a whole number from 0 to 2147483647/,
    );
  });

  test('is what a property starts from, and prints when it fails', () => {
    const first = fc.check(fc.property(fc.nat(), () => false));
    expect(first.seed).toBe(seed);
    expect(() => fc.assert(fc.property(fc.nat(), () => false))).toThrow(`{ seed: ${seed}, path:`);
  });
});

describe('the slowest files', () => {
  const times = Array.from({ length: 12 }, (_, index) => ({
    file: `test/a/${index}.test.ts`,
    project: 'in-process',
    ms: 1000 * (index + 5),
  }));

  test('are ten, the slowest first, with a warning for each above 15 s', () => {
    const lines = describeSlowest(times, false);
    expect(lines).toHaveLength(1 + 10 + 1);
    expect(lines.slice(0, 2)).toEqual(['slowest files', '   16.0 s  test/a/11.test.ts (in-process)']);
    expect(lines.at(-1)).toMatch(/^warning: test\/a\/11\.test\.ts \(in-process\) took 16\.0 s, more than 15\.0 s\./);
  });

  test('may take long in the long run; without a file there is nothing to say', () => {
    expect(describeSlowest(times, true).filter((line) => line.startsWith('warning'))).toEqual([]);
    expect(describeSlowest([], false)).toEqual([]);
  });
});
