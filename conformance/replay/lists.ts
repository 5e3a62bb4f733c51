/** Lists: the same items in the same order, each beside its own. */
import { add, type Walk } from './walk.ts';

/** Compares two lists. Items with ids that are known are paired by them, any other by their position. */
export function compareLists(was: readonly unknown[], is: readonly unknown[], pointer: string, walk: Walk): void {
  const wanted = was.map((item) => expectedName(item, walk));
  const names = is.map(nameOf);
  const isLong = was.length !== is.length;
  if (isLong && !walk.exact && was.some((item) => isUnknown(item, walk))) {
    // Other things were there before the recording began, so only what it made itself can be compared.
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

/** Compares the items that both have. */
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

/** What says how a page of a list ends. */
export const pageEnds: readonly string[] = ['hasMore', 'nextCursor', 'totalCount'];

/**
 * Whether two pages can't end alike: their items differ in number, which is told of the items themselves, or the recorded one
 * holds things of before the recording began.
 */
export function endsOtherwise(was: Readonly<Record<string, unknown>>, is: typeof was): boolean {
  const [before, now] = [was['data'], is['data']];
  return Array.isArray(before) && Array.isArray(now) && before.length !== now.length;
}

/** Whether an item has an id that no reply has given before. */
function isUnknown(item: unknown, walk: Walk): boolean {
  return nameOf(item) !== undefined && expectedName(item, walk) === undefined;
}

/** What an item goes by: its id, or itself where it is a text. */
function nameOf(item: unknown): string | undefined {
  if (typeof item === 'string') return item;
  const { id } = (item ?? {}) as { id?: unknown };
  return typeof id === 'string' ? id : undefined;
}

/** What our item is to go by; undefined where nothing is known of the recorded one. */
function expectedName(item: unknown, { learnt }: Walk): string | undefined {
  const name = nameOf(item);
  return name === undefined || typeof item === 'string' ? name && learnt.inPlace(name) : learnt.find(name);
}

function sorted(names: readonly (string | undefined)[]): string {
  return JSON.stringify(names.toSorted());
}
