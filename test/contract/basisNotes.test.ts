/**
 * Promise: the reference has a note for each assumed element, once per place, and names the decisions that settle the
 * rest. It shows no extension keys.
 */
import { expect, test } from 'vitest';
import { noteDecisions } from '../../scripts/generate/basisNotes.ts';
import { bundle } from '../support/expect/apiError.ts';

const noted = structuredClone(bundle);
noteDecisions(noted);
const { schemas } = noted.components;

test.each([
  [
    'an operation',
    () => noted.paths['/customers/{customerId}'].get,
    'The interface does not define this operation. Assumed: D01. Decided: D39.',
  ],
  ['a schema that says so', () => schemas.Verification, 'Assumed: D38, D66.'],
  ['a schema that names a decision only', () => schemas.ExchangeRate, 'Assumed: D26.'],
  ['a field of a schema that is given', () => schemas.InternalAccount.properties.type, 'Assumed: D36.'],
])('%s has a note', (_what, element, text) => {
  expect(element().description).toMatch(new RegExp(`\\*${text.replaceAll('.', '\\.')}\\*$`));
});

test.each([
  ['an operation of the interface that a decision settles', () => noted.paths['/quotes'].post],
  ['a schema of the interface', () => schemas.Quote],
  ['a field of it', () => schemas.Quote.properties.status],
  ['a field of a schema that is assumed, which has the note', () => schemas.ExchangeRate.properties.exchangeRate],
])('%s has none', (_what, element) => {
  expect(element().description).not.toContain('Assumed');
});

test("no note shows an extension's key", () => {
  const texts: string[] = [];
  const { info: _, ...elements } = noted;
  JSON.stringify(elements, (key, value) => {
    if (key === 'description' && typeof value === 'string') texts.push(value);
    return value;
  });
  expect(texts.filter((text) => /x-(?:basis|decision)/.test(text))).toEqual([]);
});
