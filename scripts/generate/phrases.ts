/** Formats names and rows for guides and descriptions. */

/** A table in Markdown. */
export function table(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(titles), `|${'---|'.repeat(titles.length)}`, ...rows.map(line)].join('\n');
}

/** A name as code. */
export function code(name: string): string {
  return `\`${name}\``;
}

/** Names as code. */
export function codes(names: readonly string[]): string[] {
  return names.map(code);
}

/** Names as a list in a sentence. */
export function list(names: readonly string[], last: 'and' | 'or' = 'and'): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} ${last} ${names.at(-1)}`;
}
