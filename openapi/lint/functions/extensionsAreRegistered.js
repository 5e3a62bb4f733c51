import { entries } from '../walk.js';

/** Objects whose keys are names of somebody's choosing, so that an `x-` there is no extension. */
const nameMaps = [
  'properties',
  'patternProperties',
  '$defs',
  'dependentSchemas',
  'schemas',
  'parameters',
  'headers',
  'responses',
  'requestBodies',
  'examples',
  'securitySchemes',
  'mapping',
  'content',
  'paths',
];

/** Keywords whose value is data, not contract. */
const data = ['value', 'default', 'const', 'enum', 'example'];

/** R14. `register`: the x- keys in use. */
export default function extensionsAreRegistered(doc, { register }) {
  const faults = [];
  const walk = (node, path, keysAreNames) => {
    if (Array.isArray(node)) for (const [i, child] of node.entries()) walk(child, [...path, i], false);
    for (const [key, child] of entries(node)) {
      const here = [...path, key];
      if (keysAreNames) walk(child, here, false);
      else if (key.startsWith('x-')) {
        if (register.includes(key)) continue;
        faults.push({ message: `enter ${key} in the register in openapi/README.md, or do without it.`, path: here });
      } else if (!data.includes(key)) walk(child, here, nameMaps.includes(key));
    }
  };
  walk(doc, [], false);
  return faults;
}
