/** Streams of server-sent events, and when they end. */

export interface StreamParts {
  /**
   * Called with each sign of life, which isn't progress. @param quietMs since the last message, or since the beginning
   * @returns whether the stream may stay
   */
  readonly mayStay: (quietMs: number) => Promise<boolean>;
  /** Called once, however it ends. */
  readonly onEnd: () => void;
  /** By the machine's clock, in milliseconds. */
  readonly now: () => number;
}

/** A response that is passed on, and a function that ends its stream. */
export interface Passed {
  readonly response: Response;
  readonly end: () => void;
}

/** Passes a response on. One that isn't a stream has already ended. */
export function passOn(response: Response, { mayStay, onEnd, now }: StreamParts): Passed {
  if (response.body === null || !isStream(response)) {
    onEnd();
    return { response, end: () => {} };
  }
  const reader = response.body.getReader();
  let isOver = false;
  let messageAt = now();
  const finish = (): boolean => {
    const isFirst = !isOver;
    isOver = true;
    if (isFirst) onEnd();
    return isFirst;
  };
  let out: ReadableStreamDefaultController<Uint8Array>;
  const end = (): void => {
    if (!finish()) return;
    void reader.cancel().catch(() => {});
    out.close();
  };
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        out = controller;
      },
      async pull(controller) {
        const { value } = await reader.read().catch(() => ({ value: undefined }));
        if (isOver) return;
        if (value === undefined) return end();
        if (value[0] !== colon) messageAt = now();
        else if (!(await mayStay(now() - messageAt))) return end();
        if (!isOver) controller.enqueue(value);
      },
      async cancel() {
        finish();
        await reader.cancel().catch(() => {});
      },
    },
    // Nothing is read before somebody wants it.
    { highWaterMark: 0 },
  );
  const { status, headers } = response;
  return { response: new Response(body, { status, headers }), end };
}

/** Begins a comment, which keeps a connection alive (HTML Living Standard, 9.2). */
const colon = 0x3a;

function isStream({ headers }: Response): boolean {
  return headers.get('content-type')?.startsWith('text/event-stream') ?? false;
}
