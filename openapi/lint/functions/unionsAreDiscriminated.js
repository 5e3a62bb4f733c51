import { below, elements, entries, follow, keyword, nameOf, pointer, properties, schemas, target } from '../walk.js';

/** R04. Takes no options. An `x-decision` on the union says why it is otherwise. */
export default function unionsAreDiscriminated(doc) {
  return [...schemas(doc)].flatMap((schema) => {
    const { node, path } = schema;
    if ((node.oneOf === undefined && node.anyOf === undefined) || node['x-decision'] !== undefined) return [];
    const faults = [];
    const fault = (message, ...keys) =>
      faults.push({ message: `${nameOf(path)}: ${message}`, path: below(schema, ...keys).path });
    if (node.anyOf !== undefined) {
      fault('write a union as oneOf with a discriminator, not as anyOf.', 'anyOf');
      return faults;
    }
    if (node.type !== 'object') fault('put type: object on the union, else 5 and null pass.');
    const tag = node.discriminator?.propertyName;
    if (typeof tag !== 'string') {
      fault('give the union a discriminator with a mapping, or an x-decision that says why it has none.');
      return faults;
    }
    const mapping = entries(node.discriminator.mapping).map(([value, ref]) => {
      const place = target(doc, ref.includes('/') ? ref : `#/components/schemas/${ref}`);
      return { value, place, to: place && pointer(follow(doc, place).path) };
    });
    const members = elements(node.oneOf).map(([i]) => ({ i, place: follow(doc, below(schema, 'oneOf', i)) }));
    for (const { i, place } of members) {
      const values = mapping.filter(({ to }) => to === pointer(place.path)).map(({ value }) => value);
      const constant = (properties(doc, place).get(tag) ?? [])
        .flatMap((property) => [keyword(doc, property, 'const'), keyword(doc, property, 'enum')])
        .flat();
      if (values.length === 0) fault(`map a value of ${tag} to this member.`, 'oneOf', i);
      else if (!values.every((value) => constant.includes(value)) || !keyword(doc, place, 'required')?.includes(tag)) {
        fault(`the member requires ${tag} and states it as const: ${values.join(', ')}.`, 'oneOf', i);
      }
    }
    for (const { value, to } of mapping) {
      if (!members.some(({ place }) => pointer(place.path) === to)) {
        fault(`"${value}" is mapped to no member of the union.`, 'discriminator', 'mapping', value);
      }
    }
    return faults;
  });
}
