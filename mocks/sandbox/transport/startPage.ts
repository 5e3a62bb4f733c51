/** What `/` answers: a page for a browser, and the same as JSON for a program. */
import Negotiator from 'negotiator';
import { encodeBase64 } from '../../../contract/encodings.ts';
import { basePath } from '../../../contract/match.ts';
import { version } from '../../../generated/operations.ts';
import { sha256 } from '../node/machine/crypto.ts';
import { Problem } from '../tools/problem.ts';
import type { RouteTable } from './routes.ts';

/** Something that this server has to offer beside the interface. */
export interface Link {
  /** From the root on, so that it holds behind any name. */
  readonly href: string;
  readonly title: string;
  /** What it is for, in a sentence. */
  readonly text: string;
  /** The media type that it answers with. */
  readonly type: string;
}

export interface StartPage {
  /** `Countersign sandbox`. */
  readonly name: string;
  /** What the server is, in a sentence or two. */
  readonly about: string;
  /** Credentials to try it with; absent where the server lets others in. */
  readonly credentials?: string | undefined;
  /** What is there at the moment. */
  readonly links: () => Promise<readonly Link[]>;
}

/** Adds `/`. */
export function mountStartPage(table: RouteTable, page: StartPage): void {
  table.add({
    method: 'GET',
    path: '/',
    async answer({ request }) {
      const accept = request.headers.get('accept') ?? undefined;
      // A program that takes anything gets JSON: only a browser puts HTML first.
      const type = new Negotiator({ headers: { accept } }).mediaType(['application/json', 'text/html']);
      if (type === undefined) throw new Problem('NOT_ACCEPTABLE', 'This reply is application/json or text/html.');
      const links = await page.links();
      const headers = { Link: linkHeader(links), Vary: 'Accept' };
      if (type === 'text/html') {
        return { status: 200, text: writePage(page, links, request.origin), headers: { ...headers, ...ofPage } };
      }
      const { name, about } = page;
      return { status: 200, headers, body: { name, about, version, baseUrl: request.origin + basePath, links } };
    },
  });
}

/** Where programs look for a service's description and documentation (RFC 8631). */
function linkHeader(links: readonly Link[]): string {
  const relations: Readonly<Record<string, string>> = { 'text/html': 'service-doc' };
  return links
    .map(({ href, type }) => `<${href}>; rel="${relations[type] ?? 'service-desc'}"; type="${type}"`)
    .join(', ');
}

const style = `
:root { color-scheme: light dark; --text: #1a1c20; --soft: #565b64; --line: #d5d9e0; --back: #fff; --code: #f3f5f8; --link: #0a4fbf; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e7e9ee; --soft: #a6adba; --line: #343a45; --back: #14161a; --code: #1e2229; --link: #84b3ff; }
}
* { box-sizing: border-box; }
body { margin: 0; padding: 3rem 1.25rem; background: var(--back); color: var(--text); font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
main { max-width: 44rem; margin: 0 auto; }
h1 { margin: 0 0 .5rem; font-size: 1.75rem; line-height: 1.2; }
h2 { margin: 2.25rem 0 .5rem; font-size: 1.05rem; }
p { margin: 0 0 .75rem; }
p, li { overflow-wrap: anywhere; }
ul { margin: 0; padding: 0; list-style: none; border-top: 1px solid var(--line); }
li { padding: .75rem 0; border-bottom: 1px solid var(--line); color: var(--soft); }
a { color: var(--link); font-weight: 600; }
a:focus-visible, pre:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
code, pre { font: .875rem/1.5 ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
pre { margin: 0; padding: .75rem 1rem; overflow-x: auto; border-radius: 6px; background: var(--code); }
li code { display: block; }
`;

const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' height='16' rx='4' fill='%230a4fbf'/%3E%3Cpath d='M4 8.5l2.5 2.5L12 5.5' fill='none' stroke='%23fff' stroke-width='2'/%3E%3C/svg%3E";

// The page holds all that it needs. Its one style is named by its hash, so nothing that could be planted in the page is taken.
const policy = [
  "default-src 'none'",
  `style-src 'sha256-${encodeBase64(sha256(style))}'`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const ofPage = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': policy,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
} as const;

function writePage({ name, about, credentials }: StartPage, links: readonly Link[], origin: string): string {
  const base = origin + basePath;
  const user = credentials === undefined ? 'CLIENT_ID:CLIENT_SECRET' : credentials;
  const items = links.map(
    ({ href, title, text }) =>
      `<li><a href="${escapeHtml(href)}">${escapeHtml(title)}</a> <code>${escapeHtml(href)}</code> ${escapeHtml(text)}</li>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(name)}</title>
<link rel="icon" href="${icon}">
<style>${style}</style>
</head>
<body>
<main>
<h1>${escapeHtml(name)}</h1>
<p>${escapeHtml(about)}</p>
<p>It serves version ${version} of the interface at <code>${escapeHtml(base)}</code></p>
<h2>Try it</h2>
<pre tabindex="0" role="group" aria-label="Example request"><code>curl -u ${escapeHtml(user)} ${escapeHtml(base)}/customers</code></pre>
<h2>What is here</h2>
<ul>
${items.join('\n')}
</ul>
</main>
</body>
</html>
`;
}

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (letter) => escapes[letter] ?? letter);
}
