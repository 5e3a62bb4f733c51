/** Runs `countersign replay`. */
import { readFileSync } from 'node:fs';
import { describeFault } from '../../conformance/fault.ts';
import { createMatcher } from '../../conformance/match.ts';
import { createExpected, type Pin, readPins, UnreadablePins } from '../../conformance/replay/expect.ts';
import { type OpenPlatform, replayFiles } from '../../conformance/replay/files.ts';
import { NoPlatform, openPlatform } from '../../conformance/replay/platform.ts';
import { Unreachable } from '../../conformance/replay/play.ts';
import { createQuestionsJson, createQuestionsText } from '../../conformance/replay/questions.ts';
import { type ReplaySummary, replayReports } from '../../conformance/replay/summary.ts';
import type { Report } from '../../conformance/report/report.ts';
import { loadContract } from '../../contract/file.ts';
import { basePath } from '../../contract/match.ts';
import { version } from '../../generated/operations.ts';
import { openInProcess } from '../../package/inProcess.ts';
import type { Output } from '../command/command.ts';
import { WrongUse } from '../command/exit.ts';
import { readCredentials } from '../credentials.ts';

/** The input of the command. cli/replay.ts describes its flags. */
export interface ReplayGiven {
  readonly flags: {
    readonly against: string | undefined;
    readonly base: readonly string[];
    readonly proofs: 'magic' | 'real';
    readonly world: string;
    readonly amounts: 'exact' | 'related' | undefined;
    readonly expect: string | undefined;
    readonly questions: boolean;
    readonly format: keyof typeof replayReports;
    readonly credentials: string;
    readonly 'control-token': string | undefined;
  };
  /** Recordings. */
  readonly words: readonly string[];
  readonly output: Output;
}

/** Replays the files. @returns the exit code */
export async function runReplay({ flags, words, output }: ReplayGiven): Promise<number> {
  const { against, base, amounts, expect } = flags;
  for (const text of base) checkAddress('--base', text);
  if (words.length === 0) throw new WrongUse('Name at least one HAR file. npx countersign replay --help has examples.');
  try {
    return await replayFiles(words, {
      contract: loadContract(),
      match: createMatcher(base),
      report: createReport(flags, output),
      open: opener(flags, against === undefined ? undefined : readAddress(against)),
      expected: createExpected(expect === undefined ? [] : readExpected(expect)),
      expectedFile: expect,
      exact: amounts === undefined ? undefined : amounts === 'exact',
    });
  } catch (error) {
    if (error instanceof WrongUse) throw error;
    if (error instanceof NoPlatform || error instanceof Unreachable) throw new WrongUse(error.message);
    const { message, remedy } = describeFault('The recordings could not be played', error);
    output.stderr(`${message}. ${remedy}\n`);
    return 3;
  }
}

/** Creates platforms: on the sandbox that `--against` names, or in a new sandbox of this process each time. */
function opener(flags: ReplayGiven['flags'], against: string | undefined) {
  const world = readWorld(flags.world);
  const credentials = readCredentials(flags.credentials);
  const wanted = { proofs: flags.proofs, world, credentials, controlToken: flags['control-token'] };
  return async (start: number): Promise<OpenPlatform> => {
    if (against !== undefined) {
      const platform = await openPlatform({ ...wanted, fetch: (request) => fetch(request), base: against, start });
      return { platform, close: async () => platform.steering?.close() };
    }
    const sandbox = await openInProcess({ frozenAt: new Date(start) });
    try {
      const platform = await openPlatform({ ...wanted, fetch: sandbox.fetch, base: sandbox.url, start });
      return { platform, close: sandbox.close };
    } catch (error) {
      await sandbox.close();
      throw error;
    }
  };
}

function checkAddress(flag: string, text: string): void {
  if (/^https?:\/\/./.test(text) && URL.canParse(text)) return;
  throw new WrongUse(`${flag} takes an address such as https://api.example.com/${version}, not "${text}".`);
}

/** The base address with its version. The user may leave the version out. */
function readAddress(text: string): string {
  checkAddress('--against', text);
  const { origin, pathname } = new URL(text);
  const path = pathname.replace(/\/+$/, '');
  return origin + (path.endsWith(basePath) ? path : path + basePath);
}

function readWorld(text: string): unknown {
  if (text === 'empty') return undefined;
  if (text === 'ready-made' || text === 'examples') return text;
  const content = readText('--world', text, 'takes ready-made, empty, examples or a file');
  try {
    return JSON.parse(content);
  } catch {
    throw new WrongUse(
      `--world: ${text} isn't JSON. Give a world, or a snapshot as GET /__sandbox/snapshot returns it.`,
    );
  }
}

function readExpected(file: string): Pin[] {
  try {
    return readPins(readText('--expect', file, 'takes a YAML file'));
  } catch (error) {
    if (error instanceof UnreadablePins) throw new WrongUse(`--expect: ${file} ${error.message}.`);
    throw error;
  }
}

function readText(flag: string, file: string, takes: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? "doesn't exist" : `can't be read (${code})`;
    throw new WrongUse(`${flag} ${takes}, and ${file} ${why}.`);
  }
}

/** The report goes to stdout. If the report is for a program, a person reads the summary on stderr. */
function createReport({ questions, format }: ReplayGiven['flags'], { stdout, stderr }: Output): Report<ReplaySummary> {
  if (questions && format !== 'text' && format !== 'json')
    throw new WrongUse('--questions takes --format text or json.');
  const asQuestions = format === 'json' ? createQuestionsJson : createQuestionsText;
  const report = (questions ? asQuestions : replayReports[format])(stdout);
  // The runner reads annotations from both streams and would show them twice.
  if (format === 'text' || format === 'github') return report;
  const aside = replayReports.text(stderr);
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
