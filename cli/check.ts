/** `countersign check FILE…`: recordings against the contract. */
import { parseArgs } from 'node:util';
import { type Level, readLevel } from '../conformance/basis.ts';
import { selectSubjects, writeBasisJson, writeBasisText } from '../conformance/basisList.ts';
import { checkFiles } from '../conformance/check.ts';
import { describeFault } from '../conformance/fault.ts';
import { createMatcher } from '../conformance/match.ts';
import { createGithubReport } from '../conformance/report/github.ts';
import { createJsonReport } from '../conformance/report/json.ts';
import { createJunitReport } from '../conformance/report/junit.ts';
import type { Report, Summary, Write } from '../conformance/report/report.ts';
import { createSarifReport } from '../conformance/report/sarif.ts';
import { createTextReport } from '../conformance/report/text.ts';
import { loadContract, readBundle } from '../contract/file.ts';
import { version } from '../generated/operations.ts';

const usage = `Usage: countersign check [options] FILE…
       countersign check --basis [--format text|json] [OPERATION…]

Judges every request and reply of HAR 1.2 files (also .har.gz, and Playwright's .zip) by the contract. Whatever has ${version} in its path
belongs to the service; everything else is passed over and counted.

  --base URL        where the service stands (repeatable); then everything on that host belongs to it, and nothing else
  --format KIND     text (default), json, sarif, junit or github (annotations at the entry's line), to stdout
  --fail-on LEVEL   given: only what breaks the interface itself ends with 1; assumed: what breaks a decision too.
                    Default: assumed for a recording of a Countersign sandbox, else given
  --basis           judges nothing: lists what of the contract is given and what is assumed, and by which decisions
  --require-bodies  a body that the recording does not have is a finding
  --help            this text

Each finding says whether it is given or assumed. Ends with 0 when all is well, 1 with findings of the --fail-on level,
2 when a file could not be read or has nothing of the service, 3 when Countersign itself failed: then it prints what to
report, and the rest was judged.
`;

const formats = {
  text: createTextReport,
  json: createJsonReport,
  sarif: createSarifReport,
  junit: createJunitReport,
  github: createGithubReport,
};

/** Where the command writes to. */
export interface Output {
  readonly stdout: Write;
  readonly stderr: Write;
}

const ownOutput: Output = {
  stdout: (text) => process.stdout.write(text),
  stderr: (text) => process.stderr.write(text),
};

/** Runs the command in its own process. @param args what follows `check` @returns the exit code */
export function main(args: readonly string[]): Promise<number> {
  // A reader such as `head` may close the pipe early.
  process.stdout.on('error', () => process.exit(2));
  return runCheck(args, ownOutput);
}

/** Runs the command. @param args what follows `check` @param output where to @returns the exit code */
export async function runCheck(args: readonly string[], output: Output): Promise<number> {
  const settings = readSettings(args, output);
  if (typeof settings === 'number') return settings;
  if ('subjects' in settings) {
    const { subjects, write } = settings;
    write(subjects, output.stdout);
    return 0;
  }
  const { files, ...options } = settings;
  const progress = createProgress(output.stderr, process.stderr.isTTY === true);
  try {
    return await checkFiles(files, { contract: loadContract(), progress: progress.show, ...options });
  } catch (error) {
    const { message, remedy } = describeFault('The recordings could not be judged', error);
    output.stderr(`${message}. ${remedy}\n`);
    return 3;
  } finally {
    progress.clear();
  }
}

function readSettings(args: readonly string[], output: Output) {
  const refuse = (reason: string): number => {
    output.stderr(`${reason}\n\n${usage}\n`);
    return 2;
  };
  try {
    const { values, positionals: files } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        base: { type: 'string', multiple: true, default: [] },
        format: { type: 'string', default: 'text' },
        'fail-on': { type: 'string' },
        basis: { type: 'boolean', default: false },
        'require-bodies': { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
    if (values.help) {
      output.stdout(`${usage}\n`);
      return 0;
    }
    const noAddress = values.base.find((base) => !/^https?:\/\/./.test(base) || !URL.canParse(base));
    if (noAddress !== undefined)
      return refuse(`--base takes an address such as https://api.example.com/${version}, not "${noAddress}".`);
    if (!Object.hasOwn(formats, values.format))
      return refuse(`--format takes ${Object.keys(formats).join(', ')}, not "${values.format}".`);
    const failOn = readFailOn(values['fail-on']);
    if (failOn === null) return refuse(`--fail-on takes given or assumed, not "${values['fail-on']}".`);
    if (values.basis) return readBasisSettings(values.format, files) ?? refuse('--basis takes --format text or json.');
    if (files.length === 0) return refuse('Name at least one HAR file.');
    return {
      files,
      report: createReport(values.format as keyof typeof formats, output),
      match: createMatcher(values.base),
      requireBodies: values['require-bodies'],
      failOn,
    };
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error));
  }
}

/** Undefined where it is left out, null for another word. */
function readFailOn(given: string | undefined): Level | undefined | null {
  return given === undefined ? undefined : (readLevel(given) ?? null);
}

/** @throws Error with the reason if a name isn't an operation's. */
function readBasisSettings(format: string, wanted: readonly string[]) {
  const write = { text: writeBasisText, json: writeBasisJson }[format];
  if (write === undefined) return undefined;
  try {
    return { subjects: selectSubjects(readBundle(), wanted), write };
  } catch (error) {
    throw error instanceof RangeError ? new Error(`The contract has no operation ${error.message}.`) : error;
  }
}

/** The report goes to stdout. Of one for a program, what a person has to know goes to stderr too. */
function createReport(format: keyof typeof formats, { stdout, stderr }: Output): Report {
  const report = formats[format](stdout);
  // The runner reads annotations from either stream, and would show them twice.
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

/** One line that is written over on a terminal; elsewhere a line every five seconds. */
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
