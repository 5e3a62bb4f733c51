import { below, keyword, nameOf, operations, parametersOf, schemas } from '../walk.js';

/** R05. `exempt`: names that look like ids of ours and are free text of somebody else. */
export default function idsHavePatterns(doc, { exempt }) {
  const isId = (name) => /^id$|[a-z]Ids?$/.test(name) && !exempt.includes(name);
  const faults = new Map();
  const check = (place, name) => {
    const items = /Ids$/.test(name) ? keyword(doc, place, 'items') : undefined;
    const id = items === undefined ? place : { node: items, path: place.path };
    if (keyword(doc, id, 'pattern') !== undefined) return;
    const message = `${nameOf(place.path)}: give the id a pattern, directly or by $ref to the schema of its type.`;
    faults.set(place.path.join(' '), { message, path: place.path });
  };
  for (const schema of schemas(doc)) {
    if (schema.property !== undefined && isId(schema.property)) check(schema, schema.property);
  }
  for (const operation of operations(doc)) {
    for (const parameter of parametersOf(doc, operation)) {
      const { name, in: where } = parameter.node;
      if ((where === 'path' || where === 'query') && isId(name)) check(below(parameter, 'schema'), name);
    }
  }
  return [...faults.values()];
}
