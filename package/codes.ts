/** One-time codes for tests: those that real proofs send, and the fixed code of magic proofs. */
import { magic } from '../conformance/replay/magic.ts';
import type { CallOptions, ControlCalls } from '../generated/controlCalls.ts';
import type { ControlEvent } from '../generated/controlTypes.ts';

/** Which code you want. */
export interface WantedCode {
  /** The e-mail address that receives it, in any letter case. */
  readonly to?: string | undefined;
  /** The wallet that it signs in to. */
  readonly accountId?: string | undefined;
  /** How long to wait for a code, in milliseconds of the machine's clock; 5000 if absent. */
  readonly timeoutMs?: number | undefined;
}

/** The part of a control client that is needed here. */
interface Reading extends Pick<ControlCalls, 'settings' | 'outbox'> {
  /** Resolves when the sandbox is ready to send events. */
  readonly listen: (options: CallOptions) => Promise<AsyncIterableIterator<ControlEvent>>;
}

/**
 * Returns the newest matching code, and waits if there is none. @throws Error if none arrives in time, or the signal's
 * reason
 */
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
  // A test's fake timers don't affect this timeout.
  const patience = AbortSignal.timeout(timeoutMs);
  try {
    // The signal ends the stream.
    const events = await listen({ signal: signal === undefined ? patience : AbortSignal.any([signal, patience]) });
    // A code may have been sent before the stream opened.
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
