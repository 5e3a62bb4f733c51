/** Recordings against the contract, file by file. */
import type { Entry } from 'har-format';
import type { Contract } from '../contract/contract.ts';
import { version } from '../generated/operations.ts';
import { toExchange } from './entry.ts';
import { describeFault } from './fault.ts';
import { readHar, UnreadableRecording } from './har.ts';
import { judge, type Verdict } from './judge.ts';
import type { Matcher } from './match.ts';
import { emptySummary, type Report, type Summary } from './report/report.ts';

export interface CheckOptions {
  readonly contract: Contract;
  readonly match: Matcher;
  readonly report: Report;
  readonly requireBodies: boolean;
  /** Told now and then how far it is. */
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
  return summary.findings > 0 ? 1 : 0;
}

async function checkFile(file: string, options: CheckOptions, summary: Summary): Promise<void> {
  const { judged: judgedBefore, unjudged: unjudgedBefore } = summary;
  let index = 0;
  for await (const entry of readHar(file)) {
    summary.entries += 1;
    const verdict = judgeEntry(entry, options);
    if (verdict instanceof Error) {
      summary.unjudged += 1;
      options.report.unreadable({
        file,
        entry: index,
        ...describeFault(`has an entry ${index} that could not be judged`, verdict),
      });
    } else count(verdict, { file, index, entry }, options, summary);
    index += 1;
    if (index % 256 === 0) options.progress(summary);
  }
  if (summary.judged === judgedBefore && summary.unjudged === unjudgedBefore) {
    throw new UnreadableRecording(
      `has ${index} entries and none of the service`,
      `Say where it stands with --base URL; without it, that is known by /${version} in the path.`,
    );
  }
}

/** The verdict on an entry; or the fault of ours that it met, so that the other entries are judged all the same. */
function judgeEntry(entry: Entry, { contract, match }: CheckOptions): Verdict | Error {
  try {
    return judge(contract, toExchange(entry), match);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

interface Place {
  readonly file: string;
  readonly index: number;
  readonly entry: Entry;
}

function count(verdict: Verdict, { file, index, entry }: Place, options: CheckOptions, summary: Summary): void {
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
    summary.findings += 1;
    const at = { file, entry: { index, startedDateTime: entry.startedDateTime ?? null } };
    const method = entry.request.method.toUpperCase();
    options.report.finding({ ...at, operationId, method, path, status: entry.response.status, ...breach });
  }
}
