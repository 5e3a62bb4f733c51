/**
 * Refuses requests at the port before anything else happens: those of a web page on another origin, and those that name
 * another host (DNS rebinding). The guard is at the port and not in the app, because a page can reach only a port.
 * `createSandbox().fetch` is called by the user's own program, with any host.
 */
import type { IncomingMessage } from 'node:http';
import { Problem } from '../../tools/problem.ts';
import { hostnameOf, isLoopbackName } from '../../transport/pages.ts';

/** The part of a request that the guard reads: its head. */
export type RequestHead = Pick<IncomingMessage, 'method' | 'url' | 'httpVersion' | 'headers' | 'rawHeaders'>;

export interface GuardSettings {
  /** Whether only this machine can reach the port. Then only this machine's names and `allowHosts` are accepted. */
  readonly isLoopback: boolean;
  /**
   * Further host names to accept. If other machines can reach the port, these names admit only requests of this
   * machine.
   */
  readonly allowHosts?: readonly string[];
  /** Whether a page of that origin may change data. A page of the server itself always may. */
  readonly admitsPage: (origin: string) => boolean;
}

/**
 * Returns why a request is refused: 403 for a page or a host that isn't admitted, 400 without exactly one Host.
 * Otherwise undefined.
 */
export type Guard = (head: RequestHead) => Problem | undefined;

// A server has only a few names. A caller that invents names must not fill the memory.
const maxRemembered = 100;

/**
 * Creates the guard of a port, for sandbox, mock and proxy. A usual request (a known host, no `Origin`) costs a few
 * look-ups and allocates nothing.
 */
export function createGuard({ isLoopback, allowHosts = [], admitsPage }: GuardSettings): Guard {
  const allowed = new Set(allowHosts);
  const restrictsHosts = isLoopback || allowed.size > 0;
  const admitted = new Set<string>();

  const refuseHost = (host: string): Problem | undefined => {
    if (admitted.has(host)) return undefined;
    const name = hostnameOf(host);
    if (name === undefined) return new Problem('INVALID_INPUT', 'The Host header or the request target is not valid.');
    if (restrictsHosts && !isLoopbackName(name) && !allowed.has(name)) return foreignHost(name);
    if (admitted.size < maxRemembered) admitted.add(host);
    return undefined;
  };

  return (head) => {
    const { headers, method = 'GET', url = '/' } = head;
    const count = countHosts(head.rawHeaders);
    // A client of HTTP/1.0 needn't send one (RFC 9112, 3.2).
    if (count > 1 || (count === 0 && head.httpVersion !== '1.0')) {
      return new Problem('INVALID_INPUT', `A request must have one Host header, and this one has ${count}.`);
    }
    const host = headers.host ?? '';
    const refused = count === 0 ? undefined : refuseHost(host);
    if (refused !== undefined) return refused;
    // If the target is a whole address, it also names the host (RFC 9112, 3.2.2).
    const named = url.startsWith('/') ? undefined : /^[a-z]+:\/\/([^/?#]*)/i.exec(url)?.[1];
    const misnamed = named === undefined ? undefined : refuseHost(named);
    if (misnamed !== undefined) return misnamed;
    if (isSafe(method) && (headers.upgrade === undefined || !/\bwebsocket\b/i.test(headers.upgrade))) return undefined;
    const { origin } = headers;
    if (origin === undefined) return headers['sec-fetch-site'] === 'cross-site' ? namelessPage(method) : undefined;
    return isOwnPage(origin, host) || admitsPage(origin) ? undefined : foreignPage(method, origin);
  };
}

/**
 * Whether a method changes nothing. A page that can't read the reply then gains nothing by the request. A page can
 * always read what it gets over a WebSocket, so opening one isn't safe.
 */
function isSafe(method: string): boolean {
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS';
}

/** `headers` only has the first of several. */
function countHosts(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count;
}

/**
 * Whether this server sent the page, under any of its names. If a proxy in front handles TLS, the scheme may differ.
 */
function isOwnPage(origin: string, host: string): boolean {
  return host !== '' && (origin === `http://${host}` || origin === `https://${host}`);
}

function foreignHost(name: string): Problem {
  const flag = `To admit it, start with --allow-host ${name.replaceAll(/[[\]]/g, '')}.`;
  const message = `This server answers to names of this machine, such as localhost, and ${name} isn't one of them. ${flag}`;
  return new Problem('NOT_ADMITTED', message);
}

// An origin as browsers write it. In a message it can't be mistaken for something else.
const plainOrigin = /^[a-z][a-z0-9+.-]*:\/\/[a-z0-9._:[\]-]{1,300}$/;

function foreignPage(method: string, origin: string): Problem {
  if (plainOrigin.test(origin)) {
    const flag = `To admit it, start with --allow-origin ${origin}.`;
    const message = `This server takes a ${method} from web pages of this machine only, and ${origin} isn't one of them.`;
    return new Problem('NOT_ADMITTED', `${message} ${flag}`);
  }
  const which = origin === 'null' ? 'has the origin null, as a file or a sandboxed frame has' : 'has no usable origin';
  const advice = 'Serve it over http from localhost, or from an origin that --allow-origin names.';
  return new Problem('NOT_ADMITTED', `This server accepts no ${method} from a web page that ${which}. ${advice}`);
}

function namelessPage(method: string): Problem {
  const message = `A browser sent this ${method} for a web page of another site and doesn't say which (no Origin).`;
  const advice = 'Send it with fetch() from a page on this machine, or from an origin that --allow-origin names.';
  return new Problem('NOT_ADMITTED', `${message} ${advice}`);
}
