import { carriers, entries, nameOf, schemas } from '../walk.js';

/** R08. Takes no options. */
export default function examplesAreNamed(doc) {
  const faults = [];
  for (const { node, path, kind } of carriers(doc)) {
    if (node.example !== undefined) {
      faults.push({ message: 'write examples with a name each, not example.', path: [...path, 'example'] });
    }
    if (kind === 'media type' && entries(node.examples).length === 0) {
      faults.push({ message: `give the ${path.at(-1)} content at least one named example.`, path });
    }
  }
  for (const { node, path } of schemas(doc)) {
    for (const key of ['example', 'examples']) {
      if (node[key] === undefined) continue;
      const message = `${nameOf(path)}: move the example to the request or response that uses the schema.`;
      faults.push({ message, path: [...path, key] });
    }
  }
  return faults;
}
