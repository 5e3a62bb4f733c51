/** Answers `/`: a page for a browser, and the same as JSON for a program. */
import Negotiator from 'negotiator';
import { encodeBase64 } from '../../../contract/encodings.ts';
import { basePath } from '../../../contract/match.ts';
import { version } from '../../../generated/operations.ts';
import { sha256 } from '../node/machine/crypto.ts';
import { Problem } from '../tools/problem.ts';
import { escapeHtml, icon, style } from './html.ts';
import type { RouteTable } from './routes.ts';

/** Something that this server offers besides the interface. */
export interface Link {
  /** Relative to the root, so that it works behind any host name. */
  readonly href: string;
  readonly title: string;
  /** Its purpose in one sentence. */
  readonly text: string;
  /** The media type of its reply. */
  readonly type: string;
}

export interface StartPage {
  /** `Countersign sandbox`. */
  readonly name: string;
  /** What the server is, in a sentence or two. */
  readonly about: string;
  /** Credentials to try it with; absent if the server lets other machines in. */
  readonly credentials?: string | undefined;
  /** The links that are available now. */
  readonly links: () => Promise<readonly Link[]>;
}

/** Adds `/`. */
export function mountStartPage(table: RouteTable, page: StartPage): void {
  table.add({
    method: 'GET',
    path: '/',
    async answer({ request }) {
      const accept = request.headers.get('accept') ?? undefined;
      // A program that accepts anything gets JSON. Only a browser puts HTML first.
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

/** The links by which programs find a service's description and documentation (RFC 8631). */
function linkHeader(links: readonly Link[]): string {
  const relations: Readonly<Record<string, string>> = { 'text/html': 'service-doc' };
  return links
    .map(({ href, type }) => `<${href}>; rel="${relations[type] ?? 'service-desc'}"; type="${type}"`)
    .join(', ');
}

// The page contains all that it needs. Its only style sheet is allowed by its hash, so a planted one is refused.
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
