/** The result of a replay, and its reports. */

import { githubReport } from '../report/github.ts';
import { createJsonReport } from '../report/json.ts';
import { junitReport } from '../report/junit.ts';
import type { Report, Summary, Write } from '../report/report.ts';
import { countEntries, noVerdict, textReport } from '../report/text.ts';

export interface ReplaySummary {
  files: number;
  entries: number;
  played: number;
  /** All differences. */
  findings: number;
  /** Differences that aren't expected. */
  failing: number;
  /** Expected differences that didn't occur. */
  gone: number;
  /** Entries that can't be replayed. */
  unplayable: number;
  /** Entries that need something from an earlier entry, which the recording has and the replay doesn't. */
  consequences: number;
  /** Bodies of replies that the recording lacks. The rest of these replies was compared. */
  unrecordedBodies: number;
  /** Entries that couldn't be compared because of a fault of ours. */
  unjudged: number;
  skipped: Summary['skipped'];
  /** Whether the clock followed the recording's. If the clock can't be moved, it didn't. */
  clock: 'followed' | 'not moved';
  /** For each operation, how many replies were compared and how many agree. */
  operations: Record<string, { compared: number; agree: number }>;
}

export function emptyReplaySummary(): ReplaySummary {
  return {
    files: 0,
    entries: 0,
    played: 0,
    findings: 0,
    failing: 0,
    gone: 0,
    unplayable: 0,
    consequences: 0,
    unrecordedBodies: 0,
    unjudged: 0,
    skipped: { elsewhere: 0, control: 0, preflight: 0, 'no-reply': 0 },
    clock: 'followed',
    operations: {},
  };
}

/** The reports of a replay, by the name of their format. */
export const replayReports = {
  text: (write: Write): Report<ReplaySummary> => textReport(write, summariseReplay),
  json: (write: Write): Report<ReplaySummary> => createJsonReport(write),
  junit: (write: Write): Report<ReplaySummary> => junitReport(write, 'countersign replay', passedCases),
  github: (write: Write): Report<ReplaySummary> => githubReport(write, summariseReplay),
} as const;

/** An operation counts as a passed test case if all its replies agree. */
function passedCases({ operations, played }: ReplaySummary, isEmpty: boolean) {
  const cases = Object.entries(operations)
    .filter(([, { compared, agree }]) => compared === agree)
    .map(([id, { compared }]) => [id, `${compared} ${compared === 1 ? 'answer agrees' : 'answers agree'}`] as const);
  return cases.length > 0 || !isEmpty ? cases : [['contract', `${played} entries were played`] as const];
}

/** Writes one line for each operation, then one for all. */
export function summariseReplay(summary: ReplaySummary): string {
  const { operations, entries, played, findings, failing, gone, skipped } = summary;
  const counted = (count: number, what: string): string[] => (count === 0 ? [] : [`${count} ${what}`]);
  const rows = Object.entries(operations).sort(([a], [b]) => (a < b ? -1 : 1));
  const width = Math.max(0, ...rows.map(([id]) => id.length));
  const lines = rows.map(([id, { compared, agree }]) => `  ${id.padEnd(width)}  ${agree} of ${compared} agree`);
  const passedOver = [
    ...counted(skipped.elsewhere, 'of other addresses'),
    ...counted(skipped.control, 'of the control surface'),
    ...counted(skipped.preflight, 'OPTIONS'),
    ...counted(skipped['no-reply'], 'without a reply'),
  ];
  const notPlayed = [
    ...counted(summary.unplayable, "that can't be played"),
    ...counted(summary.consequences, 'that need what another one no longer gives'),
  ];
  const sentences = [
    played === 0 && findings === 0
      ? noVerdict(entries, 'played')
      : `${countEntries(entries)}, ${played} played: ${failing} ${failing === 1 ? 'difference' : 'differences'}${findings === failing ? '' : `, and ${findings - failing} pinned`}`,
    ...(gone === 0 ? [] : [`Pinned and gone: ${gone}`]),
    ...(notPlayed.length === 0 ? [] : [`Not played: ${notPlayed.join(', ')}`]),
    ...(summary.unjudged === 0 ? [] : [`Not compared because of a fault of Countersign: ${summary.unjudged}`]),
    ...(passedOver.length === 0 ? [] : [`Passed over: ${passedOver.join(', ')}`]),
    ...counted(summary.unrecordedBodies, 'replies were recorded without their body, which was not compared'),
    ...(summary.clock === 'followed' ? [] : ["The clock can't be moved there, so pauses and times were not compared"]),
  ];
  return [...lines, `${sentences.join('. ')}.`].join('\n');
}
