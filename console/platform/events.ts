/** Reads server-sent events with `fetch`, because `EventSource` can't send credentials. */
import type { ControlEvent } from '../../generated/controlTypes.ts';
import type { Session } from './session.tsx';

/** Receives the events of the stream. */
export interface Hearing {
  /** The stream is open. Every later event arrives. */
  opened(): void;
  heard(event: ControlEvent): void;
}

/**
 * Listens until the stream ends.
 * @throws Error if it can't be opened; `SignedOut` if the credentials are no longer valid.
 */
export async function listen(session: Session, signal: AbortSignal, hearing: Hearing): Promise<void> {
  const { data, error, response } = await session.control.GET('/events', { parseAs: 'stream', signal });
  if (response.status === 401) throw new SignedOut();
  if (data === undefined || data === null)
    throw new Error(error?.message ?? 'The stream of events could not be opened.');
  hearing.opened();
  let text = '';
  const decoder = new TextDecoder();
  // Not every browser can iterate over a stream.
  const reader = (data as unknown as ReadableStream<Uint8Array>).getReader();
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    text += decoder.decode(piece.value, { stream: true });
    const events = text.split('\n\n');
    text = events.pop() ?? '';
    for (const one of events) {
      if (one.startsWith('data: ')) hearing.heard(JSON.parse(one.slice('data: '.length)) as ControlEvent);
    }
  }
}

export class SignedOut extends Error {}
