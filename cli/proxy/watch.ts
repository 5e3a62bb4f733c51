/** Judges, records and counts the traffic that passes the proxy. */
import { counts, describeBasis, type Level } from '../../conformance/basis.ts';
import { describeFault } from '../../conformance/fault.ts';
import { judge } from '../../conformance/judge.ts';
import type { Matcher } from '../../conformance/match.ts';
import { emptySummary, type Report, shortValue } from '../../conformance/report/report.ts';
import type { FoundedBreach } from '../../conformance/rules/rule.ts';
import type { Contract } from '../../contract/contract.ts';
import type { Capture } from '../../traffic/capture.ts';
import type { HeaderList } from '../../traffic/exchange.ts';
import { exchangeOf, toEntry } from '../../traffic/record.ts';
import type { HarFile } from './harFile.ts';

export interface WatchParts {
  readonly contract: Contract;
  readonly match: Matcher;
  readonly report: Report;
  readonly file?: HarFile | undefined;
  /** Which findings count; `given` if absent. */
  readonly failOn?: Level;
}

/** Judges, records and counts each exchange. */
export function watchTraffic({ contract, match, report, file, failOn = 'given' }: WatchParts) {
  const summary = emptySummary();
  const unobserved: HeaderList = [['Countersign-Findings', 'unjudged']];
  const fail = (entry: number, what: string, error: unknown): void => {
    summary.unjudged += 1;
    report.unreadable({ file: 'live', entry, ...describeFault(`entry ${entry} could not be ${what}`, error) });
  };
  const record = (capture: Capture, index: number): void => {
    try {
      file?.add(toEntry(capture));
    } catch (error) {
      fail(index, 'recorded', error);
    }
  };
  return {
    summary,
    unobserved,
    /** Returns the headers to add to the reply; none if the exchange isn't part of the contract. Never throws. */
    observe(capture: Capture): HeaderList {
      const index = summary.entries;
      summary.entries += 1;
      const verdict = tryTo(() => judge(contract, exchangeOf(capture), match));
      // The control requests of a sandbox aren't recorded: their secrets have names that the contract doesn't know,
      // such as the codes of the outbox.
      if (verdict instanceof Error || verdict.kind === 'judged' || verdict.reason !== 'control') record(capture, index);
      if (verdict instanceof Error) {
        fail(index, 'judged', verdict);
        return unobserved;
      }
      if (verdict.kind === 'skipped') {
        summary.skipped[verdict.reason] += 1;
        return [];
      }
      const at = {
        file: 'live',
        entry: { index, line: null, startedDateTime: new Date(capture.startedAt).toISOString() },
      };
      const { operationId, path, breaches } = verdict;
      summary.judged += 1;
      const failing = breaches.filter(({ basis }) => counts(basis, failOn));
      summary.findings += breaches.length;
      summary.failing += failing.length;
      summary.refusals += Number(verdict.isRefusal);
      summary.unrecordedBodies += verdict.unrecorded.length;
      for (const breach of breaches) {
        const fails = counts(breach.basis, failOn);
        report.finding({ ...at, operationId, method: capture.method, path, status: capture.status, ...breach, fails });
      }
      const apart = breaches.length - failing.length;
      const first = failing[0] ?? breaches[0];
      return [
        ['Countersign-Findings', String(failing.length)],
        ...(apart === 0 ? [] : [['Countersign-Assumed', String(apart)] as const]),
        ...(first === undefined ? [] : [['Countersign-Finding', sentence(first)] as const]),
      ];
    },
  };
}

function tryTo<T>(work: () => T): T | Error {
  try {
    return work();
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** Writes a finding as a header's value: one short line of ASCII. */
function sentence({ in: place, pointer, message, value, rule, basis }: FoundedBreach): string {
  const text = `${place}${pointer === '' ? '' : ` ${pointer}`} ${message} (${rule}; ${describeBasis(basis)})`;
  const whole = value === undefined ? text : `${text}: ${shortValue(value)}`;
  return whole.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, 250);
}
