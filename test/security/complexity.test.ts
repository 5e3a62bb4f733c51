/**
 * Promise: the work for a text within the limits of a request grows at most linearly with its length, even if the text
 * was made for an attack. That holds for the contract's patterns, and for the code that reads headers and numbers.
 */
import { createContext, Script } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { readPrefer } from '../../mocks/sandbox/steps/prefer.ts';
import { bundle } from '../support/expect/apiError.ts';
import { byLength } from '../support/run/length.ts';
import { openSandbox } from '../support/sandbox/harness.ts';

/** Every `pattern` of the contract. */
function patternsIn(node: unknown, found = new Set<string>()): Set<string> {
  if (typeof node !== 'object' || node === null) return found;
  for (const [key, child] of Object.entries(node)) {
    if (key === 'pattern' && typeof child === 'string') found.add(child);
    else patternsIn(child, found);
  }
  return found;
}

/**
 * Repeats characters that the pattern matches, and then adds one that it doesn't, which is the worst case for
 * backtracking.
 */
function adversaries(pattern: string): string[] {
  const literals = [...new Set(pattern.replace(/\\./g, '').match(/[\w $:@.+/=-]/g) ?? [])];
  const pieces = [...literals, 'a', '0', 'A', 'aA0', '.a', '-a', 'a@', ' a', '1.'];
  const start = /^\^([A-Za-z]+:)/.exec(pattern)?.[1] ?? '';
  return pieces.flatMap((piece) => [start, ''].map((begin) => `${begin}${piece.repeat(length / piece.length)}\u0000`));
}

// For these lengths linear work takes milliseconds, and quadratic work many seconds, even on a busy machine.
const length = byLength(50_000, 200_000);
const budgetMs = 2000;
/** Enough to recognise a bad pattern, because no budget is enough for it. */
const budgetOfBadMs = 100;

const search = new Script('new RegExp(pattern, flags).test(text)');
const context = createContext();

/** Whether the search ends. An endless search is interrupted, which a timer could not do. */
function ends(pattern: string, flags: string, text: string, timeout = budgetMs): boolean {
  try {
    Object.assign(context, { pattern, flags, text });
    search.runInContext(context, { timeout });
    return true;
  } catch {
    return false;
  }
}

describe('patterns', () => {
  const patterns = [...patternsIn(bundle)];

  test('there are some, and the check recognises a bad one', () => {
    expect(patterns.length).toBeGreaterThan(20);
    const verdict = (pattern: string, budget?: number) =>
      adversaries(pattern).every((text) => ends(pattern, 'u', text, budget));
    expect(verdict('^[a-z]{1,64}$')).toBe(true);
    for (const bad of ['^(a+)+$', 'a+b']) expect([bad, verdict(bad, budgetOfBadMs)]).toEqual([bad, false]);
  });

  test.each(patterns)('%s', (pattern) => {
    for (const text of adversaries(pattern)) {
      expect([text.slice(0, 40), ends(pattern, 'u', text)]).toEqual([text.slice(0, 40), true]);
    }
  });
});

// A test that takes too long fails. With linear work each takes milliseconds.
describe('parsers that we wrote ourselves', () => {
  const zeros = '0'.repeat(1_000_000);

  test.each([
    ['zeros before the last digit', `{"a":1.${zeros}1}`],
    ['zeros between digits', `{"a":1.${'1000'.repeat(250_000)}1}`],
    ['zeros in front', `{"a":0.${zeros}1e5}`],
    ['a whole number', `{"a":1${zeros}}`],
    ['escapes', `{"a":"${'\\u0000'.repeat(170_000)}"}`],
    ['quotes that never close', `{"a":"${'\\"'.repeat(500_000)}`],
  ])('a body with %s', async (_name, text) => {
    const answer = await (await openSandbox()).send('POST', '/tokens', { text });
    expect(answer.status).toBe(400);
  });

  const length = 16_000;
  test.each([
    ['Prefer', '"\\'.repeat(length / 2)],
    ['Prefer', '"'.repeat(length - 1)],
    ['Prefer', `a${' '.repeat(length)}b`],
    ['Prefer', `a=${'\\"'.repeat(length / 2)}`],
    ['Accept', `a/b;${' '.repeat(length)}charset`],
    ['Accept', 'a/b,'.repeat(length / 4)],
    ['Authorization', `Basic ${'A'.repeat(length)}!`],
    ['Authorization', `Bearer ${' '.repeat(length)}!`],
    ['Content-Type', `application/json;${' '.repeat(length)}`],
    ['Content-Type', `application/json${';a="\\'.repeat(length / 5)}`],
    ['Idempotency-Key', 'a'.repeat(length)],
    ['Request-Id', 'Request:'.repeat(length / 8)],
    ['Origin', `http://${'a-'.repeat(length / 2)}`],
    ['X-Request-Id', 'a.'.repeat(length / 2)],
  ])('a header %s', async (name, value) => {
    const sandbox = await openSandbox();
    const before = process.cpuUsage();
    for (let time = 0; time < 5; time += 1) {
      const answer = await sandbox.send('POST', '/tokens', { text: '{}', headers: { [name]: value } });
      expect(answer.status).toBeLessThan(500);
    }
    // Processor time, because the clock's time grows on a busy machine. Each takes milliseconds.
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(2500);
  });

  test('a preference is still read as it was', () => {
    expect(readPrefer('a, code=404; x="y", example="a \\"b\\", c"')).toEqual({ code: '404', example: 'a "b", c' });
  });
});
