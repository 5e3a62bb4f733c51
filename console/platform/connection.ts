/**
 * Where the sandbox is. The clients of a session send every request through `fetch`, so the console works the same with a
 * sandbox in the page as with one behind a port.
 */
export interface Connection {
  /** The address of the sandbox without a path. */
  readonly origin: string;
  readonly fetch: (request: Request) => Promise<Response>;
}

/** The sandbox that served the page. */
export const servingSandbox: Connection = {
  origin: location.origin,
  // Without cookies and remembered passwords: a browser would ask for a password itself after a 401.
  fetch: (request) => fetch(request, { credentials: 'omit' }),
};

/** Whether only this machine reaches the page, so that the credentials that everybody knows may be suggested. */
export function isOnThisMachine(hostname: string = location.hostname): boolean {
  return hostname === 'localhost' || hostname.endsWith('.localhost') || hostname === '[::1]' || /^127\./.test(hostname);
}
