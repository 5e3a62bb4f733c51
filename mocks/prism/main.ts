import { admissionUsage } from '../admission.ts';
import { detachUsage, type Lifecycle, startDetached } from '../detach.ts';
import { addressFlags, admission, giveUp, launch, logFormat, maxPort, readFlags, wholeNumber } from '../launch.ts';
import { createTerminalLog } from '../log.ts';
import { createMock, UnservableBundle } from './app.ts';

const usage = `Usage: npm run mock -- [options]

  --port N        port to listen on, 0 for any free one (default 4010; PORT)
  --host NAME     address to listen on (default localhost: this machine only; HOST)
${admissionUsage}
  --log FORMAT    a line per request: pretty (default), json for a collector, or off (LOG)
  ${detachUsage}
  --help          this text
`;

/** Starts the mock. @param args its flags @returns the exit code of a start in the background, else nothing */
export async function main(lifecycle: Lifecycle, args: readonly string[]): Promise<number | undefined> {
  const flags = readFlags(addressFlags(process.env), usage, args);
  const port = wholeNumber('--port', flags.port, maxPort);
  const { allowHosts, allowOrigins } = admission(flags);
  const log = createTerminalLog(logFormat(flags.log));
  if (flags.detach) return startDetached('mock', lifecycle);
  const bundlePath = new URL('../../generated/openapi.json', import.meta.url);
  const app = await createMock({ bundlePath, log, allowOrigins }).catch((error: unknown) => {
    if (error instanceof UnservableBundle) giveUp(error.message);
    throw error;
  });
  const ready = (base: string): string => `
Countersign mock is ready at ${base}

  credentials   any pair   (HTTP Basic)
  try           curl -u any:pair ${base}/customers
  force         curl -u any:pair -H 'Prefer: code=401' ${base}/customers
  contract      generated/openapi.json; the guide is mocks/README.md
`;
  await launch({ app, log, host: flags.host, port, allowHosts, lifecycle, ready, close: async () => {} });
  return undefined;
}
