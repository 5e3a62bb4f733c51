/** `countersign proxy --upstream URL`: live traffic against the contract. */
import { parseArgs } from 'node:util';
import { counts, describeBasis, type Level, readLevel } from '../conformance/basis.ts';
import { describeFault } from '../conformance/fault.ts';
import { judge } from '../conformance/judge.ts';
import { createMatcher, type Matcher } from '../conformance/match.ts';
import { createProxy } from '../conformance/proxy/forward.ts';
import { type HarFile, openHarFile } from '../conformance/proxy/harFile.ts';
import { emptySummary, type Report, type Summary, shortValue } from '../conformance/report/report.ts';
import { createTextReport } from '../conformance/report/text.ts';
import type { FoundedBreach } from '../conformance/rules/rule.ts';
import type { Contract } from '../contract/contract.ts';
import { loadContract } from '../contract/file.ts';
import { maskUrl } from '../contract/mask.ts';
import { version } from '../generated/operations.ts';
import { admissionFlags, admissionUsage, readAdmission } from '../mocks/admission.ts';
import { detachUsage, type Lifecycle, startDetached } from '../mocks/detach.ts';
import { createLineWriter } from '../mocks/lines.ts';
import { bind, isLoopback } from '../mocks/sandbox/node/listening/bind.ts';
import { createGuard, type Guard } from '../mocks/sandbox/node/listening/guard.ts';
import { createAdmitsPage } from '../mocks/sandbox/transport/pages.ts';
import { type Capture, recordedBodyLimit } from '../traffic/capture.ts';
import type { HeaderList } from '../traffic/exchange.ts';
import { exchangeOf, toEntry } from '../traffic/record.ts';

const usage = `Usage: countersign proxy --upstream URL [options]

Stands before a service, passes everything on as it is, and judges each request and reply by the contract. Whatever
has ${version} in its path belongs to the service. A reply says in Countersign-Findings how many findings there are, and
in Countersign-Finding the first of them; what only decisions say is counted apart, in Countersign-Assumed; one of more than ${recordedBodyLimit} bytes passes unjudged.

  --upstream URL    the service: http://localhost:4010, or with a path that goes before every request's own
  --base URL        judge by this base address instead of ${version} in the path (repeatable)
  --port N          port to listen on, 0 for any free one (default 4020)
  --host NAME       address to listen on (default localhost: this machine only)
${admissionUsage}
  --fail-on LEVEL   given (default): only what breaks the interface itself is a finding that counts; assumed: what
                    breaks a decision too
  --har FILE        write the recording there, secrets masked; it can be read at any time
  ${detachUsage.replace(/ {2,}/, '          ')}
  --help            this text

Ctrl-C or SIGTERM ends it: with 0 when all was well, 1 with findings, 3 when Countersign itself failed with an exchange,
which it then printed. It ends with 2 when it could not start.
`;

interface Settings {
  readonly upstream: URL;
  readonly match: Matcher;
  readonly port: number;
  readonly host: string;
  readonly guard: Guard;
  readonly har: string | undefined;
  readonly failOn: Level;
  readonly detach: boolean;
}

/** Runs the command. @param args what follows `proxy` @returns the exit code, once it was stopped */
export async function main(lifecycle: Lifecycle, args: readonly string[]): Promise<number> {
  const settings = readSettings(args);
  if (typeof settings === 'number') return settings;
  if (settings.detach) return startDetached('proxy', lifecycle);
  const { upstream, match, port, host, guard, har, failOn } = settings;
  const { print, drain } = createLineWriter();
  try {
    const file = har === undefined ? undefined : openHarFile(har);
    const report = createTextReport((text) => print(() => text.trimEnd()));
    const watch = watchTraffic({ contract: loadContract(), match, report, file, failOn });
    const server = await bind(() => createProxy({ upstream, guard, ...watch }), host, port);
    const ready = `Countersign proxy is ready at ${server.address}, before ${maskUrl(upstream.href)}`;
    const stopped = new Promise<void>((resolve) => lifecycle.takeOver(() => resolve()));
    print(() => ready);
    await drain();
    lifecycle.tellReady(ready);
    await stopped;
    await server.stop();
    file?.close();
    report.end(watch.summary);
    await drain();
    process.exit(exitCode(watch.summary));
  } catch (error) {
    console.error(`The proxy could not start: ${(error as Error).message}`);
    return 2;
  }
}

function readSettings(args: readonly string[]): Settings | number {
  const refuse = (reason: string): number => {
    console.error(`${reason}\n\n${usage}`);
    return 2;
  };
  const isAddress = (text: string): boolean => /^https?:\/\/./.test(text) && URL.canParse(text);
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        upstream: { type: 'string' },
        base: { type: 'string', multiple: true, default: [] },
        port: { type: 'string', default: '4020' },
        host: { type: 'string', default: 'localhost' },
        ...admissionFlags({}),
        har: { type: 'string' },
        'fail-on': { type: 'string', default: 'given' },
        detach: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
    const { upstream, base, port, host, har, detach } = values;
    if (values.help) {
      console.log(usage);
      return 0;
    }
    if (upstream === undefined) return refuse('Name the service with --upstream.');
    const noAddress = [upstream, ...base].find((text) => !isAddress(text));
    if (noAddress !== undefined) return refuse(`"${maskUrl(noAddress)}" is no address such as http://localhost:4010.`);
    if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) return refuse(`--port takes 0 to 65535, not "${port}".`);
    const failOn = readLevel(values['fail-on']);
    if (failOn === undefined) return refuse(`--fail-on takes given or assumed, not "${values['fail-on']}".`);
    const { allowHosts, allowOrigins } = readAdmission(values['allow-host'], values['allow-origin']);
    const guard = createGuard({
      isLoopback: isLoopback(host),
      allowHosts,
      admitsPage: createAdmitsPage(allowOrigins),
    });
    const match = createMatcher(base);
    return { upstream: new URL(upstream), match, port: Number(port), host, guard, har, failOn, detach };
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error));
  }
}

export interface WatchParts {
  readonly contract: Contract;
  readonly match: Matcher;
  readonly report: Report;
  readonly file?: HarFile | undefined;
  /** The findings that count; `given` when it is left out. */
  readonly failOn?: Level;
}

/** Judges and records what passes, and counts it. */
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
    /** The headers to add to the reply. None if the exchange isn't one of the contract. Never throws. */
    observe(capture: Capture): HeaderList {
      const index = summary.entries;
      summary.entries += 1;
      const verdict = tryTo(() => judge(contract, exchangeOf(capture), match));
      // What steers a sandbox tells secrets by names that the contract does not have, such as the codes of its outbox.
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

function exitCode({ failing, unjudged }: Summary): number {
  if (unjudged > 0) return 3;
  return failing > 0 ? 1 : 0;
}

function tryTo<T>(work: () => T): T | Error {
  try {
    return work();
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** A finding as the value of a header: one short line of ASCII. */
function sentence({ in: place, pointer, message, value, rule, basis }: FoundedBreach): string {
  const text = `${place}${pointer === '' ? '' : ` ${pointer}`} ${message} (${rule}; ${describeBasis(basis)})`;
  const whole = value === undefined ? text : `${text}: ${shortValue(value)}`;
  return whole.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, 250);
}
