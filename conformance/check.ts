/** Checks recordings against the contract, file by file. */
import type { Entry } from 'har-format';
import type { Contract } from '../contract/contract.ts';
import { version } from '../generated/operations.ts';
import { sandboxCreator } from '../traffic/record.ts';
import { counts, type Level } from './basis.ts';
import { toExchange, withAttachments } from './entry.ts';
import { describeFault } from './fault.ts';
import { openRecording } from './file.ts';
import { readEntries } from './har.ts';
import { judge, type Verdict } from './judge.ts';
import type { Matcher } from './match.ts';
import type { RecordingFile } from './recordingFile.ts';
import { emptySummary, type Report, type Summary } from './report/report.ts';
import { countEntries } from './report/text.ts';
import { UnreadableRecording } from './unreadable.ts';

export interface CheckOptions {
  readonly contract: Contract;
  readonly match: Matcher;
  readonly report: Report;
  readonly requireBodies: boolean;
  /**
   * Which findings end the check with 1. Default: all findings for a sandbox's own recording, otherwise those that
   * break something given.
   */
  readonly failOn?: Level | undefined;
  /** Called from time to time with the counts so far. */
  readonly progress: (summary: Readonly<Summary>) => void;
}

/** Checks files one after the other. @returns the exit code, as README.md of this folder lists them */
export async function checkFiles(files: readonly string[], options: CheckOptions): Promise<number> {
  const summary = emptySummary();
  let isReadable = true;
  for (const file of files) {
    try {
      await checkFile(file, options, summary);
    } catch (error) {
      if (error instanceof UnreadableRecording) {
        options.report.unreadable({ file, message: error.message, remedy: error.remedy });
        isReadable = false;
      } else {
        options.report.unreadable({ file, ...describeFault('could not be judged to its end', error) });
        summary.unjudged += 1;
      }
    }
    summary.files += 1;
  }
  options.report.end(summary);
  if (summary.unjudged > 0) return 3;
  if (!isReadable) return 2;
  return summary.failing > 0 ? 1 : 0;
}

async function checkFile(file: string, options: CheckOptions, summary: Summary): Promise<void> {
  const { judged, unjudged } = summary;
  const recording = await openRecording(file);
  let index = 0;
  let lost: UnreadableRecording | undefined;
  let failOn = options.failOn ?? 'given';
  const noteCreator = (creator: string): void => {
    if (options.failOn === undefined && creator === sandboxCreator) failOn = 'assumed';
  };
  try {
    for await (const found of readEntries(recording.bytes, noteCreator)) {
      ({ index } = found);
      summary.entries += 1;
      const { verdict, problem } = await judgeEntry(found.entry, recording, options);
      lost ??= problem;
      if (verdict instanceof Error) {
        summary.unjudged += 1;
        const what = `has an entry ${index} that could not be judged`;
        options.report.unreadable({ file, entry: index, ...describeFault(what, verdict) });
      } else {
        const at = { file, ...found, line: recording.isText ? found.line : null };
        count(verdict, at, { ...options, failOn }, summary);
      }
      if (index % 256 === 255) options.progress(summary);
    }
  } finally {
    recording.close();
  }
  if (lost !== undefined) throw lost;
  if (summary.judged === judged && summary.unjudged === unjudged) {
    throw new UnreadableRecording(
      `has ${countEntries(index + 1)}, but none of the service`,
      `Name the service's base address with --base URL. Without it, only addresses with /${version} in the path count.`,
    );
  }
}

/** The result for one entry. A fault of ours, or a body that is missing, doesn't stop the other entries. */
interface Judged {
  readonly verdict: Verdict | Error;
  /** Why a body in a file of its own can't be read. */
  readonly problem?: UnreadableRecording;
}

async function judgeEntry(entry: Entry, recording: RecordingFile, { contract, match }: CheckOptions): Promise<Judged> {
  try {
    const { method, url } = entry.request;
    // The bodies of entries of other services, such as a page's pictures, aren't read.
    const isOurs = match(method.toUpperCase(), url).kind !== 'skipped';
    const whole = isOurs ? await withAttachments(entry, recording.attachment) : entry;
    return { verdict: judge(contract, toExchange(whole), match) };
  } catch (error) {
    if (!(error instanceof UnreadableRecording)) return { verdict: asError(error) };
    return { verdict: judge(contract, toExchange(entry), match), problem: error };
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

interface Place {
  readonly file: string;
  readonly index: number;
  readonly line: number | null;
  readonly entry: Entry;
}

function count(
  verdict: Verdict,
  { file, index, line, entry }: Place,
  options: CheckOptions & { readonly failOn: Level },
  summary: Summary,
): void {
  if (verdict.kind === 'skipped') {
    summary.skipped[verdict.reason] += 1;
    return;
  }
  const { operationId, path } = verdict;
  summary.judged += 1;
  summary.refusals += Number(verdict.isRefusal);
  summary.unrecordedBodies += verdict.unrecorded.length;
  const unrecorded = options.requireBodies ? verdict.unrecorded : [];
  for (const breach of [...verdict.breaches, ...unrecorded]) {
    const fails = counts(breach.basis, options.failOn);
    summary.findings += 1;
    summary.failing += Number(fails);
    const at = { file, entry: { index, line, startedDateTime: entry.startedDateTime ?? null } };
    const method = entry.request.method.toUpperCase();
    options.report.finding({ ...at, operationId, method, path, status: entry.response.status, ...breach, fails });
  }
}
