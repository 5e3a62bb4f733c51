/** Runs `countersign check`. */

import type { Level } from '../../conformance/basis.ts';
import { selectSubjects, writeBasisJson, writeBasisText } from '../../conformance/basisList.ts';
import { checkFiles } from '../../conformance/check.ts';
import { describeFault } from '../../conformance/fault.ts';
import { createMatcher } from '../../conformance/match.ts';
import { createGithubReport } from '../../conformance/report/github.ts';
import { createJsonReport } from '../../conformance/report/json.ts';
import { createJunitReport } from '../../conformance/report/junit.ts';
import type { Report, Summary, Write } from '../../conformance/report/report.ts';
import { createSarifReport } from '../../conformance/report/sarif.ts';
import { createTextReport } from '../../conformance/report/text.ts';
import { loadContract, readBundle } from '../../contract/file.ts';
import { version } from '../../generated/operations.ts';
import type { Output } from '../command/command.ts';
import { WrongUse } from '../command/exit.ts';

/** The input of the command. cli/check.ts describes its flags. */
export interface CheckGiven {
  readonly flags: {
    readonly base: readonly string[];
    readonly format: keyof typeof formats;
    readonly 'fail-on': Level | undefined;
    readonly basis: boolean;
    readonly 'require-bodies': boolean;
  };
  /** Recordings, or with `basis` names of operations. */
  readonly words: readonly string[];
  readonly output: Output;
}

const formats = {
  text: createTextReport,
  json: createJsonReport,
  sarif: createSarifReport,
  junit: createJunitReport,
  github: createGithubReport,
};

/** Judges the files, or lists what is given and what is assumed. @returns the exit code */
export async function runCheck({ flags, words, output }: CheckGiven): Promise<number> {
  const { base, format } = flags;
  const noAddress = base.find((text) => !/^https?:\/\/./.test(text) || !URL.canParse(text));
  if (noAddress !== undefined) {
    throw new WrongUse(`--base takes an address such as https://api.example.com/${version}, not "${noAddress}".`);
  }
  if (flags.basis) return listBasis(format, words, output);
  if (words.length === 0) throw new WrongUse('Name at least one HAR file. npx countersign check --help has examples.');
  const progress = createProgress(output.stderr, process.stderr.isTTY === true);
  try {
    return await checkFiles(words, {
      contract: loadContract(),
      progress: progress.show,
      report: createReport(format, output),
      match: createMatcher(base),
      requireBodies: flags['require-bodies'],
      failOn: flags['fail-on'],
    });
  } catch (error) {
    const { message, remedy } = describeFault('The recordings could not be judged', error);
    output.stderr(`${message}. ${remedy}\n`);
    return 3;
  } finally {
    progress.clear();
  }
}

function listBasis(format: keyof typeof formats, wanted: readonly string[], output: Output): number {
  if (format !== 'text' && format !== 'json') throw new WrongUse('--basis takes --format text or json.');
  const write = format === 'text' ? writeBasisText : writeBasisJson;
  try {
    write(selectSubjects(readBundle(), wanted), output.stdout);
  } catch (error) {
    if (error instanceof RangeError) throw new WrongUse(`The contract has no operation ${error.message}.`);
    throw error;
  }
  return 0;
}

/** The report goes to stdout. If the report is for a program, a person reads the summary on stderr. */
function createReport(format: keyof typeof formats, { stdout, stderr }: Output): Report {
  const report = formats[format](stdout);
  // The runner reads annotations from both streams and would show them twice.
  if (format === 'text' || format === 'github') return report;
  const aside = createTextReport(stderr);
  return {
    finding: (finding) => report.finding(finding),
    unreadable(unreadable) {
      report.unreadable(unreadable);
      aside.unreadable(unreadable);
    },
    end(summary) {
      report.end(summary);
      aside.end(summary);
    },
  };
}

const everyMs = { terminal: 100, log: 5000 } as const;

/** Shows progress: on a terminal one line that is rewritten, elsewhere one line every five seconds. */
function createProgress(write: Write, isTerminal: boolean) {
  let shownAt = performance.now();
  let isShown = false;
  return {
    show({ entries, findings }: Readonly<Summary>): void {
      const now = performance.now();
      if (now - shownAt < (isTerminal ? everyMs.terminal : everyMs.log)) return;
      shownAt = now;
      isShown = true;
      const line = `${entries} entries, ${findings} findings so far`;
      write(isTerminal ? `\r${line}` : `${line}\n`);
    },
    clear(): void {
      if (isShown && isTerminal) write('\r\u001b[K');
    },
  };
}
