import { fileURLToPath } from 'node:url';
import { Problem } from '../tools/problem.ts';
import type { RouteTable } from '../transport/routes.ts';
import type { Link } from '../transport/startPage.ts';
import { type AssetSource, createAsset } from './assets.ts';

/** The link to the guides on the start page, for readers without a browser. */
export const guidesLink: Link = {
  href: '/guides.md',
  title: 'Guides as Markdown',
  text: 'Sign-in, payments, errors, magic values and the decisions, as plain text.',
  type: 'text/markdown',
};

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

/** Adds `/guides.md`: the description of the contract, which is its guides. */
export function mountGuides(table: RouteTable, file: URL | string): void {
  const places = [file instanceof URL ? fileURLToPath(file) : file];
  const convert = (json: string) => `# Guides\n\n${JSON.parse(json).info.description.trimEnd()}\n`;
  add(table, guidesLink.href, {
    type: `${guidesLink.type}; charset=utf-8`,
    places,
    convert: async (json) => convert(json),
  });
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
