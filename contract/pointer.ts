/** Escapes `~` and `/` for one segment of a JSON pointer (RFC 6901). */
export function pointerSegment(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

/**
 * The keys of a JSON pointer, without escapes.
 * @param pointer as text (`/a/b`), or as the fragment of an address (`#/a/b`), which is percent-encoded (RFC 6901, 6).
 */
export function pointerKeys(pointer: string): string[] {
  const text = pointer.startsWith('#') ? decodeFragment(pointer.slice(1)) : pointer;
  return text
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** The value at a pointer in a document. @returns undefined if there is none */
export function pointTo(document: unknown, pointer: string): unknown {
  return pointerKeys(pointer).reduce<unknown>(
    (node, key) => (typeof node === 'object' && node !== null ? (node as Record<string, unknown>)[key] : undefined),
    document,
  );
}

/** A percent sign that starts no escape stays: some tools write fragments without encoding them. */
function decodeFragment(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
