/** Reading a document whose shape nobody promises. */

export type Json = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The keys of a JSON Pointer (RFC 6901), unescaped; a leading `#` is ignored. */
export function pointerKeys(pointer: string): string[] {
  return pointer
    .replace(/^#/, '')
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** What stands at a pointer, or undefined. */
export function valueAt(document: unknown, pointer: string): unknown {
  return pointerKeys(pointer).reduce<unknown>(
    (node, key) => (typeof node === 'object' && node !== null ? (node as Json)[key] : undefined),
    document,
  );
}

/** JSON text that does not depend on the order of keys. */
export function stableText(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    isRecord(inner) ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1))) : inner,
  );
}
