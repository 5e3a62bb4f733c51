import { below, elements, follow, keyword, nameOf, pointer, properties, schemas } from '../walk.js';

/** R30. Takes no options. That a member states its tag as `const` is R04's business. */
export default function tagsAreEnums(doc) {
  const faults = new Map();
  for (const union of schemas(doc)) {
    const tag = union.node.discriminator?.propertyName;
    if (typeof tag !== 'string') continue;
    for (const [i] of elements(union.node.oneOf)) {
      for (const place of properties(doc, follow(doc, below(union, 'oneOf', i))).get(tag) ?? []) {
        const value = keyword(doc, place, 'const');
        if (typeof value !== 'string') continue;
        const values = keyword(doc, place, 'enum');
        if (keyword(doc, place, 'type') === 'string' && Array.isArray(values) && values.join() === value) continue;
        const message = `${nameOf(place.path)}: write the tag as type: string, const: ${value} and enum: [${value}].`;
        faults.set(pointer(place.path), { message, path: place.path });
      }
    }
  }
  return [...faults.values()];
}
