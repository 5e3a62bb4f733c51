/** Helpers that write Markdown. */

/** A table. A `|` in a cell is escaped, and a line end becomes a space. Empty if there are no rows. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '';
  const line = (cells: readonly string[]): string => `| ${cells.map(cell).join(' | ')} |`;
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}

/** Joins the non-empty parts with blank lines, and ends with one line end. */
export function joinParts(parts: readonly (string | undefined)[]): string {
  return `${parts.flatMap((part) => part?.trim() || []).join('\n\n')}\n`;
}

export function fence(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\``;
}

/** The first sentence of a description, on one line. */
export function firstSentence(text: string): string {
  const line = text.trim().replaceAll(/\s+/g, ' ');
  return /^.*?[.!?](?= [A-Z`]|$)/.exec(line)?.[0] ?? line;
}

/** Shifts a text's headings so that they begin at `level`. In descriptions they begin at level 2. */
export function withHeadingsFrom(level: number, text: string): string {
  return text.replaceAll(/^(#{2,}) /gm, (_, marks: string) => `${'#'.repeat(marks.length - 2 + level)} `);
}

function cell(text: string): string {
  return text
    .trim()
    .replaceAll(/\s*\n\s*/g, ' ')
    .replaceAll('|', '\\|');
}
