/** A sandbox behind Mock Service Worker: an app, its stories and its component tests call the service as they always do. */
import { type HttpHandler, http } from 'msw';

/** What answers: the sandbox of `countersign/browser` in a page, of `countersign/sandbox` in Node. */
interface Answering {
  readonly url: string;
  fetch(request: Request): Promise<Response>;
}

/** Where an app finds the service. */
export interface ServicePlace {
  /** The base address that the app calls, with its version: `https://api.example.com/v1`. */
  readonly baseUrl: string;
}

/**
 * The handlers for `setupWorker` and `setupServer`: every request below the base address is answered by the sandbox, and its
 * control surface stands on the same origin, at `/__sandbox`.
 * @throws TypeError for a base address that isn't an absolute one.
 */
export function createHandlers(sandbox: Answering, { baseUrl }: ServicePlace): HttpHandler[] {
  const { origin, pathname } = new URL(baseUrl);
  const base = pathname.replace(/\/+$/, '');
  const ours = new URL(sandbox.url);
  const answerAt = (path: string) => async (request: Request) => {
    const { method, headers, signal } = request;
    const hasBody = method !== 'GET' && method !== 'HEAD';
    const body = hasBody ? await request.arrayBuffer() : null;
    return sandbox.fetch(new Request(ours.origin + path, { method, headers, body, signal }));
  };
  return [
    http.all(`${origin}${base}/*`, ({ request }) => {
      const { pathname: asked, search } = new URL(request.url);
      return answerAt(ours.pathname + asked.slice(base.length) + search)(request);
    }),
    http.all(`${origin}/__sandbox/*`, ({ request }) => {
      const { pathname: asked, search } = new URL(request.url);
      return answerAt(asked + search)(request);
    }),
  ];
}
