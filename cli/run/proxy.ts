/** Runs `countersign proxy`. */
import type { Level } from '../../conformance/basis.ts';
import { createMatcher, type Matcher } from '../../conformance/match.ts';
import type { Summary } from '../../conformance/report/report.ts';
import { createTextReport } from '../../conformance/report/text.ts';
import { loadContract } from '../../contract/file.ts';
import { maskUrl } from '../../contract/mask.ts';
import { startDetached } from '../../mocks/detach.ts';
import { type AdmissionFlags, admission } from '../../mocks/launch.ts';
import { createLineWriter } from '../../mocks/lines.ts';
import { bind, isLoopback } from '../../mocks/sandbox/node/listening/bind.ts';
import { createGuard, type Guard } from '../../mocks/sandbox/node/listening/guard.ts';
import { createAdmitsPage } from '../../mocks/sandbox/transport/pages.ts';
import { type Context, withLifecycle } from '../command/command.ts';
import { WrongUse } from '../command/exit.ts';
import { createProxy } from '../proxy/forward.ts';
import { openHarFile } from '../proxy/harFile.ts';
import { watchTraffic } from '../proxy/watch.ts';

/** The flags of the proxy, as cli/proxy.ts describes them. */
export interface ProxyFlags extends AdmissionFlags {
  readonly upstream: string | undefined;
  readonly base: readonly string[];
  readonly port: number;
  readonly host: string;
  readonly 'fail-on': Level;
  readonly har: string | undefined;
  readonly detach: boolean;
}

/** Runs the proxy in front of the service until it is stopped. @returns the exit code */
export async function runProxy(flags: ProxyFlags, context: Context): Promise<number> {
  const { output, lifecycle } = withLifecycle(context);
  const { port, host, har } = flags;
  const { upstream, match, guard } = readSettings(flags);
  if (flags.detach) return startDetached('proxy', lifecycle);
  const { print, drain } = createLineWriter();
  try {
    const tellFull = (entries: number, limit: number): void =>
      print(
        () =>
          `${har} is full: it has ${entries} exchanges, and at most ${limit / 1024 ** 2} MiB. Later exchanges are checked, but not ` +
          'recorded. To record them, start the proxy again with another --har file.',
      );
    const file = har === undefined ? undefined : openHarFile(har, { onFull: tellFull });
    const report = createTextReport((text) => print(() => text.trimEnd()));
    const watch = watchTraffic({ contract: loadContract(), match, report, file, failOn: flags['fail-on'] });
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
    output.stderr(`The proxy could not start: ${(error as Error).message}\n`);
    return 2;
  }
}

interface Settings {
  readonly upstream: URL;
  readonly match: Matcher;
  readonly guard: Guard;
}

function readSettings(flags: ProxyFlags): Settings {
  const { upstream, base, host } = flags;
  if (upstream === undefined) throw new WrongUse('Name the service with --upstream, such as http://localhost:4010.');
  const isAddress = (text: string): boolean => /^https?:\/\/./.test(text) && URL.canParse(text);
  const noAddress = [upstream, ...base].find((text) => !isAddress(text));
  if (noAddress !== undefined) {
    throw new WrongUse(`"${maskUrl(noAddress)}" isn't an address such as http://localhost:4010.`);
  }
  const { allowHosts, allowOrigins } = admission(flags);
  const guard = createGuard({ isLoopback: isLoopback(host), allowHosts, admitsPage: createAdmitsPage(allowOrigins) });
  return { upstream: new URL(upstream), match: createMatcher(base), guard };
}

function exitCode({ failing, unjudged }: Summary): number {
  if (unjudged > 0) return 3;
  return failing > 0 ? 1 : 0;
}
