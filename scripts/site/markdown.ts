/** Small pieces of Markdown. */

/** A table; a `|` in a cell is escaped and a line end becomes a space. Empty without rows. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '';
  const line = (cells: readonly string[]): string => `| ${cells.map(cell).join(' | ')} |`;
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}

/** Parts with an empty line between them, those that are empty left out, and one line end at the end. */
export function joinParts(parts: readonly (string | undefined)[]): string {
  return `${parts.flatMap((part) => part?.trim() || []).join('\n\n')}\n`;
}

/** A block of code. */
export function fence(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\``;
}

/** The first sentence of a description, on one line. */
export function firstSentence(text: string): string {
  const line = text.trim().replaceAll(/\s+/g, ' ');
  return /^.*?[.!?](?= [A-Z`]|$)/.exec(line)?.[0] ?? line;
}

/** The text with headings that begin at `level`: descriptions begin theirs at two. */
export function withHeadingsFrom(level: number, text: string): string {
  return text.replaceAll(/^(#{2,}) /gm, (_, marks: string) => `${'#'.repeat(marks.length - 2 + level)} `);
}

function cell(text: string): string {
  return text
    .trim()
    .replaceAll(/\s*\n\s*/g, ' ')
    .replaceAll('|', '\\|');
}
