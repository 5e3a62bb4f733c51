/** The limits of one message. The sandbox, the mock and the conformance kit share them. */

/** Limits on the structure of a JSON text. */
export interface JsonBounds {
  /** How deep objects and arrays may be nested. */
  readonly depth: number;
  /** The maximum number of values. */
  readonly values: number;
}

/** The limits of a body. */
export interface BodyBounds extends JsonBounds {
  readonly bytes: number;
}

/** The limits for every request body (D56). */
export const requestBounds: BodyBounds = { bytes: 1024 * 1024, depth: 64, values: 10_000 };

/**
 * The limits for a reply. The number of values has no limit, because a long list isn't a fault. No type of the contract
 * is nearly this deep. At some thousands, recursion would overflow the stack.
 */
export const replyBounds: JsonBounds = { depth: 256, values: Number.POSITIVE_INFINITY };

/** How deep a recording may be nested around its bodies. Browsers write call stacks into it, which are deep. */
export const recordingDepth = 256;

/**
 * The maximum number of faults reported for one body (D56). It keeps the reply to a hostile body small, and nobody
 * reads more faults before fixing these.
 */
export const maxFaults = 100;

/**
 * Checking a list stops when its items have this many errors. One fault can be several errors, so this is more than
 * {@link maxFaults}.
 */
export const maxErrors = 1000;

/** The maximum number of bytes that a packed recording may unpack to. A plain recording has no limit. */
export const unpackedBytes = 1024 ** 3;

/** The maximum number of bytes of a body in a separate file, or of an unpacked body. */
export const attachmentBytes = 64 * 1024 ** 2;
