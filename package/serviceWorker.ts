/**
 * The sandbox as a service worker of an app. Copy this file beside the app and start it with `startSandboxWorker`. It
 * answers the pages' requests to the base address. All other requests go to the network.
 */
import { basePath } from '../contract/match.ts';
import { onceDone } from '../contract/memoize.ts';
import { openReference } from '../mocks/sandbox/browser/app.ts';
import { createSandbox } from './browser.ts';
import { readWorkerSettings } from './workerSettings.ts';

/** The part of a service worker's global scope that is used here. TypeScript's library for pages doesn't have it. */
interface WorkerScope {
  readonly location: Location;
  readonly clients: { claim(): Promise<void> };
  skipWaiting(): Promise<void>;
  addEventListener(kind: 'install' | 'activate' | 'message', listen: (event: ExtendableEvent) => void): void;
  addEventListener(kind: 'fetch', listen: (event: FetchEvent) => void): void;
}
interface ExtendableEvent {
  waitUntil(work: Promise<unknown>): void;
}
interface FetchEvent {
  readonly request: Request;
  respondWith(answer: Promise<Response>): void;
}

const scope = globalThis as unknown as WorkerScope;
const { baseUrl, controlUrl, options, reference } = readWorkerSettings(scope.location.href, basePath);

// A browser ends an idle service worker. So the state is kept, and read again with the next request.
const sandbox = onceDone(async () => {
  const opened = await createSandbox(options);
  if (reference) await opened.fetch(new URL(openReference, opened.url));
  return opened;
});

// The page that registers the worker needs no reload: the worker answers from the first moment.
scope.addEventListener('install', (event) => event.waitUntil(scope.skipWaiting()));
scope.addEventListener('activate', (event) => event.waitUntil(scope.clients.claim()));
// A page that was reloaded without its cache asks for this (startWorker.ts).
scope.addEventListener('message', (event) => event.waitUntil(scope.clients.claim()));
scope.addEventListener('fetch', (event) => {
  const { request } = event;
  const path = pathOf(request.url);
  if (path !== undefined) event.respondWith(answer(request, path));
});

/** The path in the sandbox. @returns undefined if the sandbox doesn't answer this address */
function pathOf(url: string): string | undefined {
  if (url.startsWith(`${baseUrl}/`)) return url.slice(baseUrl.length);
  if (url.startsWith(`${controlUrl}/`)) return `/__sandbox${url.slice(controlUrl.length)}`;
  return undefined;
}

async function answer(request: Request, path: string): Promise<Response> {
  const { fetch } = await sandbox();
  const { method, headers } = request;
  const body = method === 'GET' || method === 'HEAD' ? null : await request.arrayBuffer();
  return fetch(path, { method, headers, body });
}
