import type { HeaderList } from './exchange.ts';

/** A body as it went over the wire, or as text where that is the same, or the size in bytes of one that was not kept. */
export type CapturedBody = string | Uint8Array | { readonly leftOut: number };

/** One request and its answer, as they went over the wire, secrets and all. */
export interface Capture {
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly durationMs: number;
  readonly method: string;
  /** Absolute. */
  readonly url: string;
  readonly requestHeaders: HeaderList;
  /** Undefined for none. */
  readonly requestBody?: CapturedBody | undefined;
  readonly status: number;
  readonly responseHeaders: HeaderList;
  readonly responseBody?: CapturedBody | undefined;
}

/** A body of a recording is at most so large, in bytes; of a larger one only its size is kept. */
export const recordedBodyLimit = 1024 * 1024;
