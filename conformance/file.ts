/** Opens the files of a recording: one with the HAR text, perhaps packed, and perhaps others with single bodies. */
import { createReadStream } from 'node:fs';
import { readFile, realpath, stat } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { attachmentBytes } from '../contract/bounds.ts';
import { openArchive } from './archive.ts';
import {
  bounded,
  largeAttachment,
  missingAttachment,
  type RecordingFile,
  startsWith,
  withoutMark,
} from './recordingFile.ts';
import { exportAgain, UnreadableRecording } from './unreadable.ts';

/**
 * Opens a recording: plain HAR, packed with gzip, or in a ZIP archive with its bodies.
 * @throws UnreadableRecording here, and also later while it is read.
 */
export async function openRecording(file: string): Promise<RecordingFile> {
  const source = createReadStream(file)[Symbol.asyncIterator]() as AsyncIterableIterator<Uint8Array>;
  const first = await readOf(source.next());
  const start: Uint8Array = first.done === true ? new Uint8Array() : first.value;
  if (startsWith(start, [0x50, 0x4b, 0x03, 0x04])) {
    await source.return?.();
    return openArchive(file);
  }
  async function* all(): AsyncGenerator<Uint8Array> {
    yield start;
    yield* source;
  }
  const isText = !startsWith(start, [0x1f, 0x8b]);
  const bytes = isText ? all() : bounded(unpack(all()));
  return {
    isText,
    bytes: withoutMark(systemErrors(bytes)),
    attachment: (name) => readNeighbour(file, name),
    close: () => void source.return?.(),
  };
}

function unpack(bytes: AsyncGenerator<Uint8Array>): AsyncIterable<Uint8Array> {
  const gunzip = createGunzip();
  // An error destroys the stream, and reading the stream then throws it.
  pipeline(Readable.from(bytes), gunzip, () => {});
  return gunzip;
}

async function* systemErrors(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* bytes;
  } catch (error) {
    throw asUnreadable(error);
  }
}

async function readOf<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw asUnreadable(error);
  }
}

/** Describes an error of the system or the unpacker. Returns any other error unchanged. */
function asUnreadable(error: unknown): unknown {
  const { code, message } = error as NodeJS.ErrnoException;
  if (error instanceof UnreadableRecording || code === undefined) return error;
  if (code === 'ENOENT') return new UnreadableRecording('does not exist', 'Check the path.');
  if (code === 'EISDIR') return new UnreadableRecording('is a folder', 'Name the files in it.');
  if (code === 'Z_BUF_ERROR') return new UnreadableRecording('is a gzip file that ends in the middle', exportAgain);
  if (code.startsWith('Z_')) return new UnreadableRecording('is a damaged gzip file', exportAgain);
  return new UnreadableRecording(`could not be read (${message})`, 'Check that you may read it.');
}

/** Reads a file below the recording's folder. The name comes from the recording, so no file outside is read. */
async function readNeighbour(file: string, name: string): Promise<Uint8Array> {
  const folder = await realpath(dirname(file));
  const path = await realpath(join(folder, name)).catch(() => undefined);
  if (path === undefined) throw missingAttachment(name);
  if (!path.startsWith(folder.endsWith(sep) ? folder : folder + sep)) throw outsideAttachment(name);
  const found = await stat(path);
  if (!found.isFile()) throw missingAttachment(name);
  if (found.size > attachmentBytes) throw largeAttachment(name);
  return readFile(path);
}

function outsideAttachment(name: string): UnreadableRecording {
  const remedy = 'Move that file to the recording, and name it there.';
  return new UnreadableRecording(`has a body in ${JSON.stringify(name)}, outside its own folder`, remedy);
}
