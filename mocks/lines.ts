import { write } from 'node:fs';
import { promisify } from 'node:util';
import { pause, setTimeout } from './sandbox/node/machine/timers.ts';

/** How long lines are collected before they are written, in milliseconds. A write costs many times what a line does. */
const gatherMs = 20;
/** The most lines that wait for a slow reader. Further lines are dropped, and the log says how many. */
const mostLines = 20_000;
/** How long the end of the process waits for a reader, in milliseconds. */
const patienceMs = 500;

export interface LineWriter {
  /** @param make returns the line when it is written. */
  print(make: () => string): void;
  /** Writes the lines that are left. */
  drain(): Promise<void>;
}

/**
 * Writes lines to stdout without waiting for the reader. A write to a full pipe blocks a thread of the system, not the
 * thread that answers requests. If the reader has gone for good, it writes nothing more.
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
      // A non-blocking terminal or pipe accepts nothing at the moment. Any other error means that the reader has gone.
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
