/** How much of one message is looked at. The sandbox, the mock and the conformance kit all keep to these. */

/** How unwieldy a JSON text may be. */
export interface JsonBounds {
  /** How deep objects and arrays may stand in one another. */
  readonly depth: number;
  /** How many values it may hold in all. */
  readonly values: number;
}

/** The limits of a body. */
export interface BodyBounds extends JsonBounds {
  readonly bytes: number;
}

/** What holds for the request body of every operation (D56). */
export const requestBounds: BodyBounds = { bytes: 1024 * 1024, depth: 64, values: 10_000 };

/**
 * What holds for a reply. It may hold any number of values, because a long list isn't a fault of it. Nothing of the contract
 * comes near the depth; what recurses would end the stack at some thousands.
 */
export const replyBounds: JsonBounds = { depth: 256, values: Number.POSITIVE_INFINITY };

/** How deep a recording may be nested around its bodies. Browsers write call stacks into it, which are deep. */
export const recordingDepth = 256;

/**
 * At most this many faults of one body are reported (D56). A hostile body can't ask for a larger answer than itself, and nobody
 * reads more before mending these.
 */
export const maxFaults = 100;

/**
 * A list isn't looked at any further once its items have so many errors. One fault can be several errors, so this is more
 * than {@link maxFaults}.
 */
export const maxErrors = 1000;

/** A packed recording may unpack to at most this many bytes. One that isn't packed may have any size. */
export const unpackedBytes = 1024 ** 3;

/** A body in a file beside the recording, or an unpacked one, may have at most this many bytes. */
export const attachmentBytes = 64 * 1024 ** 2;
