/**
 * Writes pages for language models: `llms.txt` (llmstxt.org), and Markdown of the guides, the operations and the
 * schemas.
 */
import { samplesOf } from '../generate/readable.ts';
import { type ContractDocument, type Operation, resolveRef, type SchemaObject } from '../lib/contract.ts';
import { anchorsOf, headingsOf, linkNames, slugOf } from '../lib/names.ts';
import { firstSentence, joinParts, withHeadingsFrom } from './markdown.ts';
import { type DocumentedOperation, documentedOperations, operationText } from './operationText.ts';
import { schemaText } from './schemaText.ts';

interface Tag {
  readonly name: string;
  readonly description?: string;
  readonly 'x-displayName'?: string;
}

interface Guide {
  readonly slug: string;
  readonly title: string;
  readonly text: string;
}

/**
 * Writes `llms.txt` and the pages that it lists.
 *
 * @param base the address of the site with a final slash, for absolute links; empty for relative links
 * @returns the text of each file by its path in the site
 */
export function writeMarkdown(contract: ContractDocument, base: string): Map<string, string> {
  const { title = '', version = '', summary = '', description = '' } = contract.info ?? {};
  const operations = documentedOperations(contract);
  const guides = splitGuides(description);
  const link = (folder: string) => (name: string) => `[${name}](${folder}${name}.md)`;
  const samples = samplesOf(contract);
  const linked = linker(guides, operations);
  const files = new Map<string, string>();
  const add = (path: string, text: string): unknown => files.set(path, linked(path, text));
  for (const { slug, text } of guides) add(`guides/${slug}.md`, joinParts([withHeadingsFrom(1, text)]));
  for (const operation of operations) {
    const { operationId } = operation;
    const text = operationText(contract, operation, samples.get(operationId) ?? [], link('../schemas/'));
    add(`operations/${operationId}.md`, text);
  }
  for (const [name, schema] of Object.entries(contract.components?.schemas ?? {})) {
    const text = schemaText(contract, resolveRef<SchemaObject>(contract, schema as SchemaObject), link(''));
    add(`schemas/${name}.md`, joinParts([`# ${name}`, text]));
  }
  files.set(
    'llms.txt',
    joinParts([
      `# ${title}`,
      `> ${summary}`,
      `Version ${version}. Amounts are integers in the smallest unit of their currency.`,
      `## Contract\n\n- [OpenAPI 3.1](${base}openapi.json): every operation, schema and example`,
      section(
        'Guides',
        guides.map(({ slug, title: name, text }) => `- [${name}](${base}guides/${slug}.md): ${aboutGuide(text)}`),
      ),
      ...byTag(contract, operations).map(({ tag, its }) =>
        section(
          tag['x-displayName'] ?? tag.name,
          its.map(
            (operation) =>
              `- [${operation.operationId}](${base}operations/${operation.operationId}.md): ${operation.method} ${operation.path}, ${firstSentence(operation.summary ?? '')}`,
          ),
        ),
      ),
    ]),
  );
  return files;
}

function section(title: string, lines: readonly string[]): string {
  return `## ${title}\n\n${lines.join('\n')}`;
}

function byTag(contract: ContractDocument, operations: readonly DocumentedOperation[]) {
  const tags = ((contract as { tags?: readonly Tag[] }).tags ?? []) as readonly Tag[];
  const has = ({ tags: its = [] }: Operation, name: string): boolean => its[0] === name;
  const known = tags.map((tag) => ({ tag, its: operations.filter((operation) => has(operation, tag.name)) }));
  const rest = operations.filter((operation) => !tags.some(({ name }) => has(operation, name)));
  return [...known, { tag: { name: 'Other operations' }, its: rest }].filter(({ its }) => its.length > 0);
}

/** Splits the contract's description into guides. Each begins with a heading of level 2. */
function splitGuides(description: string): Guide[] {
  return description
    .split(/^(?=## )/m)
    .filter((text) => text.startsWith('## '))
    .map((text) => {
      const [title = ''] = headingsOf(text);
      return { slug: slugOf(title), title, text };
    });
}

/**
 * Links a page to what it names: errors, decisions and operations. In the contract, a link leads to a heading of the
 * same text. Here the heading may be on another page.
 */
function linker(guides: readonly Guide[], operations: readonly DocumentedOperation[]) {
  const pageOf = new Map(
    guides.flatMap(({ slug, text }) =>
      headingsOf(text).map((title, place): [string, string] => [
        slugOf(title),
        `../guides/${slug}.md${place === 0 ? '' : `#${slugOf(title)}`}`,
      ]),
    ),
  );
  const addresses = new Map([
    ...operations.map(({ operationId }): [string, string] => [operationId, `../operations/${operationId}.md`]),
    ...guides.flatMap(({ text }) =>
      [...anchorsOf(text)].map(([name, slug]): [string, string] => [name, pageOf.get(slug) ?? '']),
    ),
  ]);
  return (path: string, text: string): string =>
    linkNames(text, (name) => {
      const address = addresses.get(name);
      return address === `../${path}` ? undefined : address;
    }).replaceAll(/\]\(#([\w-]+)\)/g, (whole, slug: string) => {
      const page = pageOf.get(slug);
      return page === undefined ? whole : `](${page})`;
    });
}

function aboutGuide(text: string): string {
  const prose = text.split('\n\n').find((part) => /^[*\w`]/.test(part)) ?? '';
  return firstSentence(prose.replaceAll('**', '').replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1'));
}
