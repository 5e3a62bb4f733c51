/**
 * Formats a comparison: as text for a terminal, as JSON, as annotations of GitHub Actions, or as lines for the
 * changelog.
 */

import { annotation } from '../../conformance/report/annotation.ts';
import { inBrackets } from '../lib/places.ts';
import { type Change, levels } from './change.ts';
import { draftEntries } from './changelog.ts';
import type { Compatibility } from './compatibility.ts';

export interface Comparison {
  readonly base: string;
  readonly revision: string;
  readonly changes: readonly Change[];
  readonly verdict: Compatibility;
}

export const formats = {
  text: ({ base, revision, changes, verdict }) => {
    const width = Math.min(32, Math.max(0, ...changes.map(({ subject }) => subject.length)));
    const line = ({ level, subject, pointer, what }: Change) =>
      `${level.padEnd(10)}  ${subject.padEnd(width)}  ${pointer}  ${what}`;
    return [`${base} → ${revision}`, ...changes.map(line), `${count(changes)}. ${verdict.says}`].join('\n');
  },
  json: (comparison) => JSON.stringify(comparison, null, 2),
  github: ({ changes, verdict, ...sides }) => {
    const commands = {
      breaking: verdict.isFine ? 'warning' : 'error',
      warning: 'warning',
      compatible: 'notice',
    } as const;
    const annotations = changes.flatMap(({ level, subject, pointer, what, operations = [], place }) => {
      if (level === 'none') return [];
      const concerned = operations.filter((operation) => operation !== subject);
      const title = `${level}: ${subject}`;
      return [annotation({ level: commands[level], ...place, title }, `${pointer} ${what}${inBrackets(concerned)}`)];
    });
    return [...annotations, `${sides.base} → ${sides.revision}: ${count(changes)}. ${verdict.says}`].join('\n');
  },
  changelog: ({ changes }) =>
    draftEntries(changes)
      .map(({ line }) => line)
      .join('\n'),
} satisfies Readonly<Record<string, (comparison: Comparison) => string>>;

function count(changes: readonly Change[]): string {
  return levels.map((level) => `${changes.filter((change) => change.level === level).length} ${level}`).join(', ');
}
