/**
 * What a port refuses before anything else happens: a request that a web page from elsewhere sends, or that names a host
 * which isn't this one (DNS rebinding). The guard stands at the port and not in the app, because only a port is in reach
 * of a page: `createSandbox().fetch` is called by a program of the user's own, with whatever host it likes.
 */
import type { IncomingMessage } from 'node:http';
import { Problem } from '../../tools/problem.ts';
import { hostnameOf, isLoopbackName } from '../../transport/pages.ts';

/** What the guard looks at: the head of a request. */
export type RequestHead = Pick<IncomingMessage, 'method' | 'url' | 'httpVersion' | 'headers' | 'rawHeaders'>;

export interface GuardSettings {
  /** Whether only this machine reaches the port. Then it answers for this machine's names and for `allowHosts` only. */
  readonly isLoopback: boolean;
  /** More host names to answer for. Where others reach the port, naming one admits no other but this machine's. */
  readonly allowHosts?: readonly string[];
  /** Whether a page of that origin may change something. A page of the server's own always may. */
  readonly admitsPage: (origin: string) => boolean;
}

/** Says why a request is refused: 403 for a page or a host that isn't admitted, 400 for no single Host; else undefined. */
export type Guard = (head: RequestHead) => Problem | undefined;

// The names that one server is called by are few; a caller that makes names up must not fill the memory.
const maxRemembered = 100;

/**
 * The guard of a port, for sandbox, mock and proxy. A usual request (a host that was seen before, no `Origin`) costs a few
 * look-ups and allocates nothing.
 */
export function createGuard({ isLoopback, allowHosts = [], admitsPage }: GuardSettings): Guard {
  const allowed = new Set(allowHosts);
  const restrictsHosts = isLoopback || allowed.size > 0;
  const admitted = new Set<string>();

  const refuseHost = (host: string): Problem | undefined => {
    if (admitted.has(host)) return undefined;
    const name = hostnameOf(host);
    if (name === undefined) return new Problem('INVALID_INPUT', 'The Host header or the request target is not usable.');
    if (restrictsHosts && !isLoopbackName(name) && !allowed.has(name)) return foreignHost(name);
    if (admitted.size < maxRemembered) admitted.add(host);
    return undefined;
  };

  return (head) => {
    const { headers, method = 'GET', url = '/' } = head;
    const count = countHosts(head.rawHeaders);
    // A client of HTTP/1.0 need not send one (RFC 9112, 3.2).
    if (count > 1 || (count === 0 && head.httpVersion !== '1.0')) {
      return new Problem('INVALID_INPUT', `A request has one Host header line, and this one has ${count}.`);
    }
    const host = headers.host ?? '';
    const refused = count === 0 ? undefined : refuseHost(host);
    if (refused !== undefined) return refused;
    // A target that is a whole address names the host too (RFC 9112, 3.2.2).
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
 * What changes nothing: a page that can't read the reply gets nothing by asking. What a page gets over a WebSocket it can
 * always read, so opening one counts as unsafe.
 */
function isSafe(method: string): boolean {
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS';
}

/** `headers` has the first of several. */
function countHosts(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count;
}

/** A page that this server sent, under whatever name it was asked for; over TLS where something that speaks it is in front. */
function isOwnPage(origin: string, host: string): boolean {
  return host !== '' && (origin === `http://${host}` || origin === `https://${host}`);
}

function foreignHost(name: string): Problem {
  const flag = `To admit it, start with --allow-host ${name.replaceAll(/[[\]]/g, '')}.`;
  const message = `This server answers to names of this machine, such as localhost, and ${name} isn't one of them. ${flag}`;
  return new Problem('NOT_ADMITTED', message);
}

// As browsers write an origin: nothing that could be mistaken for something else in a message.
const plainOrigin = /^[a-z][a-z0-9+.-]*:\/\/[a-z0-9._:[\]-]{1,300}$/;

function foreignPage(method: string, origin: string): Problem {
  if (plainOrigin.test(origin)) {
    const flag = `To admit it, start with --allow-origin ${origin}.`;
    const message = `This server takes a ${method} from web pages of this machine only, and ${origin} isn't one of them.`;
    return new Problem('NOT_ADMITTED', `${message} ${flag}`);
  }
  const which = origin === 'null' ? 'has the origin null, as a file or a sandboxed frame has' : 'has no usable origin';
  const advice = 'Serve it over http from localhost, or from an origin that --allow-origin names.';
  return new Problem('NOT_ADMITTED', `This server takes no ${method} from a web page that ${which}. ${advice}`);
}

function namelessPage(method: string): Problem {
  const message = `A browser sent this ${method} for a web page of another site and doesn't say which (no Origin).`;
  const advice = 'Send it with fetch() from a page on this machine, or from an origin that --allow-origin names.';
  return new Problem('NOT_ADMITTED', `${message} ${advice}`);
}
