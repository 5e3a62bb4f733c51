/**
 * Promise: the list of threats in `mocks/sandbox/SECURITY.md` names an existing test for each threat, and every
 * security test is in it.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const folder = new URL('../', import.meta.url);
const list = readFileSync(new URL('../mocks/sandbox/SECURITY.md', folder), 'utf8');

/** The rows of the first table, without its head: threat, protection, and tests. */
const rows = list
  .replace(/^## [\s\S]*/m, '')
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .slice(1)
  .map((line) => line.slice(2, -2).split(' | '));
const referencesIn = (proof: string): string[] => [...proof.matchAll(/`([^`]+)`/g)].map(([, one = '']) => one);

test('the list is read as it was meant', () => {
  expect(rows.length).toBeGreaterThan(25);
});

test.each(rows)('%s', (threat, held, proof, ...more) => {
  expect([threat, held, more]).toEqual([expect.stringMatching(/\w/), expect.stringMatching(/\w/), []]);
  const references = referencesIn(proof ?? '');
  expect(references.length).toBeGreaterThan(0);
  for (const reference of references) {
    const [file = '', title = ''] = reference.split(' › ');
    expect([file, existsSync(new URL(file, folder))]).toEqual([file, true]);
    const text = readFileSync(new URL(file, folder), 'utf8');
    expect(text.includes('test(') || text.includes('test.each') || text.includes('it(')).toBe(true);
    // In code, a title may have escaped quotes.
    expect([title, text.replaceAll("\\'", "'").includes(title)]).toEqual([title, true]);
  }
});

test('every file of security tests is on it', () => {
  const named = new Set(rows.flatMap(([, , proof = '']) => referencesIn(proof)).map((one) => one.split(' › ')[0]));
  const files = readdirSync(new URL('security/', folder)).filter((name) => name !== 'threats.test.ts');
  expect(files.filter((name) => !named.has(`security/${name}`))).toEqual([]);
});
