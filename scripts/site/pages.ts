/** Writes the site's own pages: the start page, the changelog, and the frame and style sheet that all pages share. */
import { escapeHtml, icon } from '../../mocks/sandbox/transport/html.ts';
import { countWords, linesOf, parts, type Step } from './changes.ts';

/** What the start page shows of a version. */
export interface VersionEntry {
  readonly name: string;
  /** Its folder, from the site's root: `versions/2025-10-13`. */
  readonly folder: string;
}

/**
 * A page of the site. @param toRoot the relative path to the site's root, `''` or `../` @param hasScript if the site's
 * scripts may run
 */
export function page(title: string, toRoot: string, body: string, hasScript = false): string {
  const script = hasScript ? " script-src 'self' file:;" : '';
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'self' file:;${script} img-src data:; base-uri 'none'; form-action 'none'">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="${icon}">
<link rel="stylesheet" href="${toRoot}site.css">
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`;
}

interface Item {
  readonly href: string;
  readonly title: string;
  readonly text: string;
}

function list(items: readonly Item[]): string {
  const lines = items.map(
    ({ href, title, text }) => `<li><a href="${escapeHtml(href)}">${escapeHtml(title)}</a> ${escapeHtml(text)}</li>`,
  );
  return `<ul>\n${lines.join('\n')}\n</ul>`;
}

const documentation: Item = {
  href: 'docs/index.html',
  title: 'Documentation',
  text: 'Tutorials, how-to, explanation and reference, with a search.',
};

/** The start page. @param versions newest first @param hasDocs if the site has the documentation */
export function startPage(title: string, summary: string, versions: readonly VersionEntry[], hasDocs: boolean): string {
  return page(
    title,
    '',
    `<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(summary)}</p>
<h2>Read</h2>
${list([
  {
    href: 'reference/index.html',
    title: 'Reference',
    text: 'Every operation with its guides, examples and decisions.',
  },
  ...(hasDocs ? [documentation] : []),
  { href: 'changelog/index.html', title: 'Changelog', text: 'What changed between versions, what breaks first.' },
])}
<h2>Try</h2>
${list([
  {
    href: 'console/index.html',
    title: 'Console',
    text: 'A sandbox in this browser: send requests, watch them, move its clock. Nothing leaves the page.',
  },
])}
<h2>Use</h2>
${list([
  { href: 'openapi.json', title: 'openapi.json', text: 'The contract that the reference shows, OpenAPI 3.1.' },
  { href: 'openapi.yaml', title: 'openapi.yaml', text: 'The same document as YAML.' },
  {
    href: 'llms.txt',
    title: 'llms.txt',
    text: 'A table of contents for language models, with a Markdown page for each operation.',
  },
])}
<h2>Versions</h2>
${list(
  versions.flatMap(({ name, folder }) => [
    { href: `${folder}/reference/index.html`, title: name, text: 'Reference of this version.' },
    { href: `${folder}/openapi.json`, title: `${name}, JSON`, text: 'This address never changes.' },
    { href: `${folder}/openapi.yaml`, title: `${name}, YAML`, text: 'This address never changes.' },
  ]),
)}`,
  );
}

/** The changelog. @param steps newest first @param oldest the name of the first version */
export function changelogPage(steps: readonly Step[], oldest: string): string {
  const sections = steps.map((step) => {
    const found = parts.flatMap(({ level, title: part }) => {
      const lines = linesOf(step, level).map(
        ({ subject, what, operations }) =>
          `<li><code>${escapeHtml(subject)}</code> ${escapeHtml(what)}${named(operations)}</li>`,
      );
      return lines.length === 0 ? [] : [`<h3>${part}</h3>\n<ul>\n${lines.join('\n')}\n</ul>`];
    });
    const words = countWords(step);
    const rest = words === 0 ? '' : `\n<p>${words} more changed words and examples only.</p>`;
    const body = found.length === 0 && words === 0 ? '<p>Nothing changed.</p>' : `${found.join('\n')}${rest}`;
    return `<h2 id="${escapeHtml(step.to)}">${escapeHtml(step.to)}</h2>\n<p>Compared with ${escapeHtml(step.from)}.</p>\n${body}`;
  });
  return page(
    'Changelog of the contract',
    '../',
    `<p><a href="../index.html">Start</a></p>
<h1>Changelog of the contract</h1>
<p>Made by comparing each version of the contract with the one before. <a href="../changelog.md">As Markdown</a></p>
${sections.join('\n')}
<h2 id="${escapeHtml(oldest)}">${escapeHtml(oldest)}</h2>
<p>The first version.</p>`,
  );
}

function named(operations: readonly string[]): string {
  if (operations.length === 0) return '';
  const shown = operations.slice(0, 5).map((operation) => `<code>${escapeHtml(operation)}</code>`);
  const more = operations.length > shown.length ? ` and ${operations.length - shown.length} more` : '';
  return ` (${shown.join(', ')}${more})`;
}
