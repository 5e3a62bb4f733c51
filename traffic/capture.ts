import type { HeaderList } from './exchange.ts';

/** A body as it was sent, or as text if that is the same. If it wasn't kept, only its size in bytes. */
export type CapturedBody = string | Uint8Array | { readonly leftOut: number };

/** A request and its answer as they were sent, with their secrets. */
export interface Capture {
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly durationMs: number;
  readonly method: string;
  /** The absolute address. */
  readonly url: string;
  readonly requestHeaders: HeaderList;
  /** Undefined if there is none. */
  readonly requestBody?: CapturedBody | undefined;
  readonly status: number;
  readonly responseHeaders: HeaderList;
  readonly responseBody?: CapturedBody | undefined;
}

/** The maximum size of a recorded body, in bytes. If a body is larger, only its size is kept. */
export const recordedBodyLimit = 1024 * 1024;
