/** One-time codes for tests: those that real proofs send, and the one that magic proofs take. */
import { magic } from '../conformance/replay/magic.ts';
import type { CallOptions, ControlCalls } from '../generated/controlCalls.ts';
import type { ControlEvent } from '../generated/controlTypes.ts';

/** Which code is wanted. */
export interface WantedCode {
  /** The e-mail address that it goes to, in any letter case. */
  readonly to?: string | undefined;
  /** The wallet that it signs in to. */
  readonly accountId?: string | undefined;
  /** How long to wait for one, in milliseconds of the machine's clock; 5000 if absent. */
  readonly timeoutMs?: number | undefined;
}

/** What it needs of a control client. */
interface Reading extends Pick<ControlCalls, 'settings' | 'outbox'> {
  /** Resolves when the sandbox tells of what happens from then on. */
  readonly listen: (options: CallOptions) => Promise<AsyncIterableIterator<ControlEvent>>;
}

/** The newest code that fits; waits for the first one. @throws Error if none comes in time, and what the signal gives. */
export async function readCode(
  { settings, outbox, listen }: Reading,
  { to, accountId, timeoutMs = 5000 }: WantedCode = {},
  { signal }: CallOptions = {},
): Promise<string> {
  if ((await settings.get({ signal })).proofs === 'magic') return magic.code;
  const find = async (): Promise<string | undefined> => {
    const { data } = await outbox.get({ signal });
    const isWanted = (message: (typeof data)[number]): boolean =>
      (to === undefined || message.to.toLowerCase() === to.toLowerCase()) &&
      (accountId === undefined || message.accountId === accountId);
    return data.find(isWanted)?.code;
  };
  const there = await find();
  if (there !== undefined) return there;
  // No timer of a test's that is faked holds it up.
  const patience = AbortSignal.timeout(timeoutMs);
  try {
    // Ends with the signal.
    const events = await listen({ signal: signal === undefined ? patience : AbortSignal.any([signal, patience]) });
    // One may have been sent before anybody listened.
    for (let code = await find(); ; code = await find()) {
      if (code !== undefined) {
        await events.return?.();
        return code;
      }
      if ((await events.next()).done) break;
    }
  } catch (error) {
    signal?.throwIfAborted();
    if (!patience.aborted) throw error;
  }
  const whom = to ?? accountId;
  throw new Error(
    `No code was sent${whom === undefined ? '' : ` to ${whom}`} within ${timeoutMs} ms. Register an EMAIL_OTP credential, or ask for its challenge, first.`,
  );
}
