import { parse } from 'content-type';
import { type JsonBounds, readJson } from '../kernel/json.ts';
import { invalid, Problem } from '../kernel/problem.ts';

/** The largest request body, in bytes. */
export const bodyLimit = 1024 * 1024;

/** How large a body may be. */
export interface BodyBounds extends JsonBounds {
  /** In bytes. */
  readonly size: number;
}

/** What holds for every operation (D56). */
const contractBounds: BodyBounds = { size: bodyLimit, depth: 64, values: 10_000 };

/**
 * Reads a JSON body: bounded, UTF-8, and of JSON's media type.
 * @param note is told the bytes, whatever becomes of them.
 * @param bounds those of the contract when absent.
 * @returns undefined when there is none (no bytes), whatever the Content-Type says.
 * @throws Problem 413 beyond the bounds' size, 415 for another type or a content coding, 400 as {@link readJson} does.
 */
export async function readBody(
  request: Request,
  note?: (bytes: Uint8Array) => void,
  bounds: BodyBounds = contractBounds,
): Promise<unknown> {
  const bytes = await readBounded(request, bounds.size);
  note?.(bytes);
  if (bytes.length === 0) return undefined;
  requireJson(request.headers);
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw invalid([{ in: 'body', pointer: '', message: 'is not valid UTF-8' }]);
  }
  return readJson(text, bounds);
}

async function readBounded(request: Request, limit: number): Promise<Uint8Array> {
  const announced = request.headers.get('content-length');
  if (Number(announced ?? 0) > limit) throw tooLarge(limit);
  let bytes: Uint8Array;
  try {
    // A stream per request costs as much as all the rest, so only a body of unknown length is read as one.
    bytes = announced === null ? await readStream(request, limit) : new Uint8Array(await request.arrayBuffer());
  } catch {
    // The client went away in the middle, which is no fault of ours; nobody will read the answer.
    throw invalid([{ in: 'body', pointer: '', message: 'ended before it was complete' }]);
  }
  if (bytes.length > limit) throw tooLarge(limit);
  return bytes;
}

/** Stops soon after the limit. */
async function readStream(request: Request, limit: number): Promise<Uint8Array> {
  if (request.body === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body as AsyncIterable<Uint8Array>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > limit) break;
  }
  // Copied: a small buffer is a part of a larger one, which whoever keeps it would keep too.
  return new Uint8Array(Buffer.concat(chunks));
}

function tooLarge(limit: number): Problem {
  return new Problem('PAYLOAD_TOO_LARGE', `A request body may have at most ${limit} bytes.`);
}

function requireJson(headers: Headers): void {
  const coding = headers.get('content-encoding')?.trim().toLowerCase() ?? 'identity';
  if (coding !== 'identity') {
    const message = 'Send the body as it is: no Content-Encoding is understood.';
    throw new Problem('UNSUPPORTED_MEDIA_TYPE', message, { headers: { 'Accept-Encoding': 'identity' } });
  }
  try {
    const { type, parameters } = parse(headers.get('content-type') ?? '');
    const charset = parameters['charset']?.toLowerCase() ?? 'utf-8';
    if (type === 'application/json' && charset === 'utf-8') return;
  } catch {
    // Not a media type at all: the same answer as for a wrong one.
  }
  throw new Problem('UNSUPPORTED_MEDIA_TYPE', 'Send the body as Content-Type: application/json (UTF-8).');
}
