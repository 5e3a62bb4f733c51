/**
 * Reads HAR 1.2 files (http://www.softwareishard.com/blog/har-12-spec/) entry by entry, so memory doesn't grow with
 * them.
 */
import { JSONParser, TokenType } from '@streamparser/json';
import type { Entry } from 'har-format';
import { recordingDepth } from '../contract/bounds.ts';
import { openRecording } from './file.ts';
import { exportAgain, UnreadableRecording } from './unreadable.ts';

export { UnreadableRecording } from './unreadable.ts';

/** An entry, and its place in the file. */
export interface FoundEntry {
  /** Counted from 0, as in `log.entries`. */
  readonly index: number;
  /** Counted from 1. */
  readonly line: number;
  readonly entry: Entry;
}

/**
 * The entries of a recording, in order, while it is read. It leaves out what isn't an entry, and reports that at the
 * end.
 * @param bytes the HAR text.
 * @param onCreator is called with the name of the tool that wrote the file, before the entries that follow the name.
 * @throws UnreadableRecording after the entries that could be read.
 */
export async function* readEntries(
  bytes: AsyncIterable<Uint8Array>,
  onCreator: (name: string) => void = () => {},
): AsyncGenerator<FoundEntry> {
  const reader = createReader(onCreator);
  let isEmpty = true;
  for await (const chunk of bytes) {
    isEmpty &&= chunk.length === 0;
    const { entries, error } = reader.write(chunk);
    yield* entries;
    if (error !== undefined) throw error;
  }
  if (isEmpty) throw new UnreadableRecording('is empty', exportAgain);
  reader.end();
}

/** The entries of a file, without their places. */
export async function* readHar(file: string): AsyncGenerator<Entry> {
  const recording = await openRecording(file);
  try {
    for await (const { entry } of readEntries(recording.bytes)) yield entry;
  } finally {
    recording.close();
  }
}

interface Reader {
  /** Returns the entries that this chunk completed, and the error if there will be no more. */
  write(chunk: Uint8Array): { entries: FoundEntry[]; error?: unknown };
  end(): void;
}

function createReader(onCreator: (name: string) => void): Reader {
  let found: FoundEntry[] = [];
  let count = 0;
  let version: unknown;
  const malformed: string[] = [];
  const lines = createLineCounter();
  let line = 1;
  let depth = 0;
  const parser = new JSONParser({
    paths: ['$.log.version', '$.log.creator', '$.log.entries.*'],
    keepStack: false,
    stringBufferSize: 65_536,
  });
  // For each value that ends, the parser checks every level above it, so the time grows with the depth.
  parser.onToken = ({ token, offset }) => {
    if (token === TokenType.RIGHT_BRACE || token === TokenType.RIGHT_BRACKET) depth -= 1;
    if (token !== TokenType.LEFT_BRACE && token !== TokenType.LEFT_BRACKET) return;
    // An entry is inside the root, the log and its list.
    if (depth === 3) line = lines.at(offset);
    depth += 1;
    if (depth > recordingDepth) {
      const message = `is nested more than ${recordingDepth} levels deep, after ${count} whole entries`;
      throw new UnreadableRecording(message, 'Remove what a tool has added to it, or export it with another tool.');
    }
  };
  parser.onValue = ({ value, key, stack }) => {
    if (key === 'version' && stack.length === 2) {
      version = requireVersion(value);
      return;
    }
    if (key === 'creator' && stack.length === 2) {
      onCreator(nameOf(value));
      return;
    }
    const missing = missingPart(value);
    if (missing === undefined) found.push({ index: count, line, entry: asEntry(value as unknown as Entry) });
    else malformed.push(`has an entry ${count} without ${missing}`);
    count += 1;
  };
  return {
    write(chunk) {
      found = [];
      lines.next(chunk);
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
        throw new UnreadableRecording('is JSON but not a HAR file: it has no log.version', exportAgain);
      if (count === 0) {
        throw new UnreadableRecording('has no entries', 'Record some traffic first, and export it with its entries.');
      }
      const [first, ...more] = malformed;
      if (first === undefined) return;
      const others = more.length === 0 ? '' : ` (and ${more.length} more that are not whole)`;
      throw new UnreadableRecording(first + others, exportAgain);
    },
  };
}

/** Counts the line of a place in the text. Ask for places in ascending order. */
function createLineCounter() {
  let line = 1;
  let chunk: Uint8Array = new Uint8Array();
  /** The bytes before the chunk, and the part of the chunk that was counted. */
  let before = 0;
  let counted = 0;
  const countTo = (end: number): number => {
    for (let at = chunk.indexOf(10, counted); at >= 0 && at < end; at = chunk.indexOf(10, at + 1)) line += 1;
    counted = end;
    return line;
  };
  return {
    next(following: Uint8Array): void {
      countTo(chunk.length);
      before += chunk.length;
      chunk = following;
      counted = 0;
    },
    /** @param offset in bytes, in the newest chunk. */
    at: (offset: number): number => countTo(offset - before),
  };
}

function nameOf(creator: unknown): string {
  return String((creator as { name?: unknown } | null)?.name);
}

function notJson(error: Error, count: number): UnreadableRecording {
  const [, position] = /position "?(\d+)/.exec(error.message) ?? [];
  const where = position === undefined ? '' : ` at byte ${position}`;
  return new UnreadableRecording(`is not JSON in UTF-8${where}, after ${count} whole entries`, exportAgain);
}

function requireVersion(version: unknown): unknown {
  // Some recorders write the version as a number.
  if (version === '1.2' || version === 1.2) return version;
  throw new UnreadableRecording(`is HAR ${JSON.stringify(version)}, but only HAR 1.2 can be read`, exportAgain);
}

/** Returns what the entry lacks that {@link toExchange} needs; anything else may be missing. */
function missingPart(value: unknown): string | undefined {
  const { request, response } = (value ?? {}) as Partial<Entry>;
  if (typeof request?.method !== 'string') return 'request.method';
  if (typeof request.url !== 'string') return 'request.url';
  if (!isHeaderList(request.headers)) return 'request.headers';
  // Absent if the recorder kept no body. It is then judged as not recorded.
  if (!isTextOrAbsent(request.postData)) return 'text in request.postData';
  if (isNoReply(response)) return undefined;
  if (typeof response?.status !== 'number') return 'response.status';
  if (!isHeaderList(response.headers)) return 'response.headers';
  return isTextOrAbsent(response.content) ? undefined : 'text in response.content';
}

/** Whether the entry has no reply. Several recorders write it in this way. */
function isNoReply(response: unknown): boolean {
  return (
    response === undefined || response === null || (typeof response === 'object' && Object.keys(response).length === 0)
  );
}

const noReply = { status: 0, headers: [] } as unknown as Entry['response'];

function asEntry(entry: Entry): Entry {
  return isNoReply(entry.response) ? { ...entry, response: noReply } : entry;
}

function isHeaderList(headers: unknown): boolean {
  return (
    Array.isArray(headers) && headers.every((line) => typeof line?.name === 'string' && typeof line.value === 'string')
  );
}

function isTextOrAbsent(body: { text?: unknown } | null | undefined): boolean {
  return body?.text === null || ['string', 'undefined'].includes(typeof body?.text);
}
