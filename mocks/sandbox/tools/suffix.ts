/**
 * The last three characters of an identifier, which select an outcome in the sandbox. Spaces are ignored, and in an
 * e-mail-like identifier only the part before the `@` is read (D30, D40).
 */
export function outcomeSuffix(identifier: string): string {
  const [name = ''] = identifier.replaceAll(/\s/g, '').split('@');
  return Array.from(name).slice(-3).join('');
}
