const dateTime = /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(\.\d+)?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/;

/**
 * Reads an RFC 3339 date-time in the strict sense (D37): `T` between date and time, an offset with a colon, days that
 * exist, and a leap second only at the end of a month (23:59:60 UTC).
 * @returns milliseconds since 1970, or null if the text isn't a date-time.
 */
export function parseTimestamp(text: string): number | null {
  const parts = dateTime.exec(text);
  if (parts === null) return null;
  const [year, month, day, hour, minute, second] = parts.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const offsetHour = Number(parts[9] ?? 0);
  const offsetMinute = Number(parts[10] ?? 0);
  if (hour > 23 || minute > 59 || second > 60 || offsetHour > 23 || offsetMinute > 59) return null;
  if (month < 1 || month > 12 || day < 1 || (day > 28 && day > daysIn(year, month))) return null;
  const sign = parts[8] === '-' ? 1 : -1;
  const base = new Date(0);
  base.setUTCFullYear(year, month - 1, day);
  base.setUTCHours(hour, minute + sign * (offsetHour * 60 + offsetMinute), Math.min(second, 59));
  if (second === 60 && !endsMonth(base)) return null;
  // Read from the digits: as a number, many nines would round up into the next second.
  const fraction = Number((parts[7] ?? '').slice(1, 4).padEnd(3, '0'));
  return base.getTime() + (second === 60 ? 1000 : fraction);
}

function daysIn(year: number, month: number): number {
  const last = new Date(0);
  last.setUTCFullYear(year, month, 0);
  return last.getUTCDate();
}

function endsMonth(instant: Date): boolean {
  const next = new Date(instant.getTime() + 1000);
  return next.getUTCDate() === 1 && next.getUTCHours() === 0 && next.getUTCMinutes() === 0;
}
