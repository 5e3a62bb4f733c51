/** Reads HAR 1.2 files (http://www.softwareishard.com/blog/har-12-spec/) entry by entry: memory does not grow with them. */
import { createReadStream } from 'node:fs';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { JSONParser, TokenType } from '@streamparser/json';
import type { Entry } from 'har-format';
import { recordingDepth } from '../contract/bounds.ts';

/** Why a file is no recording that can be judged, and what to do about it. */
export class UnreadableRecording extends Error {
  /** A sentence: what to do. */
  readonly remedy: string;

  constructor(message: string, remedy: string) {
    super(message);
    this.remedy = remedy;
  }
}

const exportAgain = 'Export the recording again, as HAR 1.2.';

/**
 * The entries of a recording, in order, as they are read. The file may be compressed with gzip.
 * @throws UnreadableRecording after the entries that could be read.
 */
export async function* readHar(file: string): AsyncGenerator<Entry> {
  const reader = createReader();
  let isEmpty = true;
  try {
    for await (const chunk of readBytes(file)) {
      isEmpty &&= chunk.length === 0;
      const { entries, error } = reader.write(chunk);
      yield* entries;
      if (error !== undefined) throw error;
    }
  } catch (error) {
    throw asUnreadable(error);
  }
  if (isEmpty) throw new UnreadableRecording('is empty', exportAgain);
  reader.end();
}

interface Reader {
  /** The entries that this chunk completed, and why there will be no more. */
  write(chunk: Uint8Array): { entries: Entry[]; error?: UnreadableRecording };
  end(): void;
}

function createReader(): Reader {
  let found: Entry[] = [];
  let count = 0;
  let version: unknown;
  const parser = new JSONParser({
    paths: ['$.log.version', '$.log.entries.*'],
    keepStack: false,
    stringBufferSize: 65_536,
  });
  let depth = 0;
  // The parser looks at every level above a value that ends, so the time grows with the depth.
  parser.onToken = ({ token }) => {
    if (token === TokenType.LEFT_BRACE || token === TokenType.LEFT_BRACKET) depth += 1;
    else if (token === TokenType.RIGHT_BRACE || token === TokenType.RIGHT_BRACKET) depth -= 1;
    if (depth <= recordingDepth) return;
    throw new UnreadableRecording(
      `is nested more than ${recordingDepth} levels deep, after ${count} whole entries`,
      'Remove what a tool has added to it, or export it again with another tool.',
    );
  };
  parser.onValue = ({ value, key, stack }) => {
    if (key === 'version' && stack.length === 2) version = requireVersion(value);
    else found.push(requireEntry(value, count++));
  };
  return {
    write(chunk) {
      found = [];
      try {
        parser.write(chunk);
      } catch (error) {
        return { entries: found, error: error instanceof UnreadableRecording ? error : notJson(error as Error, count) };
      }
      return { entries: found };
    },
    end() {
      try {
        if (!parser.isEnded) parser.end();
      } catch {
        throw new UnreadableRecording(`ends in the middle, after ${count} whole entries`, exportAgain);
      }
      if (version === undefined)
        throw new UnreadableRecording('is JSON but no HAR: it has no log.version', exportAgain);
      if (count === 0) {
        throw new UnreadableRecording('has no entries', 'Record some traffic first, and export it with its entries.');
      }
    },
  };
}

function notJson(error: Error, count: number): UnreadableRecording {
  const [, position] = /position "?(\d+)/.exec(error.message) ?? [];
  const where = position === undefined ? '' : ` at byte ${position}`;
  return new UnreadableRecording(`is not JSON in UTF-8${where}, after ${count} whole entries`, exportAgain);
}

function requireVersion(version: unknown): unknown {
  if (version === '1.2') return version;
  throw new UnreadableRecording(`is HAR ${JSON.stringify(version)}, and 1.2 is read`, exportAgain);
}

/** What {@link toExchange} relies on; the rest of an entry may be missing. */
function requireEntry(value: unknown, index: number): Entry {
  const { request, response } = (value ?? {}) as Partial<Entry>;
  const lacks = (what: string): never => {
    throw new UnreadableRecording(`has an entry ${index} without ${what}`, exportAgain);
  };
  if (typeof request?.method !== 'string') lacks('request.method');
  if (typeof request?.url !== 'string') lacks('request.url');
  if (!isHeaderList(request?.headers)) lacks('request.headers');
  if (typeof response?.status !== 'number') lacks('response.status');
  if (!isHeaderList(response?.headers)) lacks('response.headers');
  // Absent where the recorder kept no body, and then judged as that.
  if (!isTextOrAbsent(request?.postData)) lacks('text in request.postData');
  if (!isTextOrAbsent(response?.content)) lacks('text in response.content');
  return value as Entry;
}

function isHeaderList(headers: unknown): boolean {
  return (
    Array.isArray(headers) && headers.every((line) => typeof line?.name === 'string' && typeof line.value === 'string')
  );
}

function isTextOrAbsent(body: { text?: unknown } | null | undefined): boolean {
  return ['string', 'undefined'].includes(typeof body?.text);
}

/** The file's bytes, unpacked, without a byte order mark. */
async function* readBytes(file: string): AsyncGenerator<Uint8Array> {
  const source = createReadStream(file)[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
  const first = await source.next();
  if (first.done === true) return;
  async function* all(): AsyncGenerator<Uint8Array> {
    yield first.value;
    yield* { [Symbol.asyncIterator]: () => source };
  }
  const isGzip = first.value[0] === 0x1f && first.value[1] === 0x8b;
  let isStart = true;
  for await (const chunk of isGzip ? unpack(all()) : all()) {
    yield isStart ? withoutMark(chunk) : chunk;
    isStart = false;
  }
}

function unpack(bytes: AsyncGenerator<Uint8Array>): AsyncIterable<Uint8Array> {
  const gunzip = createGunzip();
  // An error destroys the stream that is read, which then throws it.
  pipeline(Readable.from(bytes), gunzip, () => {});
  return gunzip;
}

function withoutMark(chunk: Uint8Array): Uint8Array {
  return chunk[0] === 0xef && chunk[1] === 0xbb && chunk[2] === 0xbf ? chunk.subarray(3) : chunk;
}

/** The error itself if it isn't the system's or the unpacker's. */
function asUnreadable(error: unknown): unknown {
  const { code, message } = error as NodeJS.ErrnoException;
  if (error instanceof UnreadableRecording || code === undefined) return error;
  if (code === 'ENOENT') return new UnreadableRecording('does not exist', 'Check the path.');
  if (code === 'EISDIR') return new UnreadableRecording('is a folder', 'Name the files in it.');
  if (code === 'Z_BUF_ERROR') return new UnreadableRecording('is a gzip file that ends in the middle', exportAgain);
  if (code.startsWith('Z_')) return new UnreadableRecording('is a damaged gzip file', exportAgain);
  return new UnreadableRecording(`could not be read (${message})`, 'See that this user may read it.');
}
