/** Compares lists: the same items in the same order, each with its counterpart. */
import { add, type Walk } from './walk.ts';

/** Compares two lists. It pairs items with known ids by id, all others by position. */
export function compareLists(was: readonly unknown[], is: readonly unknown[], pointer: string, walk: Walk): void {
  const wanted = was.map((item) => expectedName(item, walk));
  const names = is.map(nameOf);
  const isLong = was.length !== is.length;
  if (isLong && !walk.exact && was.some((item) => isUnknown(item, walk))) {
    // The recorded list has things from before the recording. So only things that the recording created are compared.
    compareKnown(was, is, pointer, walk);
    return;
  }
  const isSame = wanted.every((name) => name !== undefined) && sorted(wanted) === sorted(names);
  if (isLong || (isSame && wanted.join() !== names.join())) {
    if (isLong) add(walk, pointer, 'length', was.length, is.length);
    else add(walk, pointer, 'order', was.map(nameOf), names);
    comparePairs(was, is, wanted, names, pointer, walk);
    return;
  }
  for (const [index, item] of was.entries()) walk.compare(item, is[index], `${pointer}/${index}`, walk);
}

function compareKnown(was: readonly unknown[], is: readonly unknown[], pointer: string, walk: Walk): void {
  const known = was.filter((item) => expectedName(item, walk) !== undefined);
  const wanted = known.map((item) => expectedName(item, walk));
  const ours = is.filter((item) => wanted.includes(nameOf(item)));
  const names = ours.map(nameOf);
  if (names.length !== wanted.length) add(walk, pointer, 'length', wanted.length, names.length);
  else if (wanted.join() !== names.join()) add(walk, pointer, 'order', known.map(nameOf), names);
  comparePairs(known, ours, wanted, names, pointer, walk);
}

/** Compares the items that are in both lists. */
function comparePairs(
  was: readonly unknown[],
  is: readonly unknown[],
  wanted: readonly (string | undefined)[],
  names: readonly (string | undefined)[],
  pointer: string,
  walk: Walk,
): void {
  for (const [index, item] of was.entries()) {
    const at = wanted[index] === undefined ? -1 : names.indexOf(wanted[index]);
    if (at >= 0 && typeof item === 'object') walk.compare(item, is[at], `${pointer}/${index}`, walk);
  }
}

/** The fields that say how a page of a list ends. */
export const pageEnds: readonly string[] = ['hasMore', 'nextCursor', 'totalCount'];

/**
 * Whether the ends of two pages can't be compared. Their numbers of items differ, which the items report, or the
 * recorded page has things from before the recording.
 */
export function endsOtherwise(was: Readonly<Record<string, unknown>>, is: typeof was): boolean {
  const [before, now] = [was['data'], is['data']];
  return Array.isArray(before) && Array.isArray(now) && before.length !== now.length;
}

/** Whether an item has an id that no earlier reply contained. */
function isUnknown(item: unknown, walk: Walk): boolean {
  return nameOf(item) !== undefined && expectedName(item, walk) === undefined;
}

/** The name of an item: its id, or the item itself if it is a text. */
function nameOf(item: unknown): string | undefined {
  if (typeof item === 'string') return item;
  const { id } = (item ?? {}) as { id?: unknown };
  return typeof id === 'string' ? id : undefined;
}

/** The expected name of our item. @returns undefined if the recorded item is unknown */
function expectedName(item: unknown, { learnt }: Walk): string | undefined {
  const name = nameOf(item);
  return name === undefined || typeof item === 'string' ? name && learnt.inPlace(name) : learnt.find(name);
}

function sorted(names: readonly (string | undefined)[]): string {
  return JSON.stringify(names.toSorted());
}
