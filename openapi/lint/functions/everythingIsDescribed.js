import { carriers, keyword, nameOf, properties, schemas } from '../walk.js';

const isText = (value) => typeof value === 'string' && value.trim() !== '';

/** R17. Takes no options. */
export default function everythingIsDescribed(doc) {
  const faults = [];
  const fault = (path, what) => {
    const message = `${nameOf(path)}: describe the ${what}: what it is for, its unit, when it is absent.`;
    faults.push({ message, path });
  };
  for (const schema of schemas(doc)) {
    const { path, component, property, owner } = schema;
    if (component === undefined && property === undefined) continue;
    const places = [schema, ...(property === undefined ? [] : (properties(doc, owner).get(property) ?? []))];
    const described = places.some((place) => isText(keyword(doc, place, 'description')));
    if (!described) fault(path, property === undefined ? 'schema' : 'property');
  }
  for (const { node, path, kind } of carriers(doc)) {
    if (kind !== 'media type' && !isText(node.description)) fault(path, kind);
  }
  return faults;
}
