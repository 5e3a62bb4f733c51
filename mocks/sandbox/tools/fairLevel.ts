/**
 * The size that each of several owners may keep, so that all together take no more than a total. The largest give way
 * first: owners below the level keep everything, all others the same size. It is never less than the total divided by
 * the number of owners.
 */
export function fairLevel(sizes: Iterable<number>, total: number): number {
  const ascending = Float64Array.from(sizes).sort();
  let left = total;
  for (const [index, size] of ascending.entries()) {
    const level = left / (ascending.length - index);
    if (size >= level) return level;
    left -= size;
  }
  return Number.POSITIVE_INFINITY;
}

/** The part of a limit that is kept when it is exceeded. The rest is room, so that not every addition makes room again. */
export const keptPart = 15 / 16;
