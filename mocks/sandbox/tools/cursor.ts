import { decodeBase64Url } from '../../../contract/encodings.ts';
import { createHmac, timingSafeEqual } from '../node/machine/crypto.ts';
import { hashJson } from './bytes.ts';

/** What a cursor is good for; it is refused anywhere else (D07). */
export interface CursorScope {
  readonly platformId: string;
  readonly operationId: string;
  readonly filters: Readonly<Record<string, unknown>>;
}

/** Writes and reads list cursors: opaque, tamper-evident, and bound to platform, operation and filters. */
export interface Cursors {
  write(scope: CursorScope, sequence: number): string;
  /** The sequence the cursor stands at, or null when it is damaged or belongs to another list. */
  read(scope: CursorScope, cursor: string): number | null;
}

const tagLength = 16;

/** @param key of the store, so that every process over it understands the cursors of the others. */
export function createCursors(key: string): Cursors {
  const tag = (scope: CursorScope, position: Buffer): Buffer => {
    const bound = JSON.stringify([scope.platformId, scope.operationId, hashJson(scope.filters)]);
    return createHmac('sha256', key).update(bound).update(position).digest().subarray(0, tagLength);
  };
  return {
    write(scope, sequence) {
      const position = Buffer.alloc(8);
      position.writeBigUInt64BE(BigInt(sequence));
      return Buffer.concat([position, tag(scope, position)]).toString('base64url');
    },
    read(scope, cursor) {
      const bytes = Buffer.from(decodeBase64Url(cursor) ?? []);
      // The spelling we wrote and no other, so without padding.
      if (bytes.length !== 8 + tagLength || cursor.endsWith('=')) return null;
      const position = bytes.subarray(0, 8);
      if (!timingSafeEqual(bytes.subarray(8), tag(scope, position))) return null;
      return Number(position.readBigUInt64BE());
    },
  };
}
