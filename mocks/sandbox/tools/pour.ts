import { clearTimeout, setTimeout } from '../node/machine/timers.ts';
import { systemStopwatch } from './clock.ts';

/** How long a reader may let a writer wait in all, in milliseconds, and how much longer for each MiB. */
const patience = { atAllMs: 30_000, perMiBMs: 2000 };

/** Passes a text on. Resolves when the reader wants more. */
export type Give = (text: string) => Promise<void>;

/**
 * A stream whose writer has something that others wait for, such as a platform. The writer begins with the first read.
 * If the reader is too slow, or leaves, `give` rejects, so that the writer ends.
 * @param given how long a reader may take, for tests
 */
export async function* pour(
  write: (give: Give) => Promise<void>,
  given: Partial<typeof patience> = {},
): AsyncGenerator<Uint8Array> {
  const { atAllMs, perMiBMs } = { ...patience, ...given };
  const utf8 = new TextEncoder();
  let msLeft = atAllMs;
  /** What was given. It stays until the reader wants more. */
  let piece: Uint8Array | undefined;
  let end: { readonly error?: unknown } | undefined;
  let wakeReader = (): void => {};
  let wakeWriter = (_error?: Error): void => {};

  const give: Give = async (text) => {
    if (end !== undefined) throw new ReaderLeft();
    if (text === '') return;
    piece = utf8.encode(text);
    msLeft += (piece.length / (1024 * 1024)) * perMiBMs;
    const before = systemStopwatch();
    const read = new Promise<void>((resolve, reject) => {
      wakeWriter = (error) => (error === undefined ? resolve() : reject(error));
    });
    const timer = setTimeout(() => wakeWriter(new ReaderLeft()), msLeft);
    wakeReader();
    await read.finally(() => clearTimeout(timer));
    msLeft -= systemStopwatch() - before;
  };
  const written = write(give)
    .then(
      () => ({}),
      (error: unknown) => ({ error }),
    )
    .then((how) => {
      end ??= how;
      wakeReader();
    });
  try {
    for (;;) {
      while (piece === undefined && end === undefined) {
        await new Promise<void>((resolve) => {
          wakeReader = resolve;
        });
      }
      if (piece !== undefined) {
        yield piece;
        piece = undefined;
        wakeWriter();
      } else if (end !== undefined && 'error' in end) throw end.error;
      else return;
    }
  } finally {
    end ??= {};
    wakeWriter(new ReaderLeft());
    await written;
  }
}

/** The reader of a stream doesn't read any more. */
export class ReaderLeft extends Error {
  constructor() {
    super('The reader has left, or reads too slowly');
    this.name = 'ReaderLeft';
  }
}
