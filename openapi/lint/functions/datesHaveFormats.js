import { keyword, nameOf, schemas } from '../walk.js';

const formatOf = (name) => (/[a-z]At$/.test(name) ? 'date-time' : /[a-z](Date|On)$/.test(name) ? 'date' : undefined);

/** R07. `exempt`: names with the same ending that aren't dates. */
export default function datesHaveFormats(doc, options) {
  const exempt = options?.exempt ?? [];
  return [...schemas(doc)].flatMap((schema) => {
    const format = formatOf(schema.property ?? '');
    if (format === undefined || exempt.includes(schema.property) || keyword(doc, schema, 'format') === format)
      return [];
    return [{ message: `${nameOf(schema.path)}: give the property format: ${format}.`, path: schema.path }];
  });
}
