/**
 * The sandbox as a service worker of an app: a file that is copied beside it, and started by `startSandboxWorker`. It
 * answers what the app's pages send to the base address; everything else goes to the network.
 */
import { basePath } from '../contract/match.ts';
import { onceDone } from '../contract/memoize.ts';
import { openReference } from '../mocks/sandbox/browser/app.ts';
import { createSandbox } from './browser.ts';
import { readWorkerSettings } from './workerSettings.ts';

/** The global scope of a service worker, as far as it is used; the library of types for pages doesn't have it. */
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

// A browser ends a service worker that has nothing to do, so the state is kept, and taken up with the next request.
const sandbox = onceDone(async () => {
  const opened = await createSandbox(options);
  if (reference) await opened.fetch(new URL(openReference, opened.url));
  return opened;
});

// A page that registers it needs no reload: it answers from the first moment on.
scope.addEventListener('install', (event) => event.waitUntil(scope.skipWaiting()));
scope.addEventListener('activate', (event) => event.waitUntil(scope.clients.claim()));
// A page that was reloaded past its cache asks for it (startWorker.ts).
scope.addEventListener('message', (event) => event.waitUntil(scope.clients.claim()));
scope.addEventListener('fetch', (event) => {
  const { request } = event;
  const path = pathOf(request.url);
  if (path !== undefined) event.respondWith(answer(request, path));
});

/** The path as the sandbox knows it; undefined for what isn't its. */
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
