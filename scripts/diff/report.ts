/** A comparison as text for a terminal, as JSON, as annotations of GitHub Actions, and as lines for the changelog. */
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
    const annotations = changes.flatMap(({ level, subject, pointer, what }) =>
      level === 'none'
        ? []
        : [`::${commands[level]} title=${property(`${level}: ${subject}`)}::${escaped(`${pointer} ${what}`)}`],
    );
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

// The escapes of workflow commands: https://github.com/actions/toolkit, packages/core/src/command.ts.
function escaped(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function property(text: string): string {
  return escaped(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
