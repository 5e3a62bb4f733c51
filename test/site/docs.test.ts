/**
 * Promise: the site has every page of docs/, each of their links leads to something, and the search finds their
 * content.
 */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path/posix';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import type { ContractDocument } from '../../scripts/lib/contract.ts';
import { projectRoot } from '../../scripts/lib/project.ts';
import { addDocs } from '../../scripts/site/docs.ts';
import { writeMarkdown } from '../../scripts/site/llms.ts';

const contract = JSON.parse(readFileSync(join(projectRoot, 'generated/openapi.json'), 'utf8')) as ContractDocument;
const files = writeMarkdown(contract, '');
addDocs(files, projectRoot);
const pages = [...files].filter(([path]) => path.endsWith('.html'));

test('has a page for each of docs/ and each guide', () => {
  const docs = globSync('docs/*/*.md', { cwd: projectRoot }).map((path) => path.replace(/md$/, 'html'));
  const guides = [...files.keys()].filter((path) => /^guides\/.*\.md$/.test(path));
  expect(docs.length).toBeGreaterThan(10);
  expect([...files.keys()]).toEqual(expect.arrayContaining(docs));
  for (const guide of guides) expect(files.has(`docs/${guide.replace(/md$/, 'html')}`)).toBe(true);
});

test('every link leads to a file and a heading', () => {
  const others = ['index.html', 'site.css'];
  const dead = pages.flatMap(([path, html]) =>
    [...html.matchAll(/(?:href|src)="(?!https?:|data:)([^"#]*)(?:#([^"]*))?"/g)].flatMap(([, link = '', anchor]) => {
      const target = link === '' ? path : normalize(join(dirname(path), link));
      const text = files.get(target);
      const isThere =
        others.includes(target) || (text !== undefined && (anchor === undefined || hasAnchor(text, anchor)));
      return isThere ? [] : [`${path} → ${link}#${anchor ?? ''}`];
    }),
  );
  expect(dead).toEqual([]);
});

const hasAnchor = (text: string, anchor: string): boolean => text.includes(`id="${anchor}"`) || text.startsWith('#');

test('runs scripts on the page of the search only, and those of the site', () => {
  for (const [path, html] of pages) {
    expect([path, html.includes('<script'), html.includes("script-src 'self' file:")]).toEqual([
      path,
      path === 'docs/index.html',
      path === 'docs/index.html',
    ]);
    expect(html).not.toMatch(/<script(?! src=")/);
  }
});

test.each([
  ['snapshot', 'how-to/snapshots.html'],
  ['move clock', 'how-to/clock.html'],
  ['postgre', 'how-to/postgresql.html'],
  ['idempotensy', 'guides/idempotency.html'],
])('the search for "%s" finds %s', (words, address) => {
  // Runs them like a page: classic scripts, one after the other.
  const scripts = ['minisearch', 'search-index'].map((name) => files.get(`docs/${name}.js`)).join('\n');
  const search = 'MiniSearch.loadJS(docsSearch.index, docsSearch.options).search(words).slice(0, 3)';
  const found = runInNewContext(`${scripts}\nJSON.stringify(${search})`, { words });
  expect(JSON.parse(found).map((one: { address: string }) => one.address)).toContain(address);
});
