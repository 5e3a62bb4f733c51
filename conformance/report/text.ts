import { describeBasis } from '../basis.ts';
import { describePin, type Finding, type Report, type Summary, shortValue, type Write } from './report.ts';

/** For people: writes findings under their entry, then what was judged and what wasn't. */
export function createTextReport(write: Write): Report {
  return textReport(write, summarise);
}

/** The same report for a command with other counts. @param sum the last lines */
export function textReport<S>(write: Write, sum: (summary: S) => string): Report<S> {
  let heading = '';
  return {
    finding(finding) {
      const next = headingOf(finding);
      if (next !== heading) write(`${next}\n`);
      heading = next;
      const value = finding.value === undefined ? '' : `: ${shortValue(finding.value)}`;
      const place = [finding.in, finding.pointer].filter((part) => part !== '').join(' ');
      write(
        `  ${place} ${finding.message}${value}  (${finding.rule}; ${describeBasis(finding.basis)})${describePin(finding)}\n`,
      );
    },
    unreadable({ file, message, remedy }) {
      write(`${file} ${message}. ${remedy}\n`);
    },
    end(summary) {
      write(`${sum(summary)}\n`);
    },
  };
}

function headingOf({ file, entry, operationId, method, path, status }: Finding): string {
  const when = entry.startedDateTime === null ? '' : ` (${entry.startedDateTime})`;
  return `${file}: entry ${entry.index}${when}: ${operationId ?? 'no operation'}, ${method} ${path}, answered ${status}`;
}

/**
 * Writes one line: `12 entries, 10 judged: 2 findings, and 1 assumed. Passed over: 2 of other addresses.` If nothing was judged,
 * the line has no count of findings, because it would read as a success.
 */
export function summarise({
  entries,
  judged,
  findings,
  failing,
  refusals,
  unrecordedBodies,
  unjudged,
  skipped,
}: Summary): string {
  const counted = (count: number, what: string): string[] => (count === 0 ? [] : [`${count} ${what}`]);
  const passedOver = [
    ...counted(skipped.elsewhere, 'of other addresses'),
    ...counted(skipped.control, 'of the control surface'),
    ...counted(skipped.preflight, 'OPTIONS'),
    ...counted(skipped['no-reply'], 'without a reply'),
  ];
  const apart = findings === failing ? '' : `, and ${findings - failing} assumed`;
  const notes = [
    ...counted(refusals, "invalid and refused as documented, which isn't a finding"),
    ...counted(unrecordedBodies, unrecordedBodies === 1 ? 'body was not recorded' : 'bodies were not recorded'),
  ];
  const sentences = [
    judged === 0
      ? noVerdict(entries, 'judged')
      : `${countEntries(entries)}, ${judged} judged: ${failing} ${failing === 1 ? 'finding' : 'findings'}${apart}`,
    ...(unjudged === 0 ? [] : [`Not judged because of a fault of Countersign: ${unjudged}`]),
    ...(passedOver.length === 0 ? [] : [`Passed over: ${passedOver.join(', ')}`]),
    ...(notes.length === 0 ? [] : [`Of those judged: ${notes.join(', ')}`]),
  ];
  return `${sentences.join('. ')}.`;
}

/** @param done what was to be done with the entries: `judged` */
export function noVerdict(entries: number, done: string): string {
  return entries === 0 ? `Nothing was ${done}` : `${countEntries(entries)}, none ${done}`;
}

export function countEntries(count: number): string {
  return `${count} ${count === 1 ? 'entry' : 'entries'}`;
}
