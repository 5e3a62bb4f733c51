import { write } from 'node:fs';
import { promisify } from 'node:util';
import { pause, setTimeout } from './sandbox/node/machine/timers.ts';

/** How long lines are gathered before they are written, in milliseconds: a write costs many times what a line does. */
const gatherMs = 20;
/** So many wait at most for somebody who reads slowly, or not at all; more are left out, and that is said. */
const mostLines = 20_000;
/** How long the end of the process is held up for who does not read, in milliseconds. */
const patienceMs = 500;

export interface LineWriter {
  /** @param make gives the line when it is written. */
  print(make: () => string): void;
  /** Writes what is left. */
  drain(): Promise<void>;
}

/**
 * Writes lines to stdout without ever waiting for who reads them: a write to a full pipe holds up a thread of the
 * system's, and not the one that answers requests. Who has gone for good gets no more.
 */
export function createLineWriter(fd = 1): LineWriter {
  const send = promisify(write);
  let held: (() => string)[] = [];
  let leftOut = 0;
  let isGone = false;
  let writing: Promise<void> | undefined;

  const writeAll = async (): Promise<void> => {
    while (held.length > 0 && !isGone) {
      const lines = held.map((make) => make());
      if (leftOut > 0) lines.push(`(${leftOut} lines were left out: nobody read them in time)`);
      held = [];
      leftOut = 0;
      let rest = Buffer.from(`${lines.join('\n')}\n`);
      while (rest.length > 0 && !isGone) rest = rest.subarray(await sendSome(rest));
    }
  };
  const sendSome = async (bytes: Buffer): Promise<number> => {
    try {
      return (await send(fd, bytes)).bytesWritten;
    } catch (error) {
      // A terminal or a pipe that others have set so takes nothing at the moment; anything else is the end.
      if ((error as NodeJS.ErrnoException).code === 'EAGAIN') await pause(gatherMs);
      else isGone = true;
      return 0;
    }
  };
  const flush = (): Promise<void> => {
    writing ??= writeAll().finally(() => {
      writing = undefined;
    });
    return writing;
  };
  return {
    print(make) {
      if (isGone) return;
      if (held.length >= mostLines) {
        leftOut += 1;
        return;
      }
      held.push(make);
      if (held.length === 1 && writing === undefined) setTimeout(() => void flush(), gatherMs);
    },
    drain: () => Promise.race([flush(), pause(patienceMs, { ref: false })]),
  };
}
