/**
 * The reference of a transaction with this number in the platform's sequence (D70). Numbers are unique, so references are too,
 * without a search for the same one. References of later transactions come later, so an index of them grows at its end.
 */
export function numberedReference(sequence: number): string {
  return `T${sequence.toString(16).toUpperCase().padStart(9, '0')}`;
}

/** The number in a reference. @returns 0 for a reference of another form, which no number leads to */
export function numberOf(reference: string): number {
  const number = Number.parseInt(/^T([0-9A-F]{9})$/.exec(reference)?.[1] ?? '0', 16);
  return numberedReference(number) === reference ? number : 0;
}
