import type { Ajv2020 } from 'ajv/dist/2020.js';
import canonicalize from 'canonicalize';

/**
 * Replaces Ajv's `uniqueItems`, which throws on an item with a field named `toString` or `valueOf` (it calls them). Items
 * are the same when their canonical JSON is (RFC 8785), and one walk over the list tells. It never throws, whatever it is
 * given: what has no canonical JSON (Infinity, half a surrogate pair) is the same as itself only.
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
