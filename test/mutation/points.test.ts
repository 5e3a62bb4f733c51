/**
 * Promise: `npm run mutate` counts only real faults. Each mutation is a valid program, because any test would notice
 * one that doesn't load. Its name finds it again, and every mutation in the list of equivalents exists.
 */
import ts from 'typescript';
import { expect, test } from 'vitest';
import { sample } from '../support/run/length.ts';
import { equivalents } from './equivalents.ts';
import { findMutations, plant } from './points.ts';
import { findTargets, staleEquivalents } from './scope.ts';
import { withSwitches } from './switches.ts';

const texts = (code: string): string[] => findMutations('a.ts', code).map((mutation) => plant(code, mutation));

test.each<[code: string, planted: string[]]>([
  ['x = a <= b', ['x = a < b']],
  ['x = a && !b', ['x = a || !b', 'x = a && b']],
  ['x = a ?? b', ['x = a', 'x = (b)']],
  ['x = a ? b : c', ['x = a ? c : b']],
  ['x = a - 1', ['x = a + 1', 'x = a - (1 + 1)']],
  ["x = ['A', b]", ["x = [b, 'A']"]],
  ['const a = [b, c]; const x = a.includes(d)', []],
  ['const a = [b, c]; const x = a.includes(a.first)', ['const a = [c, b]; const x = a.includes(a.first)']],
  ['x = f({ counted: [b, [c, d]] })', []],
  ["x = 'SOME_CODE'", ["x = 'MUTATED'"]],
  ['x = xs.filter(f).some(g)', ['x = xs.filter(f).every(g)', 'x = xs.some(g)']],
  ['x = accounts.find(unit, id)', []],
  ['x = id.toString()', []],
  ['x = { 200: a }', []],
  ["type A = 'SOME_CODE' | 5; import b from 'B'", []],
  ["if (a) throw new Error('ours')", []],
  ["if (a) throw new SandboxBug('ours', {})", []],
  [`x = \`said to people: \${a - b}\``, []],
])('%s', (code, planted) => {
  // The whole assignment is a statement, which can be removed.
  const statement = code.startsWith('x') ? [';'] : [];
  expect(texts(code).sort()).toEqual([...planted, ...statement].sort());
});

test('a guard is removed, and always closed; a call is left out', () => {
  expect(texts('if (a) { pay(b); }')).toEqual(['if (false) { pay(b); }', 'if (true) { pay(b); }', 'if (a) { ; }']);
});

test('equal faults of one function have names of their own', () => {
  const names = findMutations('a.ts', 'function f() { pay(); pay(); }').map(({ name }) => name);
  expect(names).toEqual(['f: pay(); → ;', 'f: pay(); → ; #2']);
});

test('faults behind switches: each is on by its number, however they lie in one another', () => {
  const code = 'result = a <= 1 && !(a < 0) ? 5 : 6;';
  const faults = findMutations('a.ts', code).map((mutation, id) => ({ ...mutation, id }));
  const run = (text: string, a: number, on?: number): unknown =>
    new Function('a', 'globalThis', `let result; ${text}; return result;`)(a, { __fault: (id: number) => id === on });
  for (const a of [-1, 0, 1, 2]) {
    expect(run(withSwitches(code, faults), a)).toBe(run(code, a));
    for (const fault of faults) expect(run(withSwitches(code, faults), a, fault.id)).toBe(run(plant(code, fault), a));
  }
});

test('every file of the scope is a program with all its faults in it, and has tests', () => {
  const targets = findTargets();
  expect(targets.length).toBeGreaterThan(50);
  for (const { file, text, mutations, tests } of sample(targets, 8)) {
    const switched = withSwitches(
      text,
      mutations.map((mutation, id) => ({ ...mutation, id })),
    );
    const { diagnostics } = ts.transpileModule(switched, { reportDiagnostics: true });
    expect([file, diagnostics?.map(({ messageText }) => messageText)]).toEqual([file, []]);
    expect([file, tests.length]).not.toEqual([file, 0]);
  }
});

test('every equivalent names a fault that exists, with its reason; one that is stale is reported', () => {
  expect(staleEquivalents()).toEqual([]);
  expect(equivalents.filter(({ why }) => why.length < 20)).toEqual([]);
  const stale = { file: 'mocks/sandbox/tools/cursor.ts', name: 'read: gone → away', why: '' };
  expect(staleEquivalents([stale])).toEqual([`${stale.file} ${stale.name}`]);
});
