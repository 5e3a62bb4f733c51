import { readdir } from 'node:fs/promises';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { memoize, once } from '../../../contract/memoize.ts';
import { root as projectFolder } from '../../../contract/root.ts';
import type { ExchangeRequest } from '../../exchange/exchange.ts';
import type { OutgoingReply } from '../../exchange/reply.ts';
import { Problem } from '../tools/problem.ts';
import type { RouteCall, RouteTable } from '../transport/routes.ts';
import type { Link } from '../transport/startPage.ts';
import { createAsset } from './assets.ts';
import { consoleFolder } from './installed.ts';

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
};

/** The page may load only its own files and call only its own server. */
export const consolePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
] as const;

// No text can become a script, whatever displays it.
const policy = [
  ...consolePolicy,
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const security = {
  'Content-Security-Policy': policy,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
} as const;

/** The link to the console on the start page. */
export const consoleLink: Link = {
  href: '/console',
  title: 'Console',
  text: 'See the customers, codes, traffic and clock of a platform, live, and steer them.',
  type: 'text/html',
};

/**
 * Adds `/console`: its files, and one page at every address below it. The page decides what it shows there. This is
 * outside the contract. Files are read at the first request.
 * @param root the folder that contains `generated/`; only a test passes another one.
 * @returns whether the page exists.
 */
export function mountConsole(table: RouteTable, root: URL = projectFolder): () => Promise<boolean> {
  const place = (name: string): string => fileURLToPath(new URL(consoleFolder + name, root));
  const page = createAsset({ type: 'text/html; charset=utf-8', places: [place('index.html')] });
  const sendPage = ({ request }: RouteCall) => mustSend(page.send(request, security));
  for (const path of ['/console', '/console/', '/console/{view}', '/console/{view}/{id}']) {
    table.add({ method: 'GET', path, answer: sendPage });
  }
  // Only names of existing files are served, so an address can't lead to another file.
  const names = once(async () => new Set(await readdir(place('assets')).catch((): string[] => [])));
  const assetOf = memoize((name: string) =>
    createAsset({ type: types[extname(name)] ?? 'application/octet-stream', places: [place(`assets/${name}`)] }),
  );
  table.add({
    method: 'GET',
    path: '/console/assets/{name}',
    async answer({ request, path: { name = '' } }) {
      if (!(await names()).has(name))
        throw new Problem('NOT_FOUND', 'The console has no such file. Load the page again.');
      return mustSend(sendAsset(request, name));
    },
  });
  // A file's name contains a hash of its content, so a browser needn't ask for it again.
  const caching = { ...security, 'Cache-Control': 'public, max-age=31536000, immutable' };
  const sendAsset = (request: ExchangeRequest, name: string) => assetOf(name).send(request, caching);
  return () => page.exists();
}

/** @throws Problem 404 `NOT_FOUND` if the file doesn't exist */
async function mustSend(sent: Promise<OutgoingReply | undefined>): Promise<OutgoingReply> {
  const reply = await sent;
  if (reply !== undefined) return reply;
  throw new Problem('NOT_FOUND', 'The console is not part of this installation; npm run generate builds it.');
}
