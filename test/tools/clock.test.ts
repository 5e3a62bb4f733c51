/**
 * Promise: a date-time follows RFC 3339 exactly and is read exactly. A written time is read back as the same time
 * (D37).
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseTimestamp } from '../../contract/timestamps.ts';
import { toTimestamp } from '../../mocks/sandbox/tools/clock.ts';

describe('case 100: what is a date-time', () => {
  test.each([
    ['1963-06-19T08:30:06.283185Z', '1963-06-19T08:30:06.283Z'],
    ['1963-06-19T08:30:06Z', '1963-06-19T08:30:06.000Z'],
    ['1937-01-01T12:00:27.87+00:20', '1937-01-01T11:40:27.870Z'],
    ['1990-12-31T15:59:50.123-08:00', '1990-12-31T23:59:50.123Z'],
    ['1998-12-31T23:59:60Z', '1999-01-01T00:00:00.000Z'],
    ['1998-12-31T15:59:60.123-08:00', '1999-01-01T00:00:00.000Z'],
    ['1990-12-31T23:59:60Z', '1991-01-01T00:00:00.000Z'],
    ['2015-06-30T23:59:60Z', '2015-07-01T00:00:00.000Z'],
    ['1963-06-19t08:30:06.283185z', '1963-06-19T08:30:06.283Z'],
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
    ['2000-02-29T00:00:00Z', '2000-02-29T00:00:00.000Z'],
    ['2025-10-13T00:00:00-00:00', '2025-10-13T00:00:00.000Z'],
    ['2025-10-13T23:59:59.9999999Z', '2025-10-13T23:59:59.999Z'],
    ['2025-10-13T23:59:59.99999999999999999999Z', '2025-10-13T23:59:59.999Z'],
    ['2025-10-13T00:00:00.28999999999999999999Z', '2025-10-13T00:00:00.289Z'],
    ['2025-10-13T00:00:00+23:59', '2025-10-12T00:01:00.000Z'],
    ['0000-02-29T00:00:00Z', '0000-02-29T00:00:00.000Z'],
    ['0099-01-01T00:00:00Z', '0099-01-01T00:00:00.000Z'],
  ])('%s is %s', (text, moment) => {
    const instant = parseTimestamp(text);
    expect(instant === null ? null : toTimestamp(instant)).toBe(moment);
  });

  test.each([
    '1998-12-31T23:58:60Z',
    '1998-12-31T22:59:60Z',
    '1998-12-31T23:59:61Z',
    '1990-12-31T12:00:60Z',
    '1990-12-30T23:59:60Z',
    '1990-02-31T15:59:59.123-08:00',
    '1900-02-29T00:00:00Z',
    '2025-02-29T00:00:00Z',
    '2025-04-31T00:00:00Z',
    '2025-00-01T00:00:00Z',
    '2025-13-01T00:00:00Z',
    '2025-01-00T00:00:00Z',
    '2025-01-01T24:00:00Z',
    '2025-01-01T00:60:00Z',
    '1990-12-31T15:59:59-24:00',
    '1990-12-31T15:59:59-08:60',
    '1963-06-19T08:30:06.28123+01:00Z',
    '06/19/1963 08:30:06 PST',
    '2013-350T01:01:01',
    '1963-6-19T08:30:06.283185Z',
    '1963-06-1T00:00:00Z',
    '1963-06-1৪T00:00:00Z',
    '1963-06-11T0৪:00:00Z',
    '2025-01-01 00:00:00Z',
    '2025-01-01T00:00:00+0000',
    '2025-01-01T00:00:00+00',
    '2025-01-01T00:00:00',
    '2025-01-01T00:00Z',
    '2025-01-01T00:00:00.Z',
    '2025-01-01T00:00:00,5Z',
    '+2025-01-01T00:00:00Z',
    '+12025-01-01T00:00:00Z',
    '2025-01-01',
    ' 2025-01-01T00:00:00Z',
    '2025-01-01T00:00:00Z ',
    '2025-01-01T00:00:00Z\n',
    '',
  ])('"%s" is none', (text) => {
    expect(parseTimestamp(text)).toBeNull();
  });
});

describe('writing', () => {
  test('and reading give the same moment', () => {
    const yearZero = -62_167_219_200_000;
    const moment = fc.integer({ min: yearZero, max: Date.UTC(9999, 11, 31) });
    fc.assert(
      fc.property(moment, (instant) => {
        const text = toTimestamp(instant);
        expect(text).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
        expect(parseTimestamp(text)).toBe(instant);
      }),
    );
  });

  test('agrees with what JavaScript reads, whatever the offset', () => {
    const offset = fc.tuple(
      fc.constantFrom('+', '-'),
      fc.integer({ min: 0, max: 23 }),
      fc.integer({ min: 0, max: 59 }),
    );
    const two = (value: number): string => String(value).padStart(2, '0');
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4e12 }), offset, (instant, [sign, hours, minutes]) => {
        const text = toTimestamp(instant).replace('Z', `${sign}${two(hours)}:${two(minutes)}`);
        expect(parseTimestamp(text)).toBe(Date.parse(text));
      }),
    );
  });
});
