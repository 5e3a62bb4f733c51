/** Adds the documentation to the site as pages, with a search that needs no server. */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path/posix';
import { Marked } from 'marked';
import MiniSearch, { type Options } from 'minisearch';
import { escapeHtml } from '../../mocks/sandbox/transport/html.ts';
import { slugOf } from '../lib/names.ts';
import { page } from './pages.ts';

/** Pages outside `docs/` that it links to. A link to any other file has no page and is shown as text. */
const besides = [
  'cli/README.md',
  'client/README.md',
  'conformance/README.md',
  'examples/README.md',
  'examples/*/README.md',
  'mocks/README.md',
  'mocks/sandbox/SECURITY.md',
  'openapi/README.md',
  'package/README.md',
];

/** How the search compares words. The site's page gets the same options. */
const searchOptions = {
  fields: ['title', 'section', 'text'],
  storeFields: ['title', 'section', 'address'],
  searchOptions: { boost: { title: 3, section: 2 }, prefix: true, fuzzy: 0.2, combineWith: 'AND' },
} satisfies Options;

interface Section {
  readonly id: number;
  readonly address: string;
  readonly title: string;
  readonly section: string;
  readonly text: string;
}

/** A Markdown page, and its place in the site. */
interface Source {
  readonly to: string;
  readonly text: string;
  /** The site address for a relative link; undefined if the site doesn't have the target. */
  readonly addressOf: (path: string) => string | undefined;
}

/**
 * Adds `docs/` to the site: each page of the folder, the pages outside it, and the contract's guides.
 *
 * @param root the project; without a folder `docs/` nothing is added
 * @param files the files of the site, with the guides as Markdown in `guides/`
 */
export function addDocs(files: Map<string, string>, root: string): void {
  const sections: Section[] = [];
  const sources = [...projectPages(root), ...guidePages(files)];
  if (!sources.some(({ to }) => to === 'docs/index.html')) return;
  for (const source of sources) {
    const { title, html, found } = render(source);
    const isStart = source.to === 'docs/index.html';
    const toRoot = '../'.repeat(source.to.split('/').length - 1);
    const way = isStart
      ? `<a href="${toRoot}index.html">Start</a>`
      : `<a href="${toRoot}docs/index.html">Documentation</a>`;
    const body = `<p>${way}</p>\n${isStart ? html.replace('</h1>', `</h1>\n${searchForm}`) : html}`;
    files.set(
      source.to,
      page(title, toRoot, `<div class="docs">\n${body}\n</div>${isStart ? searchScripts : ''}`, isStart),
    );
    for (const one of found) sections.push({ ...one, id: sections.length });
  }
  const index = new MiniSearch<Section>(searchOptions);
  index.addAll(sections);
  files.set('docs/search-index.js', `globalThis.docsSearch = ${JSON.stringify({ options: searchOptions, index })};\n`);
  files.set('docs/search.js', readFileSync(new URL('./search.js', import.meta.url), 'utf8'));
  files.set('docs/minisearch.js', readFileSync(new URL('../umd/index.js', import.meta.resolve('minisearch')), 'utf8'));
}

const searchForm = `<p><label>Search <input type="search" id="search" autocomplete="off"></label></p>
<ul id="found" aria-live="polite"></ul>`;
const searchScripts = ['minisearch', 'search-index', 'search']
  .map((name) => `\n<script src="${name}.js"></script>`)
  .join('');

function projectPages(root: string): Source[] {
  const paths = ['docs/**/*.md', ...besides].flatMap((pattern) => globSync(pattern, { cwd: root }).sort());
  const guides = new Map(
    globSync('openapi/guides/*.md', { cwd: root }).map((path) => {
      const [, title = ''] = /^## (.+)$/m.exec(readFileSync(join(root, path), 'utf8')) ?? [];
      return [path, `docs/guides/${slugOf(title)}.html`];
    }),
  );
  // The decisions are in one of the guides.
  guides.set('openapi/DECISIONS.md', 'docs/guides/decisions.html');
  const places = new Map([...paths.map((path): [string, string] => [path, placeOf(path)]), ...guides]);
  return paths.map((path) => ({
    to: placeOf(path),
    text: readFileSync(join(root, path), 'utf8'),
    addressOf: (link) => places.get(normalize(join(dirname(path), link))),
  }));
}

/** The place of a project's page in the site. */
function placeOf(path: string): string {
  if (path === 'docs/README.md') return 'docs/index.html';
  if (path.startsWith('docs/')) return path.replace(/md$/, 'html');
  return `docs/project/${path.replace(/(\/README)?\.md$/, '').replaceAll('/', '-')}.html`;
}

function guidePages(files: ReadonlyMap<string, string>): Source[] {
  return [...files]
    .filter(([path]) => path.startsWith('guides/'))
    .map(([path, text]) => ({
      to: `docs/${path.replace(/md$/, 'html')}`,
      text,
      addressOf: (link) => {
        const target = normalize(join('guides', link));
        if (target.startsWith('guides/')) return `docs/${target.replace(/md$/, 'html')}`;
        return files.has(target) ? target : undefined;
      },
    }));
}

/** A page as HTML, and its parts between headings, for the search. */
function render({ to, text, addressOf }: Source) {
  const markdown = new Marked();
  const anchors = new Map<string, number>();
  const found: Omit<Section, 'id'>[] = [];
  let title = '';
  const add = (words: string): void => {
    const last = found.at(-1);
    if (last !== undefined) found[found.length - 1] = { ...last, text: `${last.text} ${words}`.trim() };
  };
  for (const token of markdown.lexer(text)) {
    if (token.type !== 'heading') add(token.raw.replaceAll(/<!--.*?-->|[`*|#-]+/gs, ' ').replaceAll(/\s+/g, ' '));
    else {
      const heading = plain(token['text']);
      title ||= heading;
      found.push({ address: '', title, section: heading === title ? '' : heading, text: '' });
    }
  }
  let count = 0;
  markdown.use({
    renderer: {
      heading({ tokens, depth, text: words }) {
        const slug = slugOf(plain(words));
        const again = anchors.get(slug) ?? 0;
        anchors.set(slug, again + 1);
        const id = again === 0 ? slug : `${slug}-${again}`;
        const part = found[count];
        if (part !== undefined)
          found[count] = { ...part, address: `${relative('docs', to)}${count === 0 ? '' : `#${id}`}` };
        count += 1;
        return `<h${depth} id="${escapeHtml(id)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const inner = this.parser.parseInline(tokens);
        const address = resolve(href);
        return address === undefined ? inner : `<a href="${escapeHtml(address)}">${inner}</a>`;
      },
    },
  });
  const resolve = (href: string): string | undefined => {
    if (/^(?:[a-z]+:|#)/.test(href)) return href;
    const [path = '', anchor] = href.split('#');
    const target = addressOf(path);
    if (target === undefined) return undefined;
    return `${relative(dirname(to), target)}${anchor === undefined ? '' : `#${anchor}`}`;
  };
  return { title, html: markdown.parse(text, { async: false }).trim(), found };
}

/** The words of a heading, without links and code marks. */
function plain(words: string): string {
  return words.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('`', '');
}
