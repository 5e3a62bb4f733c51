/**
 * Promise: the contract stays as easy to integrate as it is. Its score doesn't fall below the floor, is higher than
 * that of the nearest public contract with the same account types, and the README explains it.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { projectRoot } from '../../scripts/lib/project.ts';
import { floor, type Score, scoreContract } from '../../scripts/score/main.ts';

let score: Score;
beforeAll(async () => {
  score = await scoreContract();
});

/** The rows of the table under "Score" of openapi/README.md: the part and its score. */
function explained(): Map<string, number> {
  const text = readFileSync(join(projectRoot, 'openapi/README.md'), 'utf8');
  const section = text.split(/^## /m).find((part) => part.startsWith('Score')) ?? '';
  const rows = [...section.matchAll(/^\| ([A-Z][\w ]+?) \| (\d+) \| [\d.]+ \|/gm)];
  return new Map(rows.map(([, name = '', value]) => [name, Number(value)]));
}

test('the floor holds, ahead of the 78.0 of a public contract with the same account types', () => {
  expect(score.total).toBeGreaterThanOrEqual(floor);
  expect(floor).toBeGreaterThan(78);
});

test('a row of the README for each part', () => {
  expect([...explained().keys()].sort()).toEqual([...score.parts.keys()].sort());
});

test('each row is true, to two points', () => {
  for (const [name, value] of explained()) {
    expect(Math.abs((score.parts.get(name) ?? Number.NaN) - value), name).toBeLessThanOrEqual(2);
  }
});
