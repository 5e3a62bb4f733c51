/** Lists the changes between the versions of the contract: newest version first, and breaking changes first in each. */
import type { Change } from '../diff/change.ts';
import type { EntryLevel } from '../diff/changelog.ts';
import { compareContracts } from '../diff/compare.ts';
import type { ContractDocument } from '../lib/contract.ts';
import { operationsAt } from '../lib/places.ts';
import { joinParts } from './markdown.ts';

/** A version of the contract on the site. */
export interface SiteVersion {
  /** The date of its publication, or `unreleased`. */
  readonly name: string;
  /** The contract's bundle. */
  readonly contract: ContractDocument;
}

/** Whether the project's changelog calls a breaking change of this subject a correction. */
export type Corrections = (version: string, subject: string) => boolean;

/** A change as the changelog lists it. */
interface ListedChange extends Omit<Change, 'level'> {
  readonly level: EntryLevel | 'none';
}

/** The changes from one version to the next. */
export interface Step {
  readonly from: string;
  readonly to: string;
  readonly changes: readonly ListedChange[];
}

/** Compares each version with the previous one. @param versions oldest first @returns newest first */
export async function compareVersions(versions: readonly SiteVersion[], isCorrection: Corrections): Promise<Step[]> {
  const pairs = versions.slice(1).map((to, index) => ({ from: versions[index] ?? to, to }));
  const steps: Step[] = [];
  for (const { from, to } of pairs) {
    const changes = await compareContracts(from.contract, to.contract);
    const [before, after] = [operationsAt(from.contract), operationsAt(to.contract)];
    steps.unshift({
      from: from.name,
      to: to.name,
      changes: changes.map((change) => ({
        ...change,
        level: change.level === 'breaking' && isCorrection(to.name, change.subject) ? 'correction' : change.level,
        operations: [...new Set([...after(change.pointer), ...before(change.pointer)])],
      })),
    });
  }
  return steps;
}

/** The titles of the parts of a step, in their order. Changes of descriptions only aren't listed. */
export const parts: readonly { readonly level: EntryLevel; readonly title: string }[] = [
  { level: 'breaking', title: 'What breaks' },
  { level: 'correction', title: 'What was corrected: the service never did what the contract said' },
  { level: 'warning', title: 'What may mean something else' },
  { level: 'compatible', title: 'What is new' },
];

/** The changes of a level: one line for each subject and change, with the affected operations. */
export function linesOf(
  { changes }: Step,
  level: EntryLevel,
): { subject: string; what: string; operations: string[] }[] {
  const at = Map.groupBy(
    changes.filter((change) => change.level === level),
    ({ subject, what }) => JSON.stringify([subject, what]),
  );
  return [...at.values()].map((same) => ({
    subject: same[0]?.subject ?? '',
    what: same[0]?.what ?? '',
    operations: [...new Set(same.flatMap(({ operations = [] }) => operations))].filter(
      (operation) => operation !== same[0]?.subject,
    ),
  }));
}

/** How many changes affect only descriptions and examples. */
export function countWords({ changes }: Step): number {
  return changes.filter(({ level }) => level === 'none').length;
}

/** The whole changelog as Markdown. */
export function changelogText(steps: readonly Step[], oldest: string): string {
  return joinParts([
    '# Changelog of the contract',
    'Made by comparing each version with the one before.',
    ...steps.map((step) =>
      joinParts([
        `## ${step.to}`,
        `Compared with ${step.from}.`,
        ...parts.map(({ level, title }) => {
          const lines = linesOf(step, level);
          if (lines.length === 0) return undefined;
          const items = lines.map(
            ({ subject, what, operations }) => `- \`${subject}\`: ${what}${concerns(operations)}`,
          );
          return `### ${title}\n\n${items.join('\n')}`;
        }),
        wordsText(step),
      ]).trimEnd(),
    ),
    `## ${oldest}`,
    'The first version.',
  ]);
}

/** A sentence about the changes of descriptions; undefined if there are none. */
export function wordsText(step: Step): string | undefined {
  const words = countWords(step);
  if (words === 0) return step.changes.length === 0 ? 'Nothing changed.' : undefined;
  return `${words} ${words === 1 ? 'change concerns' : 'changes concern'} words and examples only.`;
}

/** At most five names, because a change of a shared schema affects dozens of operations. */
export function concerns(operations: readonly string[]): string {
  if (operations.length === 0) return '';
  const shown = operations.slice(0, 5).map((operation) => `\`${operation}\``);
  const more = operations.length - shown.length;
  return ` (${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''})`;
}
