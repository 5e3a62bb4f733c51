/** The content of a recording, in any kind of file or archive, and its limits. */
import { attachmentBytes, unpackedBytes } from '../contract/bounds.ts';
import { UnreadableRecording } from './unreadable.ts';

/** An open recording. */
export interface RecordingFile {
  /** Whether the file is plain text, so that a line of the text is a line of the file. */
  readonly isText: boolean;
  /** The HAR text: unpacked, without a byte order mark. */
  readonly bytes: AsyncIterable<Uint8Array>;
  /**
   * A body in a separate file, beside the recording or in its archive.
   * @throws UnreadableRecording if it is missing, too large, or in another folder.
   */
  attachment(name: string): Promise<Uint8Array>;
  close(): void;
}

/** The content of a packed recording, up to a limit: a few kilobytes can unpack to any size. */
export async function* bounded(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of bytes) {
    size += chunk.length;
    if (size > unpackedBytes) {
      const remedy = 'Unpack it first, or record less in one file.';
      throw new UnreadableRecording(`unpacks to more than ${unpackedBytes / 1024 ** 3} GiB`, remedy);
    }
    yield chunk;
  }
}

/** Skips a byte order mark at the start. */
export async function* withoutMark(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let isStart = true;
  for await (const chunk of bytes) {
    yield isStart && startsWith(chunk, [0xef, 0xbb, 0xbf]) ? chunk.subarray(3) : chunk;
    isStart = false;
  }
}

export function startsWith(bytes: Uint8Array, wanted: readonly number[]): boolean {
  return wanted.every((byte, index) => bytes[index] === byte);
}

export function missingAttachment(name: string): UnreadableRecording {
  const remedy = 'Keep the files together that the recorder wrote, or record with the bodies inside.';
  return new UnreadableRecording(`has a body in ${JSON.stringify(name)}, which doesn't exist`, remedy);
}

export function largeAttachment(name: string): UnreadableRecording {
  const message = `has a body in ${JSON.stringify(name)} of more than ${attachmentBytes / 1024 ** 2} MiB`;
  return new UnreadableRecording(message, 'Remove the entry: no reply of this service is that large.');
}
