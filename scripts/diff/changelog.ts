/**
 * Reads the changelog of the contract, `openapi/CHANGELOG.md`. It has a part for each published version and, above
 * them, a part for unpublished changes. A line names what changed and how much it means, so that it can be compared
 * with the findings of `diff`:
 *
 * - **compatible** `createQuote`: takes an `externalReference`.
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { withUnixLineEnds } from '../lib/project.ts';
import { type Change, type Level, levels } from './change.ts';

/**
 * The levels of `diff` that clients notice, and `correction`: a break on paper only, because the contract described
 * something that the service never did. A correction needs no new version.
 */
export type EntryLevel = Exclude<Level, 'none'> | 'correction';

export interface Entry {
  readonly level: EntryLevel;
  /** The subject, as `diff` names it: an operation, a schema, another component, a path, or `document`. */
  readonly subject: string;
}

/** A changelog, read into parts. */
export interface Changelog {
  /** The valid lines of the part `## Unreleased`; undefined if there is no such part. */
  readonly unreleased: readonly Entry[] | undefined;
  /** The dates of the other parts, in the order of the file. */
  readonly versions: readonly string[];
  /** The valid lines of every part, by its heading. */
  readonly entries: ReadonlyMap<string, readonly Entry[]>;
}

const heading = /^## (.+)$/;
const entryForm = /^- \*\*(breaking|correction|warning|compatible)\*\* `([^`]+)`: \S/;

/** The path of a contract's changelog, relative to the same folder as the contract's path. */
export function changelogFile(contractFile: string): string {
  return join(dirname(contractFile), 'CHANGELOG.md').replaceAll('\\', '/');
}

/** The text of a contract's changelog, with LF line ends; empty if there is none. */
export async function readChangelog(root: string, contractFile: string): Promise<string> {
  const path = join(root, changelogFile(contractFile));
  return existsSync(path) ? withUnixLineEnds(await readFile(path, 'utf8')) : '';
}

/** Reads a changelog into parts. */
export function parseChangelog(text: string): Changelog {
  const entries = new Map<string, Entry[]>();
  const titles: string[] = [];
  for (const line of text.split('\n')) {
    const title = heading.exec(line)?.[1]?.trim();
    if (title !== undefined) {
      titles.push(title);
      if (!entries.has(title)) entries.set(title, []);
    }
    const [, level, subject] = entryForm.exec(line) ?? [];
    if (subject !== undefined) entries.get(titles.at(-1) ?? '')?.push({ level: level as EntryLevel, subject });
  }
  return {
    unreleased: entries.get('Unreleased'),
    versions: titles.filter((title) => title !== 'Unreleased'),
    entries,
  };
}

/** The subjects whose breaking changes the part `## Unreleased` calls corrections. */
export function correctedSubjects({ unreleased = [] }: Changelog): Set<string> {
  return new Set(unreleased.filter(({ level }) => level === 'correction').map(({ subject }) => subject));
}

/**
 * Compares the part `## Unreleased` with the findings of `diff`. Each changed subject must be named, at the worst level
 * of its changes; no other subject may be named.
 *
 * @returns what is wrong, each as a sentence with its repair
 */
export function compareChangelog(entries: readonly Entry[], changes: readonly Change[]): string[] {
  const noticed = changes.filter(({ level }) => level !== 'none');
  const has = (level: EntryLevel, subject: string): boolean =>
    entries.some((entry) => entry.subject === subject && entry.level === level);
  const missing = draftEntries(changes).filter(
    ({ level, subject }) => !has(level, subject) && !(level === 'breaking' && has('correction', subject)),
  );
  const stale = entries.filter(({ level, subject }) => {
    const found = level === 'correction' ? 'breaking' : level;
    return !noticed.some((change) => change.subject === subject && change.level === found);
  });
  return [
    ...missing.map(({ line }) => `The changelog doesn't name a change. Add to its part Unreleased: ${line}`),
    ...stale.map(
      ({ level, subject }) =>
        `The changelog names ${level} \`${subject}\`, and diff finds no such change. Take the line out of Unreleased.`,
    ),
  ];
}

/** Lines for the changelog, worst first: one for each subject, at the worst level of its changes. */
export function draftEntries(changes: readonly Change[]): (Entry & { readonly line: string })[] {
  const subjects = Map.groupBy(changes, ({ subject }) => subject);
  const drafts = [...subjects].flatMap(([subject, its]) => {
    const level = levels.find((one) => its.some((change) => change.level === one)) ?? 'none';
    if (level === 'none') return [];
    const what = [...new Set(its.filter((change) => change.level === level).map((change) => change.what))].join('; ');
    return [{ level, subject, line: `- **${level}** \`${subject}\`: ${what}` }];
  });
  return drafts.toSorted((a, b) => levels.indexOf(a.level) - levels.indexOf(b.level));
}
