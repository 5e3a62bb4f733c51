import { carriers, elements, entries, schemas } from '../walk.js';

const camelCase = /^[a-z][a-z0-9]*([A-Z][a-z0-9]*)*$/;
const pascalCase = /^[A-Z][A-Za-z0-9]*$/;
const upperSnakeCase = /^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$/;

/**
 * R16. `foreignValues`: the enum values that another standard spells, by the property or schema they are values of.
 * `foreignNames`: properties that another standard names.
 */
export default function namesAreSpeltAlike(doc, { foreignValues, foreignNames = [] }) {
  const faults = [];
  const fault = (message, path) => faults.push({ message, path });
  const isForeign = (value, path) =>
    Object.entries(foreignValues).some(([name, values]) => path.includes(name) && values.includes(value));
  for (const { node, path, component } of schemas(doc)) {
    if (component !== undefined && !pascalCase.test(component)) {
      fault(`name the schema "${component}" in PascalCase.`, path);
    }
    for (const [name] of entries(node.properties)) {
      if (camelCase.test(name) || foreignNames.includes(name)) continue;
      fault(`name the property "${name}" in camelCase.`, [...path, 'properties', name]);
    }
    const values = [...elements(node.enum).map(([i, value]) => [value, 'enum', i]), [node.const, 'const']];
    for (const [value, ...keys] of values) {
      if (typeof value !== 'string' || upperSnakeCase.test(value) || isForeign(value, path)) continue;
      fault(`write the value "${value}" in UPPER_SNAKE_CASE.`, [...path, ...keys]);
    }
  }
  for (const { node, path, kind } of carriers(doc)) {
    if (kind !== 'parameter' || node.in === 'header' || camelCase.test(node.name ?? '')) continue;
    fault(`name the parameter "${node.name}" in camelCase.`, [...path, 'name']);
  }
  return faults;
}
