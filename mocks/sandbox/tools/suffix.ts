/**
 * The last three characters of an identifier, which choose an outcome in the sandbox: spaces do not count, and of an
 * e-mail-like one the part before the `@` is read (D30, D40).
 */
export function outcomeSuffix(identifier: string): string {
  const [name = ''] = identifier.replaceAll(/\s/g, '').split('@');
  return Array.from(name).slice(-3).join('');
}
