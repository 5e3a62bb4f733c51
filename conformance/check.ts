/** Recordings against the contract, file by file. */
import type { Contract } from '../contract/contract.ts';
import { version } from '../generated/operations.ts';
import { toExchange } from './entry.ts';
import { readHar, UnreadableRecording } from './har.ts';
import { judge } from './judge.ts';
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

/** Checks files one after the other. @returns the exit code: 0, 1 with findings, 2 when one could not be read */
export async function checkFiles(files: readonly string[], options: CheckOptions): Promise<number> {
  const summary = emptySummary();
  let isReadable = true;
  for (const file of files) {
    try {
      await checkFile(file, options, summary);
    } catch (error) {
      if (!(error instanceof UnreadableRecording)) throw error;
      options.report.unreadable({ file, message: error.message, remedy: error.remedy });
      isReadable = false;
    }
    summary.files += 1;
  }
  options.report.end(summary);
  if (!isReadable) return 2;
  return summary.findings > 0 ? 1 : 0;
}

async function checkFile(file: string, options: CheckOptions, summary: Summary): Promise<void> {
  const judgedBefore = summary.judged;
  let index = 0;
  for await (const entry of readHar(file)) {
    const exchange = toExchange(entry);
    const verdict = judge(options.contract, exchange, options.match);
    summary.entries += 1;
    if (verdict.kind === 'skipped') summary.skipped[verdict.reason] += 1;
    else {
      summary.judged += 1;
      summary.refusals += Number(verdict.isRefusal);
      summary.unrecordedBodies += verdict.unrecorded.length;
      const unrecorded = options.requireBodies ? verdict.unrecorded : [];
      for (const breach of [...verdict.breaches, ...unrecorded]) {
        summary.findings += 1;
        const { operationId, path } = verdict;
        const at = { file, entry: { index, startedDateTime: entry.startedDateTime ?? null } };
        options.report.finding({
          ...at,
          operationId,
          method: exchange.request.method,
          path,
          status: exchange.response.status,
          ...breach,
        });
      }
    }
    index += 1;
    if (index % 256 === 0) options.progress(summary);
  }
  if (summary.judged === judgedBefore) {
    throw new UnreadableRecording(
      `has ${index} entries and none of the service`,
      `Say where it stands with --base URL; without it, that is known by /${version} in the path.`,
    );
  }
}
