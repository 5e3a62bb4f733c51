/** Replays recordings, file by file, each on its own platform. */
import type { Entry } from 'har-format';
import type { Contract } from '../../contract/contract.ts';
import { version } from '../../generated/operations.ts';
import { sandboxCreator } from '../../traffic/record.ts';
import { withAttachments } from '../entry.ts';
import { describeFault } from '../fault.ts';
import { openRecording } from '../file.ts';
import { type FoundEntry, readEntries } from '../har.ts';
import type { Matcher } from '../match.ts';
import type { Report } from '../report/report.ts';
import { countEntries } from '../report/text.ts';
import { UnreadableRecording } from '../unreadable.ts';
import type { Expected } from './expect.ts';
import { NoPlatform, type Platform } from './platform.ts';
import { createReplay, type Played, startOf, Unreachable } from './play.ts';
import { emptyReplaySummary, type ReplaySummary } from './summary.ts';

export interface ReplayOptions {
  readonly contract: Contract;
  readonly match: Matcher;
  readonly report: Report<ReplaySummary>;
  /** Creates a new platform. @param start when the recording started */
  readonly open: (start: number) => Promise<OpenPlatform>;
  /** Whether amounts and times must be the same. Default: only if a sandbox made the recording. */
  readonly exact?: boolean | undefined;
  readonly expected: Expected;
  /** The file of the expected differences, for the message about one that didn't occur. */
  readonly expectedFile?: string | undefined;
}

/** A platform, and how to end it when the recording is over. */
export interface OpenPlatform {
  readonly platform: Platform;
  close(): Promise<void>;
}

/**
 * Replays files one after the other.
 * @returns the exit code, as README.md of this folder lists them
 * @throws NoPlatform or Unreachable if there is nothing to replay on.
 */
export async function replayFiles(files: readonly string[], options: ReplayOptions): Promise<number> {
  const { report, expected, expectedFile = '--expect' } = options;
  const summary = emptyReplaySummary();
  let isReadable = true;
  for (const file of files) {
    try {
      await replayFile(file, options, summary);
    } catch (error) {
      if (error instanceof NoPlatform || error instanceof Unreachable) throw error;
      if (error instanceof UnreadableRecording) {
        report.unreadable({ file, message: error.message, remedy: error.remedy });
        isReadable = false;
      } else {
        report.unreadable({ file, ...describeFault('could not be played to its end', error) });
        summary.unjudged += 1;
      }
    }
    summary.files += 1;
  }
  for (const { operation, at } of expected.gone()) {
    summary.gone += 1;
    const message = `pins a difference of ${operation} at ${at}, which no longer exists`;
    report.unreadable({ file: expectedFile, title: 'Pinned and gone', message, remedy: 'Remove it from the file.' });
  }
  report.end(summary);
  if (summary.unjudged > 0) return 3;
  if (!isReadable || summary.unplayable > 0) return 2;
  return summary.failing + summary.gone > 0 ? 1 : 0;
}

async function replayFile(file: string, options: ReplayOptions, summary: ReplaySummary): Promise<void> {
  const { found, creator, isText } = await readWhole(file, options.match);
  const entries = found.map(({ entry }) => entry);
  const exact = options.exact ?? creator === sandboxCreator;
  const { platform, close } = await options.open(startOf(entries));
  if (platform.steering === undefined) summary.clock = 'not moved';
  const { played, unplayable } = summary;
  try {
    const replay = createReplay({ ...options, platform, entries, exact });
    for (const one of found) {
      summary.entries += 1;
      const outcome = await replay.play(one.index, one.entry);
      count(outcome, { file, ...one, line: isText ? one.line : null }, options, summary);
    }
  } finally {
    await close();
  }
  if (summary.played === played && summary.unplayable === unplayable) {
    throw new UnreadableRecording(
      `has ${countEntries(found.length)}, but none of the service`,
      `Name the service's base address with --base URL. Without it, only addresses with /${version} in the path count.`,
    );
  }
}

/** All entries of a recording. Those of the service have their bodies. */
async function readWhole(file: string, match: Matcher) {
  const recording = await openRecording(file);
  const found: FoundEntry[] = [];
  let creator = '';
  try {
    for await (const one of readEntries(recording.bytes, (name) => (creator = name))) {
      const { method, url } = one.entry.request;
      const isOurs = match(method.toUpperCase(), url).kind !== 'skipped';
      found.push(isOurs ? { ...one, entry: await withAttachments(one.entry, recording.attachment) } : one);
    }
  } finally {
    recording.close();
  }
  return { found, creator, isText: recording.isText };
}

interface Place {
  readonly file: string;
  readonly index: number;
  readonly line: number | null;
  readonly entry: Entry;
}

const startEarlier =
  'Start the recording before that, or play it on the world that it began with (--world); what follows from it is missing too';

function count(
  outcome: Played,
  { file, index, line, entry }: Place,
  options: ReplayOptions,
  summary: ReplaySummary,
): void {
  if (outcome.kind === 'skipped') {
    summary.skipped[outcome.reason] += 1;
    return;
  }
  if (outcome.kind === 'unplayable') {
    summary[outcome.isConsequence ? 'consequences' : 'unplayable'] += 1;
    const remedy = outcome.isConsequence ? 'Look at that entry first.' : `${startEarlier}.`;
    const message = `has an entry ${index} that can't be played: it ${outcome.why}`;
    options.report.unreadable({ file, entry: index, title: 'Not played', message, remedy });
    return;
  }
  const { operationId, path, differences } = outcome;
  summary.played += 1;
  summary.unrecordedBodies += Number(!outcome.hasBody);
  const id = operationId ?? 'no operation';
  const tally = summary.operations[id] ?? { compared: 0, agree: 0 };
  summary.operations[id] = tally;
  tally.compared += 1;
  tally.agree += Number(differences.length === 0);
  for (const difference of differences) {
    const at = { file, entry: { index, line, startedDateTime: entry.startedDateTime ?? null } };
    const method = entry.request.method.toUpperCase();
    const finding = { ...at, operationId, method, path, status: entry.response.status, ...difference };
    const pin = options.expected.find(finding);
    summary.findings += 1;
    summary.failing += Number(pin === undefined);
    options.report.finding({
      ...finding,
      fails: pin === undefined,
      ...(pin === undefined ? {} : { pinned: pin.reason }),
    });
  }
}
