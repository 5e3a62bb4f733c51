/** Serves static files, with an ETag, and compressed if the client accepts that. Each file is compressed once. */
import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import Negotiator from 'negotiator';
import { memoize } from '../../../contract/memoize.ts';
import type { ExchangeRequest } from '../../exchange/exchange.ts';
import type { OutgoingReply } from '../../exchange/reply.ts';
import { sha256Base64Url } from './machine/crypto.ts';

export interface AssetSource {
  /** Media type. */
  readonly type: string;
  /** Paths where the file may be. The first one that exists is used. */
  readonly places: readonly string[];
  /** Makes the content from the text of the file. If absent, the file is sent unchanged. */
  readonly convert?: (text: string) => Promise<string>;
}

export interface Asset {
  /** Whether the file exists. */
  exists(): Promise<boolean>;
  /**
   * Sends the file with 200, or 304 if the client already has it. The file is read at the first request, and again if
   * it changed.
   * @returns undefined if the file is in none of its places.
   */
  send(
    request: Pick<ExchangeRequest, 'headers'>,
    headers?: Readonly<Record<string, string>>,
  ): Promise<OutgoingReply | undefined>;
}

/** Our order of preference: Brotli makes text a sixth smaller than gzip does. */
const codings = ['br', 'gzip', 'identity'] as const;
type Coding = (typeof codings)[number];
type Compressed = Exclude<Coding, 'identity'>;

/** Compressing a file smaller than a packet gains nothing. */
const smallest = 1400;

/** One version of a file, kept until the file changes. */
interface Version {
  readonly tag: string;
  readonly size: number;
  readonly plain: () => AsyncIterable<Uint8Array>;
  readonly compressed: (coding: Compressed) => Promise<Uint8Array>;
}

export function createAsset(source: AssetSource): Asset {
  let kept: { readonly stamp: string; readonly version: Promise<Version> } | undefined;
  const newest = async (): Promise<Version | undefined> => {
    const found = await findFile(source.places);
    if (found === undefined) return undefined;
    if (kept?.stamp !== found.stamp) kept = { stamp: found.stamp, version: readVersion(source, found) };
    const { version } = kept;
    // If reading failed, the next request tries again.
    version.catch(() => {
      kept = undefined;
    });
    return version;
  };
  return {
    exists: async () => (await findFile(source.places)) !== undefined,
    async send(request, headers) {
      const version = await newest();
      return version === undefined ? undefined : sendVersion(version, source.type, request, headers);
    },
  };
}

interface FoundFile {
  readonly path: string;
  readonly stamp: string;
}

async function findFile(places: readonly string[]): Promise<FoundFile | undefined> {
  for (const path of places) {
    const found = await stat(path).catch(() => undefined);
    if (found !== undefined) return { path, stamp: `${path} ${found.size} ${found.mtimeMs}` };
  }
  return undefined;
}

async function readVersion({ convert }: AssetSource, { path }: FoundFile): Promise<Version> {
  const file = await readFile(path);
  const converted = convert === undefined ? undefined : Buffer.from(await convert(file.toString('utf8')));
  const content = converted ?? file;
  return {
    // The tag is a hash of the content, so it is the same in all processes and after a restart.
    tag: sha256Base64Url(content).slice(0, 22),
    size: content.length,
    // A file can be large, and clients rarely ask for it uncompressed. So it isn't kept in memory.
    plain: converted === undefined ? () => streamFile(path) : () => onePiece(converted),
    compressed: memoize(async (coding) => compress(coding, converted ?? (await readFile(path)))),
  };
}

async function sendVersion(
  version: Version,
  type: string,
  { headers: asked }: Pick<ExchangeRequest, 'headers'>,
  more: Readonly<Record<string, string>> = {},
): Promise<OutgoingReply> {
  const coding = version.size < smallest ? 'identity' : chooseCoding(asked.get('accept-encoding'));
  // A strong ETag names the bytes that are sent, so each coding has its own (RFC 9110, 8.8.3).
  const etag = coding === 'identity' ? `"${version.tag}"` : `"${version.tag}-${coding}"`;
  const headers = { 'Cache-Control': 'no-cache', ...more, ETag: etag, Vary: 'Accept-Encoding' };
  if (isListed(etag, asked.get('if-none-match'))) return { status: 304, headers };
  const send = (length: number, stream: AsyncIterable<Uint8Array>, coded: Readonly<Record<string, string>> = {}) => ({
    status: 200,
    headers: { ...headers, ...coded, 'Content-Type': type, 'Content-Length': String(length) },
    stream,
  });
  if (coding === 'identity') return send(version.size, version.plain());
  const bytes = await version.compressed(coding);
  return send(bytes.length, onePiece(bytes), { 'Content-Encoding': coding });
}

/** The library's types lack the parameter for our preference among codings that the client accepts equally. */
interface PreferringNegotiator {
  encodings(available: readonly Coding[], options: { readonly preferred: readonly Coding[] }): Coding[];
}

/**
 * If a client sends no preference, or accepts none of our codings, it gets the file uncompressed (RFC 9110, 12.5.3).
 */
function chooseCoding(accepted: string | null): Coding {
  if (accepted === null) return 'identity';
  const negotiator = new Negotiator({ headers: { 'accept-encoding': accepted } }) as unknown as PreferringNegotiator;
  return negotiator.encodings(codings, { preferred: codings })[0] ?? 'identity';
}

/** Whether `If-None-Match` lists a tag. Weak and strong tags count as equal there (RFC 9110, 13.1.2). */
function isListed(etag: string, listed: string | null): boolean {
  if (listed === null) return false;
  return listed.split(',').some((one) => one.trim() === '*' || one.trim().replace(/^W\//, '') === etag);
}

const gzipped = promisify(gzip);
const brotli = promisify<Uint8Array, object, Buffer>(brotliCompress);

/** Brotli's level 5 takes 0.3 s for 4.9 MB. The best level takes 11 s and saves another 14 %. */
function compress(coding: Compressed, content: Uint8Array): Promise<Uint8Array> {
  if (coding === 'gzip') return gzipped(content);
  const params = { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_SIZE_HINT]: content.length };
  return brotli(content, { params });
}

/** Opens the file when it is read. */
async function* streamFile(path: string): AsyncIterable<Uint8Array> {
  yield* createReadStream(path);
}

async function* onePiece(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes;
}
