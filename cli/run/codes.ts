/** Runs `countersign codes`. */
import { pause } from '../../mocks/sandbox/node/machine/timers.ts';
import { type Control, ControlError, createControl, type OutboxMessage } from '../../package/control.ts';
import { type Context, withLifecycle } from '../command/command.ts';
import { WrongUse } from '../command/exit.ts';
import { readCredentials } from '../credentials.ts';

/** The input of the command. cli/codes.ts describes its flags. */
export interface CodesGiven extends Context {
  readonly flags: {
    readonly follow: boolean;
    readonly to: string | undefined;
    readonly url: string;
    readonly credentials: string;
    readonly format: string;
  };
}

/** Prints the codes that were sent. With `--follow` it goes on until it is stopped. @returns the exit code */
export async function runCodes(given: CodesGiven): Promise<number> {
  const { flags, output } = given;
  const { url, follow } = flags;
  if (!/^https?:\/\/./.test(url) || !URL.canParse(url)) {
    throw new WrongUse(`--url takes the address of a sandbox, such as http://localhost:4010, not "${url}".`);
  }
  const control = createControl({ url, credentials: readCredentials(flags.credentials) });
  const print = printer(control, flags, output.stdout);
  try {
    const { proofs } = await control.settings.get();
    const isAny = await print();
    if (proofs === 'magic')
      output.stderr('This platform checks magic proofs, which send no codes: it is always 000000.\n');
    else if (!isAny && !follow) output.stderr('No code was sent yet. --follow waits for one.\n');
  } catch (error) {
    throw asWrongUse(error, url);
  }
  return follow ? followCodes(control, print, given) : 0;
}

type Print = () => Promise<boolean>;

/** Prints the codes that aren't printed yet, oldest first. @returns whether there were any */
function printer({ outbox }: Control, { to, format }: CodesGiven['flags'], stdout: (text: string) => void): Print {
  const printed = new Set<string>();
  return async () => {
    const { data } = await outbox.get();
    const isWanted = (message: OutboxMessage): boolean =>
      (to === undefined || message.to.toLowerCase() === to.toLowerCase()) && !printed.has(JSON.stringify(message));
    const fresh = data.filter(isWanted).reverse();
    for (const message of fresh) {
      printed.add(JSON.stringify(message));
      const { sentAt, code, accountId } = message;
      stdout(`${format === 'json' ? JSON.stringify(message) : [sentAt, code, message.to, accountId].join('  ')}\n`);
    }
    return fresh.length > 0;
  };
}

/** Reads the outbox this often, because no event tells of a code that another process on the same database sends. */
const lookEveryMs = 5000;

async function followCodes(control: Control, print: Print, given: CodesGiven): Promise<number> {
  const { flags, output, lifecycle } = withLifecycle(given);
  const stopping = new AbortController();
  lifecycle.takeOver(() => stopping.abort());
  output.stderr(`Waiting for codes of ${flags.url}. Ctrl-C ends it.\n`);
  const { signal } = stopping;
  try {
    while (!signal.aborted) await printUntilClosed(control, print, signal);
  } catch (error) {
    if (!signal.aborted) output.stderr(`${whyEnded(error, flags.url)}\n`);
  }
  return 0;
}

/** Prints until the sandbox closes the stream. That isn't the end: the caller opens another stream. */
async function printUntilClosed(control: Control, print: Print, signal: AbortSignal): Promise<void> {
  const events = control.events.listen({ signal });
  let heard = events.next();
  let quiet = quietly();
  for (;;) {
    const event = await Promise.race([heard, quiet]);
    if (signal.aborted) return;
    await print();
    if (event === undefined) quiet = quietly();
    else if (event.done) return;
    else heard = events.next();
  }
}

async function quietly(): Promise<undefined> {
  await pause(lookEveryMs, { ref: false });
}

function whyEnded(error: unknown, url: string): string {
  const { status } = error instanceof ControlError ? error : { status: 0 };
  if (status === 401) return `The platform has ended, or its token is gone: no more codes come from ${url}.`;
  if (status === 0 || status >= 500) return `The sandbox at ${url} has ended: no more codes come from it.`;
  return (error as Error).message;
}

function asWrongUse(error: unknown, url: string): unknown {
  if (!(error instanceof ControlError)) return error;
  const { code, status } = error;
  if (code === 'NO_RESPONSE') {
    return new WrongUse(`No sandbox answers at ${url}. Start one (npx countersign start), or name another with --url.`);
  }
  if (code === 'UNREADABLE_RESPONSE')
    return new WrongUse(`${url} answers, but isn't a sandbox. Name a sandbox with --url.`);
  if (status === 401 || status === 403) {
    return new WrongUse(
      `The sandbox at ${url} refuses these credentials. Give a token of the platform that has MANAGE, with --credentials ID:SECRET.`,
    );
  }
  return new WrongUse(error.message);
}
