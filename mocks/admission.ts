/**
 * The host names and web pages that a server accepts besides those of this machine. Sandbox, mock and proxy share these
 * flags.
 */
import { hostnameOf } from './sandbox/transport/pages.ts';

export interface Admission {
  readonly allowHosts: readonly string[];
  readonly allowOrigins: readonly string[];
}

/**
 * Reads names from flags or options into the form that the guard compares. @throws Error with a sentence for the user
 */
export function readAdmission(hosts: readonly string[], origins: readonly string[]): Admission {
  return { allowHosts: hosts.map(readHost), allowOrigins: origins.map(readOrigin) };
}

function readHost(text: string): string {
  // An IPv6 address needs brackets only if a port may follow.
  const isBare = /^[0-9a-f.]*:[0-9a-f:.]*$/i.test(text) && !/^[^:]*:\d*$/.test(text);
  const host = isBare ? `[${text}]` : text;
  const name = hostnameOf(host);
  if (name === undefined || /:\d*$/.test(host.replace(/^\[.*\]/, ''))) {
    throw new Error(`"${text}" isn't a host name to allow: give one without scheme and port, such as 10.0.2.2.`);
  }
  return name;
}

/** Writes an origin as browsers send it: lower case, no path, no default port. Apps may use schemes of their own. */
function readOrigin(text: string): string {
  const wrong = `"${text}" isn't an origin to allow: give one such as https://app.example or capacitor://localhost.`;
  if (!/^[a-z][a-z0-9+.-]*:\/\/[^/?#@*\s]+\/?$/i.test(text)) throw new Error(wrong);
  const url = URL.parse(text);
  if (url === null || url.host === '') throw new Error(wrong);
  return `${url.protocol}//${url.host.toLowerCase()}`;
}
