import type { BasicCredentials } from '../../generated/client.ts';

/**
 * Where the sandbox is. The clients of a session send every request through `fetch`, so the console works the same with a
 * sandbox in the page as with one behind a port.
 */
export interface Connection {
  /** The address of the sandbox, which the base paths of its contracts follow. */
  readonly origin: string;
  /** Whether only this browser's pages reach it, so that no command does. */
  readonly isInPage: boolean;
  /** Credentials that everybody knows and that may be filled in here. */
  readonly suggested: BasicCredentials | undefined;
  readonly fetch: (request: Request) => Promise<Response>;
  /** The contract that the sandbox speaks. */
  readonly readContract: () => Promise<unknown>;
}

/** The sandbox that served the page. */
export function connectToServer(): Connection {
  // Without cookies and remembered passwords: a browser would ask for a password itself after a 401.
  const send = (request: Request): Promise<Response> => fetch(request, { credentials: 'omit' });
  return {
    origin: location.origin,
    isInPage: false,
    suggested: isOnThisMachine() ? { clientId: 'sandbox', clientSecret: 'sandbox' } : undefined,
    fetch: send,
    async readContract() {
      // Outside the interface, beside its base address.
      const response = await send(new Request(`${location.origin}/openapi.json`));
      if (!response.ok) throw new Error("This installation doesn't include the contract.");
      return response.json();
    },
  };
}

/** Whether only this machine reaches the page. */
function isOnThisMachine(hostname: string = location.hostname): boolean {
  return hostname === 'localhost' || hostname.endsWith('.localhost') || hostname === '[::1]' || /^127\./.test(hostname);
}
