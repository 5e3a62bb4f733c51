/**
 * `node hyperjump.mjs FILE`: validates the document with OpenAPI 3.1's schema, and each example with its own schema.
 */
import { copyFileSync, readFileSync } from 'node:fs';
import { setMetaSchemaOutputFormat, validate } from '@hyperjump/json-schema/openapi-3-1';

const contract = JSON.parse(readFileSync(process.argv[2], 'utf8'));
// It recognises an OpenAPI document by the end of its name, and reads it from the disk.
const base = './contract.openapi.json';
copyFileSync(process.argv[2], base);
const faults = [];

const document = await validate('https://spec.openapis.org/oas/3.1/schema-base', contract, 'BASIC');
if (!document.valid) faults.push('the document', ...(document.errors ?? []).map((error) => error.instanceLocation));
setMetaSchemaOutputFormat('FLAG');

const follow = (node) => (typeof node?.$ref === 'string' ? follow(at(node.$ref.slice(1))) : node);
const at = (pointer) =>
  pointer
    .split('/')
    .slice(1)
    .reduce((node, key) => node[decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~')], contract);
const escaped = (key) => encodeURIComponent(String(key).replaceAll('~', '~0').replaceAll('/', '~1'));

/** Every object with a schema and examples. */
function* carriers(node, pointer) {
  if (typeof node !== 'object' || node === null) return;
  if (!Array.isArray(node) && node.schema !== undefined && node.examples !== undefined) yield { node, pointer };
  for (const [key, child] of Object.entries(node)) {
    if (key !== 'schema' && key !== 'examples' && key !== 'schemas')
      yield* carriers(child, `${pointer}/${escaped(key)}`);
  }
}

let checked = 0;
for (const { node, pointer } of carriers({ paths: contract.paths, components: contract.components }, '')) {
  const check = await validate(`${base}#${pointer}/schema`);
  for (const [name, example] of Object.entries(node.examples)) {
    checked += 1;
    if (!check(follow(example).value).valid) faults.push(`${pointer}/examples/${name}`);
  }
}
console.log(`${checked - faults.length} of ${checked} examples hold`);
for (const fault of faults) console.log(fault);
process.exitCode = faults.length === 0 ? 0 : 1;
