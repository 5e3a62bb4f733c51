/** Reads server-sent events (HTML Living Standard, 9.2), as far as the control surface writes them. */
import type { ControlEvent } from '../generated/controlTypes.ts';

/**
 * The events of a stream, until it ends, or nobody wants more of them: leaving the loop closes the connection, and so does
 * the signal. The request is on its way at once.
 * @param opening resolves to the stream's body when the sandbox listens.
 */
export function openEvents(opening: Promise<unknown>, signal?: AbortSignal): AsyncIterableIterator<ControlEvent> {
  // Who never asks for an event isn't told that the stream couldn't be opened.
  opening.catch(() => {});
  return readEvents(opening as Promise<ReadableStream<Uint8Array>>, signal);
}

async function* readEvents(
  opening: Promise<ReadableStream<Uint8Array>>,
  signal: AbortSignal | undefined,
): AsyncIterableIterator<ControlEvent> {
  const reader = (await opening).getReader();
  const decoder = new TextDecoder();
  // In process there is no connection that the signal would close.
  const stop = (): void => void reader.cancel().catch(() => {});
  signal?.addEventListener('abort', stop);
  let text = '';
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((error: unknown) => {
        if (signal?.aborted) return { done: true, value: undefined } as const;
        throw error;
      });
      if (done) return;
      const blocks = (text + decoder.decode(value, { stream: true })).split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        for (const line of block.split('\n')) {
          if (line.startsWith('data: ')) yield JSON.parse(line.slice('data: '.length)) as ControlEvent;
        }
      }
    }
  } finally {
    signal?.removeEventListener('abort', stop);
    stop();
  }
}
