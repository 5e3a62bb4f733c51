/** Pages for language models: `llms.txt` (llmstxt.org), and Markdown of the guides, the operations and the schemas. */
import { type ContractDocument, type Operation, resolveRef, type SchemaObject } from '../lib/contract.ts';
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
 * @param base the address of the site with a final slash, which makes the links absolute; empty for relative ones
 * @returns the text of each file by its path in the site
 */
export function writeMarkdown(contract: ContractDocument, base: string): Map<string, string> {
  const { title = '', version = '', summary = '', description = '' } = contract.info ?? {};
  const operations = documentedOperations(contract);
  const guides = splitGuides(description);
  const link = (folder: string) => (name: string) => `[${name}](${folder}${name}.md)`;
  const files = new Map<string, string>();
  for (const { slug, text } of guides) files.set(`guides/${slug}.md`, text);
  for (const operation of operations) {
    files.set(`operations/${operation.operationId}.md`, operationText(contract, operation, link('../schemas/')));
  }
  for (const [name, schema] of Object.entries(contract.components?.schemas ?? {})) {
    const text = schemaText(contract, resolveRef<SchemaObject>(contract, schema as SchemaObject), link(''));
    files.set(`schemas/${name}.md`, joinParts([`# ${name}`, text]));
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

/** The guides stand one after the other in the contract's description, each under a heading of level 2. */
function splitGuides(description: string): Guide[] {
  const guides = description
    .split(/^(?=## )/m)
    .filter((text) => text.startsWith('## '))
    .map((text) => {
      const [title = ''] = headingsOf(text);
      return { slug: slugOf(title), title, text };
    });
  const fileOf = new Map(
    guides.flatMap(({ slug, text }) =>
      headingsOf(text).map((title, place) => [
        slugOf(title),
        place === 0 ? `${slug}.md` : `${slug}.md#${slugOf(title)}`,
      ]),
    ),
  );
  return guides.map(({ slug, title, text }) => ({
    slug,
    title,
    text: joinParts([
      // In one document a link names a heading; here the heading may be on another page.
      withHeadingsFrom(1, text).replaceAll(/\]\(#([\w-]+)\)/g, (whole, name: string) => {
        const file = fileOf.get(name);
        return file === undefined ? whole : `](${file})`;
      }),
    ]),
  }));
}

function headingsOf(text: string): string[] {
  return [...text.matchAll(/^#{2,} (.+)$/gm)].map(([, title = '']) => title.trim());
}

/** A heading's anchor, as GitHub and our readers make it. */
function slugOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');
}

function aboutGuide(text: string): string {
  const prose = text.split('\n\n').find((part) => /^[*\w`]/.test(part)) ?? '';
  return firstSentence(prose.replaceAll('**', '').replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1'));
}
