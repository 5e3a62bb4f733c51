/** Reads server-sent events (HTML Living Standard, 9.2), in the form that the control surface writes. */
import type { ControlEvent } from '../generated/controlTypes.ts';

/**
 * Iterates over the events of a stream. The request is sent at once. Leaving the loop, or the signal, closes the
 * connection.
 * @param opening resolves to the stream's body when the sandbox is ready to send events.
 */
export function openEvents(opening: Promise<unknown>, signal?: AbortSignal): AsyncIterableIterator<ControlEvent> {
  // A caller that never asks for an event doesn't learn that the stream failed to open.
  opening.catch(() => {});
  return readEvents(opening as Promise<ReadableStream<Uint8Array>>, signal);
}

async function* readEvents(
  opening: Promise<ReadableStream<Uint8Array>>,
  signal: AbortSignal | undefined,
): AsyncIterableIterator<ControlEvent> {
  const reader = (await opening).getReader();
  const decoder = new TextDecoder();
  // In process there is no connection for the signal to close.
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
