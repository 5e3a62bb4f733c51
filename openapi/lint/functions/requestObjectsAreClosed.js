import { follow, hasType, isObject, keyword, nameOf, parts, pointer, requestSchemas } from '../walk.js';

const saysWhatItIs = ['type', 'const', 'enum', 'oneOf', 'anyOf'];

/** R03. `open`: the schemas whose other fields somebody else defines. */
export default function requestObjectsAreClosed(doc, options) {
  const open = options?.open ?? [];
  const faults = new Map();
  for (const schema of requestSchemas(doc)) {
    if (schema.where !== 'body') continue;
    const { path } = follow(doc, schema);
    const fault = (message) => faults.set(pointer(path), { message: `${nameOf(path)}: ${message}`, path });
    const pieces = parts(doc, schema);
    const has = (name) => keyword(doc, schema, name) !== undefined;
    if (!saysWhatItIs.some(has)) {
      fault('give the schema a type; without one it lets anything in.');
    } else if (pieces.filter((piece) => piece.node.properties !== undefined).length > 1) {
      fault('write the fields of a request object flat; a closed allOf refuses valid bodies.');
    } else if ((hasType(doc, schema, 'object') || has('properties')) && !has('oneOf') && !has('anyOf')) {
      const rest = keyword(doc, schema, 'additionalProperties');
      if (rest !== false && !isObject(rest) && !isNamed(path, open)) {
        fault('close the request object with additionalProperties: false, or declare a map by giving it a schema.');
      }
    }
  }
  return [...faults.values()];
}

function isNamed(path, names) {
  return path.length === 3 && path[1] === 'schemas' && names.includes(path[2]);
}
