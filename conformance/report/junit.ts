import { describeBasis } from '../basis.ts';
import { type Finding, type Report, type Summary, shortValue, type Unreadable, type Write } from './report.ts';

/**
 * For the test page of a CI: JUnit's XML. A finding is a test case of its operation: failed if it counts (`--fail-on`),
 * skipped if not. A file that could not be read is an error, and if all is well there is one case that passed, because an
 * empty report counts as none.
 */
export function createJunitReport(write: Write): Report {
  const errors: Unreadable[] = [];
  let count = 0;
  write('<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="countersign check">\n<testsuite name="contract">\n');
  return {
    finding(finding) {
      count += 1;
      write(toCase(finding));
    },
    unreadable: (one) => void errors.push(one),
    end(summary) {
      for (const { file, message, remedy } of errors) {
        const about = attribute(`${message}. ${remedy}`);
        write(`<testcase classname="${attribute(file)}" name="can be judged"><error message="${about}"/></testcase>\n`);
      }
      if (count + errors.length === 0) write(`<testcase classname="contract" name="${attribute(passed(summary))}"/>\n`);
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
  const text = `${what} (${describeBasis(basis)})`;
  const failure = fails
    ? `<failure type="${attribute(rule)}" message="${attribute(text)}">${attribute(`${at}\n${text}`)}</failure>`
    : `<skipped message="${attribute(text)}"/>`;
  return `<testcase classname="${attribute(operationId ?? 'no operation')}" name="${attribute(name)}" file="${attribute(file)}">${failure}</testcase>\n`;
}

function passed({ judged }: Summary): string {
  return `${judged} exchanges keep the contract`;
}

/** Text for an attribute or an element; what XML can't say at all (XML 1.0, 2.2) is a question mark. */
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
