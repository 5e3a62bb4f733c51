import { lookup } from 'node:dns';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import type { KeySetFetch } from '../proofs/oidc.ts';

/** Which networks it may reach. `any` if only this machine can set addresses. */
export type Reach = 'any' | 'public';

// A key set of a hundred keys has about 100 KiB.
const keySetBytes = 512 * 1024;

/**
 * Fetches key sets from addresses in a platform's settings. The size is limited, and redirects aren't followed. If the
 * sandbox is open to other machines, only public addresses are allowed. Otherwise a caller's settings could reach into
 * the sandbox's own network.
 */
export function createKeySetFetch(reach: Reach): KeySetFetch {
  const guard = reach === 'public' ? { lookup: publicLookup } : {};
  return (url, { signal }) =>
    new Promise((resolve, reject) => {
      const { protocol, hostname } = new URL(url);
      // A numeric address isn't looked up.
      const digits = hostname.replace(/^\[|\]$/g, '');
      if (reach === 'public' && isIP(digits) !== 0 && !isPublic(digits)) throw new NotPublic();
      const send = protocol === 'https:' ? requestHttps : requestHttp;
      const asked = send(url, { signal, agent: false, headers: { Accept: 'application/json' }, ...guard }, (answer) => {
        const chunks: Buffer[] = [];
        let size = 0;
        answer.on('data', (chunk: Buffer) => {
          size += chunk.length;
          chunks.push(chunk);
          if (size > keySetBytes) answer.destroy(new Error(`The key set has more than ${keySetBytes} bytes`));
        });
        answer.on('error', reject);
        answer.on('end', () => {
          const status = answer.statusCode ?? 0;
          resolve(status === 200 ? new Response(Buffer.concat(chunks)) : new Response(null, { status }));
        });
      });
      asked.on('error', reject);
      asked.end();
    });
}

class NotPublic extends Error {
  constructor() {
    super('The address of the key set is not a public one');
  }
}

const within = new BlockList();
for (const [net, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
] as const) {
  within.addSubnet(net, prefix, 'ipv4');
}
// Public IPv6 addresses start with 2 or 3. 6to4 is excluded, because it can contain any IPv4 address (RFC 3056).
within.addSubnet('2002::', 16, 'ipv6');
const publicV6 = new BlockList();
publicV6.addSubnet('2000::', 3, 'ipv6');

/** Whether a numeric address is public (IANA's special-purpose registries, RFC 6890). */
export function isPublic(address: string): boolean {
  if (isIP(address) === 4) return !within.check(address, 'ipv4');
  return publicV6.check(address, 'ipv6') && !within.check(address, 'ipv6');
}

/**
 * Refuses a name if any of its addresses isn't public. The connection itself calls this, so a later look-up can't give
 * another result.
 */
const publicLookup: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error !== null) return callback(error, '');
    const [first] = addresses;
    if (first === undefined || !addresses.every(({ address }) => isPublic(address)))
      return callback(new NotPublic(), '');
    if (options.all === true) return callback(null, addresses);
    callback(null, first.address, first.family);
  });
};
