import { hasType, keyword, nameOf, requestSchemas } from '../walk.js';

const boundedFormats = ['date', 'date-time', 'uuid'];

/**
 * R12. Takes no options. `x-bound: body` is the exemption: a proof of any length is a wrong proof (401), so only the
 * bound of the whole body holds (D84).
 */
export default function requestTextIsBounded(doc) {
  return [...requestSchemas(doc)].flatMap((schema) => {
    if (schema.where !== 'body' && schema.where !== 'query') return [];
    const has = (name) => keyword(doc, schema, name) !== undefined;
    const fault = (message) => [{ message: `${nameOf(schema.path)}: ${message}`, path: schema.path }];
    if (hasType(doc, schema, 'array') && !has('maxItems')) return fault('give the array of a request maxItems.');
    const bounded =
      ['maxLength', 'enum', 'const'].some(has) ||
      keyword(doc, schema, 'x-bound') === 'body' ||
      boundedFormats.includes(keyword(doc, schema, 'format'));
    return hasType(doc, schema, 'string') && !bounded ? fault('give the string of a request a maxLength.') : [];
  });
}
