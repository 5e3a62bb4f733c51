/** One segment of a JSON pointer (RFC 6901): `~` and `/` escaped. */
export function pointerSegment(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

/**
 * The keys that a JSON pointer leads through, without their escapes.
 * @param pointer as text (`/a/b`), or as the fragment of an address (`#/a/b`), which is percent-encoded (RFC 6901, 6).
 */
export function pointerKeys(pointer: string): string[] {
  const text = pointer.startsWith('#') ? decodeFragment(pointer.slice(1)) : pointer;
  return text
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** The value that a pointer names inside a document; undefined where there is none. */
export function pointTo(document: unknown, pointer: string): unknown {
  return pointerKeys(pointer).reduce<unknown>(
    (node, key) => (typeof node === 'object' && node !== null ? (node as Record<string, unknown>)[key] : undefined),
    document,
  );
}

/** A percent sign that begins no escape stands for itself: some tools write fragments without encoding them. */
function decodeFragment(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
