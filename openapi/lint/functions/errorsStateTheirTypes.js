import { below, elements, entries, follow, keyword, operations, pointer, responsesOf } from '../walk.js';

const types = { status: 'integer', code: 'string' };

/** R29. Takes no options. It looks where R09 narrows `ApiError`, and at nothing else. */
export default function errorsStateTheirTypes(doc) {
  const faults = new Map();
  for (const operation of operations(doc)) {
    for (const response of responsesOf(doc, operation)) {
      if (!/^[45]/.test(response.status)) continue;
      for (const [media] of entries(response.node.content)) {
        const schema = follow(doc, below(response, 'content', media, 'schema'));
        const members = elements(schema.node?.allOf).map(([i]) => below(schema, 'allOf', i));
        for (const member of [schema, ...members]) {
          for (const [name, type] of Object.entries(types)) {
            const field = below(member, 'properties', name);
            if (field.node === undefined || keyword(doc, field, 'type') === type) continue;
            faults.set(pointer(field.path), {
              message: `state the type: ${type} of ${name} here too.`,
              path: field.path,
            });
          }
        }
      }
    }
  }
  return [...faults.values()];
}
