import { describeBasis } from '../basis.ts';
import { describePin, type Finding, type Report, shortValue, type Unreadable, type Write } from './report.ts';

/**
 * For the test page of a CI: writes JUnit's XML. A finding is a test case of its operation: failed if it counts
 * (`--fail-on`), otherwise skipped. A file that can't be read is an error. If all is well, there is one passed case,
 * because an empty report counts as no report.
 */
export function createJunitReport(write: Write): Report {
  return junitReport(write, 'countersign check', (summary, isEmpty) =>
    isEmpty ? [['contract', `${summary.judged} exchanges keep the contract`]] : [],
  );
}

/** A test case that passed: its class and its name. */
export type PassedCase = readonly [classname: string, name: string];

/**
 * The same report for a command with other counts.
 * @param name the name of the report.
 * @param passed returns the passed cases; its argument says whether there were no findings.
 */
export function junitReport<S>(
  write: Write,
  name: string,
  passed: (summary: S, isEmpty: boolean) => readonly PassedCase[],
): Report<S> {
  const errors: Unreadable[] = [];
  let count = 0;
  write(`<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="${name}">\n<testsuite name="contract">\n`);
  return {
    finding(finding) {
      count += 1;
      write(toCase(finding));
    },
    unreadable: (one) => void errors.push(one),
    end(summary) {
      for (const { file, title = 'can be judged', message, remedy } of errors) {
        const about = attribute(`${message}. ${remedy}`);
        write(
          `<testcase classname="${attribute(file)}" name="${attribute(title)}"><error message="${about}"/></testcase>\n`,
        );
      }
      for (const [group, what] of passed(summary, count + errors.length === 0)) {
        write(`<testcase classname="${attribute(group)}" name="${attribute(what)}"/>\n`);
      }
      write('</testsuite>\n</testsuites>\n');
    },
  };
}

function toCase(finding: Finding): string {
  const { file, entry, operationId, method, path, status, pointer, rule, message, value, basis, fails } = finding;
  const place = [finding.in, pointer].filter((part) => part !== '').join(' ');
  const at = entry.line === null ? file : `${file}:${entry.line}`;
  const name = `entry ${entry.index}: ${method} ${path} answered ${status}: ${place}`;
  const what = `${place} ${message}${value === undefined ? '' : `: ${shortValue(value)}`}`;
  const text = `${what} (${describeBasis(basis)})${describePin(finding)}`;
  const failure = fails
    ? `<failure type="${attribute(rule)}" message="${attribute(text)}">${attribute(`${at}\n${text}`)}</failure>`
    : `<skipped message="${attribute(text)}"/>`;
  return `<testcase classname="${attribute(operationId ?? 'no operation')}" name="${attribute(name)}" file="${attribute(file)}">${failure}</testcase>\n`;
}

/**
 * Escapes a text for an attribute or an element. A character that XML doesn't allow (XML 1.0, 2.2) becomes a question
 * mark.
 */
function attribute(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '?')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll('\n', '&#10;');
}
