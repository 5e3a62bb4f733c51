import type { BasicCredentials } from '../../generated/client.ts';

/**
 * Where the sandbox is. The clients of a session send every request through `fetch`. So the console works the same with
 * a sandbox in the page and with one behind a port.
 */
export interface Connection {
  /** The sandbox's address. The base paths of its contracts follow it. */
  readonly origin: string;
  /** Whether only pages of this browser reach the sandbox. Then no shell command reaches it. */
  readonly isInPage: boolean;
  /** Credentials that are public, so that the form may show them. */
  readonly suggested: BasicCredentials | undefined;
  readonly fetch: (request: Request) => Promise<Response>;
  /** Reads the contract that the sandbox serves. */
  readonly readContract: () => Promise<unknown>;
}

/** Connects to the sandbox that served the page. */
export function connectToServer(): Connection {
  // No cookies or remembered passwords: after a 401 the browser would ask for a password itself.
  const send = (request: Request): Promise<Response> => fetch(request, { credentials: 'omit' });
  return {
    origin: location.origin,
    isInPage: false,
    suggested: isOnThisMachine() ? { clientId: 'sandbox', clientSecret: 'sandbox' } : undefined,
    fetch: send,
    async readContract() {
      // The contract is outside the interface, beside its base address.
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
