import { fileURLToPath } from 'node:url';
import { Problem } from '../tools/problem.ts';
import type { RouteTable } from '../transport/routes.ts';
import type { Link } from '../transport/startPage.ts';
import { type AssetSource, createAsset } from './assets.ts';

/** The links to a contract on the start page, as JSON and as YAML. */
export function linksOfContract(path: string, title: string, text: string): Link[] {
  return [
    { href: `${path}.json`, title: `${title} as JSON`, text, type: 'application/json' },
    { href: `${path}.yaml`, title: `${title} as YAML`, text: 'The same document.', type: 'application/yaml' },
  ];
}

/**
 * Adds `<path>.json` and `<path>.yaml`: a bundled contract, for generators, editors and other tools. Both are read at
 * the first request.
 * @param file the location of the document, as JSON. The JSON is served byte for byte.
 */
export function mountContract(table: RouteTable, path: string, file: URL | string): void {
  const places = [file instanceof URL ? fileURLToPath(file) : file];
  add(table, `${path}.json`, { type: 'application/json', places });
  add(table, `${path}.yaml`, { type: 'application/yaml', places, convert: toYaml });
}

function add(table: RouteTable, path: string, source: AssetSource): void {
  const asset = createAsset(source);
  table.add({
    method: 'GET',
    path,
    async answer({ request }) {
      const reply = await asset.send(request, { 'X-Content-Type-Options': 'nosniff' });
      if (reply === undefined) throw new Problem('NOT_FOUND', 'The contract is not part of this installation.');
      return reply;
    },
  });
}

/**
 * Writes YAML that readers of 1.1 and 1.2 understand alike. Version 1.1 reads `no` as false and `2025-10-13` as a date.
 */
async function toYaml(json: string): Promise<string> {
  const { stringify } = await import('yaml');
  return stringify(JSON.parse(json), { compat: 'yaml-1.1', aliasDuplicateObjects: false, lineWidth: 0 });
}
