/** Promise: a stream of MCP that only shows signs of life isn't kept for ever, and its end is reported once. */
import { describe, expect, it } from 'vitest';
import { passOn } from '../../mcp/streams.ts';

function openStream(mayStay: (quietMs: number) => boolean) {
  let now = 0;
  let ends = 0;
  let source: ReadableStreamDefaultController<Uint8Array> | undefined;
  let isCancelled = false;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      source = controller;
    },
    cancel() {
      isCancelled = true;
    },
  });
  const headers = { 'content-type': 'text/event-stream' };
  const passed = passOn(new Response(body, { headers }), {
    mayStay: async (quietMs) => mayStay(quietMs),
    onEnd: () => {
      ends += 1;
    },
    now: () => now,
  });
  const reader = (passed.response.body as ReadableStream<Uint8Array>).getReader();
  return {
    send(text: string, afterMs: number) {
      now += afterMs;
      source?.enqueue(new TextEncoder().encode(text));
    },
    async read() {
      const { value } = await reader.read();
      return value === undefined ? undefined : new TextDecoder().decode(value);
    },
    close: () => source?.close(),
    cancel: () => reader.cancel(),
    end: passed.end,
    state: () => ({ ends, isCancelled }),
  };
}

describe('a stream', () => {
  it('ends if only signs of life come, and a message counts as progress', async () => {
    const stream = openStream((quietMs) => quietMs < 100);
    for (const text of [': keepalive\n\n', 'event: message\n\n', ': keepalive\n\n']) {
      stream.send(text, 60);
      expect(await stream.read()).toBe(text);
    }
    stream.send(': keepalive\n\n', 60);
    expect([await stream.read(), stream.state()]).toEqual([undefined, { ends: 1, isCancelled: true }]);
  });

  it.each<[string, (stream: ReturnType<typeof openStream>) => unknown]>([
    ['its source', ({ close }) => close()],
    ['its reader', ({ cancel }) => cancel()],
    ['its endpoint', ({ end }) => end()],
  ])('that %s ends tells so once', async (_whose, end) => {
    const stream = openStream(() => true);
    const read = stream.read();
    await end(stream);
    expect(await read).toBeUndefined();
    stream.end();
    expect(stream.state().ends).toBe(1);
  });

  it('with a body of JSON has ended at once', async () => {
    let ends = 0;
    const onEnd = (): void => {
      ends += 1;
    };
    const parts = { mayStay: async () => true, onEnd, now: () => 0 };
    const { response, end } = passOn(Response.json({ a: 1 }), parts);
    end();
    expect([await response.json(), ends]).toEqual([{ a: 1 }, 1]);
  });
});
