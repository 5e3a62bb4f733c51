/**
 * For pull requests: writes each finding as an annotation of GitHub Actions, at the line of its entry in the recording.
 * GitHub's runner reads annotations from the output of any step.
 */
import { describeBasis } from '../basis.ts';
import { annotation } from './annotation.ts';
import { describePin, type Finding, type Report, shortValue, type Unreadable, type Write } from './report.ts';
import { summarise } from './text.ts';

export function createGithubReport(write: Write): Report {
  return githubReport(write, summarise);
}

/** The same report for a command with other counts. @param sum the last lines */
export function githubReport<S>(write: Write, sum: (summary: S) => string): Report<S> {
  return {
    finding: (finding) => write(`${toAnnotation(finding)}\n`),
    unreadable: (unreadable) => write(`${toError(unreadable)}\n`),
    end: (summary) => write(`${sum(summary)}\n`),
  };
}

function toAnnotation(finding: Finding): string {
  const { file, entry, operationId, method, path, status, pointer, rule, message, value, basis, fails } = finding;
  const place = [finding.in, pointer].filter((part) => part !== '').join(' ');
  const what = `${place} ${message}${value === undefined ? '' : `: ${shortValue(value)}`}`;
  const about = `entry ${entry.index}, ${method} ${path} answered ${status}; ${describeBasis(basis)}`;
  const level = fails ? 'error' : 'notice';
  return annotation(
    { level, file, line: entry.line, title: `${operationId ?? 'no operation'}: ${rule}` },
    `${what} (${about})${describePin(finding)}`,
  );
}

function toError({ file, title = 'Not judged', message, remedy }: Unreadable): string {
  return annotation({ file, line: null, title }, `${file} ${message}. ${remedy}`);
}
