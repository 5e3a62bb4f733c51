/** One segment of a JSON pointer (RFC 6901): `~` and `/` escaped. */
export function pointerSegment(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
