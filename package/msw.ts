/** A sandbox behind Mock Service Worker. An app, its stories and its component tests call the service as usual. */
import { type HttpHandler, http } from 'msw';

/** The sandbox that answers: from `countersign/browser` in a page, from `countersign/sandbox` in Node. */
interface Answering {
  readonly url: string;
  fetch(request: Request): Promise<Response>;
}

/** Where the app calls the service. */
export interface ServicePlace {
  /** The base address that the app calls, with its version: `https://api.example.com/v1`. */
  readonly baseUrl: string;
}

/**
 * Makes the handlers for `setupWorker` and `setupServer`. The sandbox answers every request below the base address. Its
 * control surface is on the same origin, at `/__sandbox`.
 * @throws TypeError if the base address isn't absolute.
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
