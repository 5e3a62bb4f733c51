/** Reads documents of unknown shape. */

export { pointerKeys, pointTo as valueAt } from '../../contract/pointer.ts';

export type Json = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** JSON text that does not depend on the order of keys. */
export function stableText(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    isRecord(inner) ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1))) : inner,
  );
}

/** An object without the entries that `isGone` names. */
export function without(object: Json, isGone: (key: string, value: unknown) => boolean): Json {
  return Object.fromEntries(Object.entries(object).filter(([key, value]) => !isGone(key, value)));
}
