import { readRequestBody } from '../../../contract/body.ts';
import type { BodyBounds } from '../../../contract/bounds.ts';
import { requestBounds } from '../../../contract/bounds.ts';
import type { FoundFault } from '../../../contract/faults.ts';
import type { ExchangeRequest, SentBody } from '../../exchange/exchange.ts';
import { systemStopwatch } from '../tools/clock.ts';
import { invalid, Problem } from '../tools/problem.ts';

/**
 * Reads a JSON body: within limits, UTF-8, and with JSON's media type.
 * @param note receives the bytes, also of a refused body.
 * @param bounds those of the contract if absent.
 * @returns undefined if there is no body (no bytes), whatever the Content-Type says.
 * @throws Problem 413 above the size limit, 415 for another type or a content coding, 400 if it isn't accepted as JSON.
 */
export async function readBody(
  { headers, body }: Pick<ExchangeRequest, 'headers' | 'body'>,
  note?: (bytes: Uint8Array) => void,
  bounds: BodyBounds = requestBounds,
): Promise<unknown> {
  const bytes = await readBounded(body, bounds.bytes);
  note?.(bytes);
  const reading = readRequestBody(
    { contentType: headers.get('content-type'), contentEncoding: headers.get('content-encoding'), content: bytes },
    bounds,
  );
  if (reading.kind === 'none') return undefined;
  if (reading.kind === 'broken') throw refuse(reading.faults, bounds);
  return reading.value;
}

/**
 * Reads a JSON body in pieces, for a reader that parses them. Its limits are those of {@link readBody}, and so are its
 * refusals.
 * @throws Problem 413, 415, and 400 if the sender leaves.
 */
export function readPieces(
  { headers, body }: Pick<ExchangeRequest, 'headers' | 'body'>,
  limit: number,
): AsyncIterable<Uint8Array> {
  if (body === null) return nothing();
  if (body.length !== null && body.length > limit) throw tooLarge(limit);
  const [contentType, contentEncoding] = [headers.get('content-type'), headers.get('content-encoding')];
  // The headers are judged beside a body that is valid.
  const reading = readRequestBody({ contentType, contentEncoding, content: '{}' });
  if (reading.kind === 'broken') throw refuse(reading.faults, requestBounds);
  return piecesUpTo(body, limit);
}

/** How long the sender of a body in pieces may let its reader wait in all, and how much longer for each MiB. */
const patience = { atAllMs: 60_000, perMiBMs: 2000 };

function tooSlow(): Problem {
  return invalid([{ in: 'body', pointer: '', message: 'took too long to arrive' }]);
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

async function* piecesUpTo(body: SentBody, limit: number): AsyncGenerator<Uint8Array> {
  const pieces = body.pieces()[Symbol.asyncIterator]();
  let size = 0;
  let waitedMs = 0;
  try {
    for (;;) {
      const before = systemStopwatch();
      const { value, done } = await pieces.next().catch(() => {
        throw leftEarly();
      });
      if (done === true) return;
      size += value.length;
      if (size > limit) throw tooLarge(limit);
      waitedMs += systemStopwatch() - before;
      if (waitedMs > patience.atAllMs + (size / (1024 * 1024)) * patience.perMiBMs) throw tooSlow();
      yield value;
    }
  } finally {
    await pieces.return?.();
  }
}

function refuse(faults: readonly FoundFault[], bounds: BodyBounds): Problem {
  const [first] = faults;
  if (first?.rule === 'body-too-large') return tooLarge(bounds.bytes);
  if (first?.rule !== 'media-type') return invalid(faults);
  if (first.pointer === '/Content-Encoding') {
    const message = 'Send the body without Content-Encoding. Encoded bodies are not accepted.';
    return new Problem('UNSUPPORTED_MEDIA_TYPE', message, { headers: { 'Accept-Encoding': 'identity' } });
  }
  return new Problem('UNSUPPORTED_MEDIA_TYPE', 'Send the body as Content-Type: application/json (UTF-8).');
}

async function readBounded(body: SentBody | null, limit: number): Promise<Uint8Array> {
  if (body === null) return new Uint8Array();
  if (body.length !== null && body.length > limit) throw tooLarge(limit);
  let bytes: Uint8Array;
  try {
    bytes = await body.read(limit);
  } catch {
    // The client left before the end. That isn't a fault of ours, and nobody reads the answer.
    throw leftEarly();
  }
  if (bytes.length > limit) throw tooLarge(limit);
  return bytes;
}

function leftEarly(): Problem {
  return invalid([{ in: 'body', pointer: '', message: 'ended before it was complete' }]);
}

function tooLarge(limit: number): Problem {
  return new Problem('PAYLOAD_TOO_LARGE', `A request body may have at most ${limit} bytes.`);
}
