import type { Lifecycle } from '../../cli/command/command.ts';
import { root } from '../../contract/root.ts';
import { startDetached } from '../detach.ts';
import { type AdmissionFlags, admission, giveUp, launch } from '../launch.ts';
import { createTerminalLog, type LogFormat } from '../log.ts';
import { createMock, UnservableBundle } from './app.ts';

/** The flags of the mock, as cli/mock.ts describes them. */
export interface MockFlags extends AdmissionFlags {
  readonly port: number;
  readonly host: string;
  readonly log: LogFormat;
  readonly format: 'text' | 'json';
  readonly detach: boolean;
}

/** Starts the mock. @returns the exit code of a start in the background, otherwise nothing @throws WrongUse */
export async function startMock(flags: MockFlags, lifecycle: Lifecycle): Promise<number | undefined> {
  const { host, port, format } = flags;
  const { allowHosts, allowOrigins } = admission(flags);
  const log = createTerminalLog(flags.log);
  if (flags.detach) return startDetached('mock', lifecycle, flags.format);
  const bundlePath = new URL('generated/openapi.json', root);
  const app = await createMock({ bundlePath, log, allowOrigins }).catch((error: unknown) => {
    if (error instanceof UnservableBundle) giveUp(error.message);
    throw error;
  });
  const ready = (base: string): string => `Countersign mock is ready at ${base}

  credentials   any pair   (HTTP Basic)
  try           curl -u any:pair ${base}/customers
  force         curl -u any:pair -H 'Prefer: code=401' ${base}/customers
  start page    ${new URL('/', base)}
  contract      ${new URL('/openapi.json', base)}
`;
  await launch({
    app,
    log,
    host,
    port,
    allowHosts,
    lifecycle,
    credentials: 'any:pair',
    format,
    ready,
    close: async () => {},
  });
  return undefined;
}
