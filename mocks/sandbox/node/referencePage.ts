import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { basePath } from '../../../contract/match.ts';
import { onceDone } from '../../../contract/memoize.ts';
import { root as projectFolder } from '../../../contract/root.ts';
import { type ExchangeRequest, queryOf } from '../../exchange/exchange.ts';
import type { OutgoingReply } from '../../exchange/reply.ts';
import { Problem } from '../tools/problem.ts';
import type { RouteTable } from '../transport/routes.ts';
import type { Link } from '../transport/startPage.ts';
import { type Asset, createAsset } from './assets.ts';
import { canRunInPage, findInPage, inPageFiles } from './inPage.ts';
import { referenceFiles } from './installed.ts';

/** The credentials and settings of the page when it opens. */
export interface PageSettings {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly agentToken?: string;
  /** Whether the page can reset the platform through the control surface. */
  readonly canStartOver?: boolean;
}

/** The connections between the page and the sandbox. */
export interface ReferenceParts {
  /**
   * The credentials that the page tries requests with, read when it opens; absent if the server lets other machines in.
   */
  readonly access?: () => Promise<PageSettings>;
  /** The path of the control surface; absent on a server without one. */
  readonly controlPath?: string;
  /** The folder that contains `generated/`; only a test passes another one. */
  readonly root?: URL;
}

const script = 'text/javascript; charset=utf-8';

// The page may load and call only this server. Scalar adds its styles as elements.
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const security = {
  'Content-Security-Policy': policy,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
} as const;

// A service worker has its own policy. Validators are compiled at run time, and SQLite is WebAssembly.
const workerPolicy = "default-src 'none'; script-src 'self' 'unsafe-eval' 'wasm-unsafe-eval'; connect-src 'self'";

/** The links to the reference on the start page. */
export const referenceLinks: Readonly<Record<'interface' | 'control', Link>> = {
  interface: {
    href: '/reference/',
    title: 'Reference',
    text: 'Every operation, the guides, and a button to try each operation.',
    type: 'text/html',
  },
  control: {
    href: '/reference/control.html',
    title: 'Reference of the control surface',
    text: 'What steers this sandbox: platforms, clock, faults, journal.',
    type: 'text/html',
  },
};

/**
 * Adds `/reference/`: the reference as a page that is connected to this server. Like `/__sandbox` it is outside the
 * contract. Files are read at the first request. A package without the page answers 404 and says so.
 * @returns whether the page exists.
 */
export function mountReference(
  table: RouteTable,
  { access, controlPath, root = projectFolder }: ReferenceParts,
): () => Promise<boolean> {
  const get = (path: string, answer: (request: ExchangeRequest) => Promise<OutgoingReply>): void =>
    table.add({ method: 'GET', path, answer: ({ request }) => answer(request) });
  get('/reference', async () => ({ status: 308, headers: { Location: '/reference/' } }));
  get('/reference/settings.js', async ({ headers: asked }) => {
    // The request creates the page's platform, so a page of another site must not be able to send it.
    const isForeign = asked.get('sec-fetch-site') === 'cross-site';
    const known = isForeign ? undefined : await access?.();
    // The sandbox in the page accepts the same credentials.
    const inPage = known !== undefined && canRunInPage(root) && { inPage: { worker: 'service-worker.js', basePath } };
    const settings = { basePath, controlPath, ...inPage, ...known };
    const headers = { ...security, 'Content-Type': script, 'Cache-Control': 'no-store' };
    return { status: 200, text: `globalThis.countersign = ${JSON.stringify(settings)};\n`, headers };
  });
  for (const name of canRunInPage(root) ? inPageFiles : []) {
    const asset = onceDone(async () => {
      const type = name.endsWith('.wasm') ? 'application/wasm' : script;
      return createAsset({ type, places: [join(await findInPage(root), name)] });
    });
    const policyOf = name === 'service-worker.js' ? { 'Content-Security-Policy': workerPolicy } : {};
    get(`/reference/${name}`, async (request) => sendFile(request, await asset(), policyOf));
  }
  const assets = Object.entries(referenceFiles).map(([address, { type, places }]) => {
    const asset = createAsset({ type, places: places.map((place) => fileURLToPath(new URL(place, root))) });
    get(address, (request) => sendFile(request, asset));
    return asset;
  });
  return async () => (await Promise.all(assets.map((asset) => asset.exists()))).every(Boolean);
}

/** @throws Problem 404 `NOT_FOUND` if the file is in none of its places */
async function sendFile(
  request: ExchangeRequest,
  asset: Asset,
  more: Readonly<Record<string, string>> = {},
): Promise<OutgoingReply> {
  // The page's address for the script contains Scalar's version, so a browser needn't ask for it again.
  const caching = queryOf(request).has('v') ? { 'Cache-Control': 'public, max-age=31536000, immutable' } : {};
  const reply = await asset.send(request, { ...security, ...caching, ...more });
  if (reply !== undefined) return reply;
  throw new Problem('NOT_FOUND', 'The reference is not part of this installation; npm run reference builds it.');
}
