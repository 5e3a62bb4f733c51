/**
 * Reads a recording in a ZIP archive, as Playwright writes it: one HAR file, and each body in a file beside it. It uses
 * yauzl, as Playwright does. yauzl reads the archive's directory and streams single files, so memory doesn't grow with
 * the archive. It refuses names that lead outside and files that are larger than the directory says.
 */
import { type Entry, openPromise, type ZipFile } from 'yauzl';
import { attachmentBytes } from '../contract/bounds.ts';
import { bounded, largeAttachment, missingAttachment, type RecordingFile, withoutMark } from './recordingFile.ts';
import { UnreadableRecording } from './unreadable.ts';

/** The maximum number of files in an archive. */
const maxFiles = 100_000;

const zipAgain = 'Record it again, or unpack it and name the HAR file.';

/** @throws UnreadableRecording if the archive is damaged or doesn't contain exactly one HAR file */
export async function openArchive(file: string): Promise<RecordingFile> {
  const archive = await inWords(openPromise(file, { autoClose: false }));
  try {
    const files = await inWords(listFiles(archive));
    const [har, another] = [...files.values()].filter(({ fileName }) => /\.har$/i.test(fileName));
    if (har === undefined || another !== undefined) {
      const message =
        har === undefined ? 'is a ZIP archive without a .har file' : 'is a ZIP archive of several .har files';
      throw new UnreadableRecording(message, 'Unpack it, and name the HAR files.');
    }
    const folder = har.fileName.slice(0, har.fileName.lastIndexOf('/') + 1);
    return {
      isText: false,
      bytes: withoutMark(bounded(readEntry(archive, har))),
      attachment: (name) => readAttachment(archive, files.get(folder + name), name),
      close: () => archive.close(),
    };
  } catch (error) {
    archive.close();
    throw error;
  }
}

async function listFiles(archive: ZipFile): Promise<Map<string, Entry>> {
  const files = new Map<string, Entry>();
  for await (const entry of archive.eachEntry()) {
    files.set(entry.fileName, entry);
    if (files.size > maxFiles) throw new Error(`it has more than ${maxFiles} files`);
  }
  return files;
}

async function* readEntry(archive: ZipFile, entry: Entry): AsyncGenerator<Uint8Array> {
  const stream = await inWords(archive.openReadStreamPromise(entry));
  try {
    yield* stream;
  } catch (error) {
    throw damaged(error);
  }
}

async function readAttachment(archive: ZipFile, entry: Entry | undefined, name: string): Promise<Uint8Array> {
  if (entry === undefined) throw missingAttachment(name);
  // yauzl enforces the declared size: it stops with an error if a file unpacks to more.
  if (entry.uncompressedSize > attachmentBytes) throw largeAttachment(name);
  const chunks: Uint8Array[] = [];
  for await (const chunk of readEntry(archive, entry)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function inWords<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw damaged(error);
  }
}

function damaged(error: unknown): UnreadableRecording {
  if (error instanceof UnreadableRecording) return error;
  return new UnreadableRecording(`is a ZIP archive that can't be read (${(error as Error).message})`, zipAgain);
}
