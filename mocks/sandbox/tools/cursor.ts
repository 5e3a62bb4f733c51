import { decodeBase64Url } from '../../../contract/encodings.ts';
import { toBase64Url } from '../node/machine/bytes.ts';
import { equalInConstantTime, hmacSha256 } from '../node/machine/crypto.ts';
import { hashJson } from './bytes.ts';

/** Where a cursor is valid. It is refused anywhere else (D07). */
export interface CursorScope {
  readonly platformId: string;
  readonly operationId: string;
  readonly filters: Readonly<Record<string, unknown>>;
}

/**
 * Writes and reads list cursors. They are opaque, protected against changes, and bound to platform, operation and
 * filters.
 */
export interface Cursors {
  write(scope: CursorScope, sequence: number): string;
  /** The sequence at the cursor; null if it is damaged or belongs to another list. */
  read(scope: CursorScope, cursor: string): number | null;
}

const positionLength = 8;
const tagLength = 16;

/** @param key of the store, so that all its processes understand each other's cursors. */
export function createCursors(key: string): Cursors {
  const tag = (scope: CursorScope, position: Uint8Array): Uint8Array => {
    const bound = JSON.stringify([scope.platformId, scope.operationId, hashJson(scope.filters)]);
    return hmacSha256(key, bound, position).subarray(0, tagLength);
  };
  return {
    write(scope, sequence) {
      const bytes = new Uint8Array(positionLength + tagLength);
      new DataView(bytes.buffer).setBigUint64(0, BigInt(sequence));
      bytes.set(tag(scope, bytes.subarray(0, positionLength)), positionLength);
      return toBase64Url(bytes);
    },
    read(scope, cursor) {
      const bytes = decodeBase64Url(cursor);
      // Only the spelling that we write is accepted, which has no padding.
      if (bytes?.length !== positionLength + tagLength || cursor.endsWith('=')) return null;
      const given = bytes.subarray(positionLength);
      if (!equalInConstantTime(given, tag(scope, bytes.subarray(0, positionLength)))) return null;
      return Number(new DataView(bytes.buffer).getBigUint64(0));
    },
  };
}
