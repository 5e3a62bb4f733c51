/** Writes the decisions by their numbers, for code that shows what something rests on. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The titles of the decisions, in the order of the document. */
export function readTitles(decisions: string): Map<string, string> {
  return new Map([...decisions.matchAll(/^## (D\d{2,}) (.+)$/gm)].map(([, id = '', title = '']) => [id, title.trim()]));
}

/** The decisions for the guide: the full text of each, under a heading with its number. */
export function writeEntries(decisions: string): string {
  const [, ...entries] = decisions.split(/^(?=## D\d{2,} )/m);
  if (entries.length === 0) throw new Error('DECISIONS.md has no decisions');
  return entries.map((entry) => `#${entry.trim()}`).join('\n\n');
}

/**
 * Writes the text of `generated/decisions.ts`, without the header comment. It is empty if the project has no decisions.
 */
export async function writeDecisions(root: string): Promise<string> {
  const text = await readFile(join(root, 'openapi/DECISIONS.md'), 'utf8').catch(() => '');
  const rows = [...readTitles(text)].map(([id, title]) => `  ${id}: ${quoted(title)},`);
  return [
    '/** The title of each decision of openapi/DECISIONS.md. */',
    'export const decisionTitles: Readonly<Record<string, string>> = {',
    ...rows,
    '};',
    '',
  ].join('\n');
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
