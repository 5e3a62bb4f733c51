/** Names and rows as the guides and descriptions write them. */

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

/** Names as a sentence has them. */
export function list(names: readonly string[], last: 'and' | 'or' = 'and'): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} ${last} ${names.at(-1)}`;
}
