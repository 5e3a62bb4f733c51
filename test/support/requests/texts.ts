/** Generates texts that a string schema accepts, from its pattern, format and lengths. */
import fc from 'fast-check';
import { memoize } from '../../../contract/memoize.ts';
import { clientKeys } from '../scenes/builders.ts';

/** Any code point but NUL, which no text may contain (D51). Lengths count code points. */
export const letter: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 1 }) },
  fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }).filter((one) => one !== '\u0000'),
);

/** Whether a value is a valid text (D51); a pattern may not check that. */
function isText(value: string): boolean {
  return !value.includes('\u0000') && value.isWellFormed();
}

export interface TextSchema {
  readonly pattern?: string;
  readonly format?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
}

/** @throws Error for an unknown format. */
export function text({ pattern, format, minLength = 0, maxLength }: TextSchema): fc.Arbitrary<string> {
  const fits = (value: string): boolean => {
    const length = [...value].length;
    return length >= minLength && length <= (maxLength ?? length);
  };
  if (format === 'p256-point') return points;
  if (format === 'plain-name') return names.filter(fits);
  if (pattern !== undefined) return matching(pattern).filter((one) => fits(one) && isText(one));
  if (format !== undefined) return formatted(format).filter(fits);
  const any = fc.string({ unit: letter, minLength, maxLength: maxLength ?? 40 });
  if (maxLength === undefined) return any;
  const long = fc
    .tuple(letter, fc.integer({ min: minLength, max: maxLength }))
    .map(([one, length]) => one.repeat(length));
  return fc.oneof({ weight: 15, arbitrary: any }, long);
}

// The library searches all of Unicode for the characters of a class, so each pattern is read only once.
const matching = memoize((pattern: string) => fc.stringMatching(new RegExp(pattern, 'u')));

const asciiOfNames = [..."ABCXYZabcxyz0189 ._'()-"];
/** Rules of D48 that the pattern doesn't express. */
const names = fc
  .string({
    unit: fc.oneof(
      fc.constantFrom(...asciiOfNames),
      fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }).filter((one) => /^[\p{L}\p{M}\p{N}]$/u.test(one)),
    ),
    minLength: 1,
    maxLength: 100,
  })
  .filter((one) => !one.startsWith(' ') && !one.endsWith(' '));

function formatted(format: string): fc.Arbitrary<string> {
  switch (format) {
    case 'date':
      return days;
    case 'date-time':
      return fc.oneof({ weight: 5, arbitrary: moments }, leapSeconds);
    case 'email':
      return fc.emailAddress();
    case 'uri':
      return fc.webUrl();
    case 'uuid':
      return fc.uuid();
    default:
      throw new Error(`No texts of the format ${format}`);
  }
}

const dates = fc.date({ min: new Date('1900-01-01'), max: new Date('2099-12-31'), noInvalidDate: true });
const days = dates.map((date) => date.toISOString().slice(0, 10));

const points = fc
  .tuple(fc.integer({ min: 1, max: 6 }), fc.boolean())
  .map(([number, isUpper]) => [clientKeys(number).publicKeyHex, isUpper] as const)
  .map(([hex, isUpper]) => (isUpper ? hex.toUpperCase() : hex));

const twoDigits = (limit: number) =>
  fc.integer({ min: 0, max: limit }).map((number) => String(number).padStart(2, '0'));
const offsets = fc
  .tuple(fc.constantFrom('+', '-'), twoDigits(23), twoDigits(59))
  .map(([sign, hours, minutes]) => `${sign}${hours}:${minutes}`);

/** All forms of RFC 3339: either letter case, fractions of any length, any offset. */
const moments = fc
  .record({
    date: dates,
    between: fc.constantFrom('T', 't'),
    fraction: fc.oneof(fc.constant(''), fc.stringMatching(/^\.[0-9]{1,12}$/)),
    zone: fc.oneof(fc.constantFrom('Z', 'z'), offsets),
  })
  .map(({ date, between, fraction, zone }) => {
    const [day, clock = ''] = date.toISOString().split('T');
    return `${day}${between}${clock.slice(0, 8)}${fraction}${zone}`;
  });

/** 23:59:60 UTC at the end of a month, in any time zone with whole hours. */
const leapSeconds = fc.tuple(dates, fc.integer({ min: -12, max: 14 })).map(([date, hours]) => {
  const end = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1) - 1000;
  const local = new Date(end + hours * 3_600_000).toISOString().slice(0, 17);
  const zone = `${hours < 0 ? '-' : '+'}${String(Math.abs(hours)).padStart(2, '0')}:00`;
  return `${local}60${hours === 0 ? 'Z' : zone}`;
});
