import { hasType, keyword, nameOf, requestSchemas, schemas } from '../walk.js';

const lower = ['minimum', 'exclusiveMinimum'];
const upper = ['maximum', 'exclusiveMaximum'];

/** R06. Takes no options. */
export default function integersAreBounded(doc) {
  const faults = new Map();
  const check = (schema, message) => {
    const has = (name) => keyword(doc, schema, name) !== undefined;
    if (has('const') || has('enum') || (lower.some(has) && upper.some(has))) return;
    faults.set(schema.path.join(' '), { message: `${nameOf(schema.path)}: ${message}`, path: schema.path });
  };
  for (const schema of schemas(doc)) {
    if (schema.node.format === 'int64') check(schema, 'give the int64 a minimum and a maximum.');
  }
  for (const schema of requestSchemas(doc)) {
    if (hasType(doc, schema, 'integer')) check(schema, 'give the integer of a request a minimum and a maximum.');
  }
  return [...faults.values()];
}
