import type { Ajv2020 } from 'ajv/dist/2020.js';
import canonicalize from 'canonicalize';

/**
 * Replaces Ajv's `uniqueItems`, which calls `toString` or `valueOf` of an item and throws if these are fields of it.
 * Items are equal if their canonical JSON is (RFC 8785), which needs one pass over the list. It never throws: an item
 * without canonical JSON (Infinity, half a surrogate pair) is equal only to itself.
 */
export function addUniqueItems(ajv: Ajv2020): void {
  ajv.removeKeyword('uniqueItems');
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    validate: (wanted: boolean, items: unknown[]) => !wanted || new Set(items.map(identityOf)).size === items.length,
    error: { message: 'must not hold the same item twice' },
  });
}

function identityOf(item: unknown): unknown {
  try {
    return canonicalize(item);
  } catch {
    return item;
  }
}
