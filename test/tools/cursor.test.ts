/**
 * Promise: a cursor is valid only for the list that it was made for, and a change of any bit makes it invalid (D07).
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type CursorScope, createCursors } from '../../mocks/sandbox/tools/cursor.ts';

const cursors = createCursors('a key');
const scope: CursorScope = { platformId: 'sandbox', operationId: 'listCustomers', filters: { region: 'DE' } };
const sequence = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });

describe('a cursor', () => {
  test('gives back the place it was made for', () => {
    fc.assert(fc.property(sequence, (place) => cursors.read(scope, cursors.write(scope, place)) === place));
  });

  test.each<[name: string, other: CursorScope]>([
    ['another platform', { ...scope, platformId: 'other' }],
    ['another operation', { ...scope, operationId: 'listInternalAccounts' }],
    ['another filter', { ...scope, filters: { region: 'AT' } }],
    ['no filter', { ...scope, filters: {} }],
    ['one more filter', { ...scope, filters: { region: 'DE', customer_type: 'BUSINESS' } }],
    ['the same value elsewhere', { ...scope, filters: { nationality: 'DE' } }],
    ['names run together', { platformId: 'sandboxlist', operationId: 'Customers', filters: scope.filters }],
  ])('is refused by %s', (_name, other) => {
    fc.assert(fc.property(sequence, (place) => cursors.read(other, cursors.write(scope, place)) === null));
  });

  test('is refused under another key', () => {
    expect(createCursors('another key').read(scope, cursors.write(scope, 1))).toBeNull();
  });

  test('does not depend on the order of filters', () => {
    const [one, two] = [
      { a: '1', b: '2' },
      { b: '2', a: '1' },
    ].map((filters) => ({ ...scope, filters }));
    expect(cursors.read(two as CursorScope, cursors.write(one as CursorScope, 7))).toBe(7);
  });

  test('carries its place and a tag that nobody guesses: 8 bytes and 16', () => {
    fc.assert(
      fc.property(sequence, (place) => Buffer.from(cursors.write(scope, place), 'base64url').length === 8 + 16),
    );
  });

  test('with any character changed, added or taken away is refused', () => {
    const change = fc.record({ at: fc.nat(), keep: fc.boolean(), text: fc.string({ maxLength: 2 }) });
    fc.assert(
      fc.property(sequence, change, (place, { at, keep, text }) => {
        const cursor = cursors.write(scope, place);
        const index = at % cursor.length;
        const changed = cursor.slice(0, index) + text + cursor.slice(index + (keep ? 0 : 1));
        fc.pre(changed !== cursor);
        return cursors.read(scope, changed) === null;
      }),
    );
  });

  test('is refused when it is just anything', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 64 }), (text) => cursors.read(scope, text) === null));
  });
});
