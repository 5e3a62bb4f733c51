import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { clearInterval, clearTimeout, setInterval, setTimeout } from '../machine/timers.ts';

/** A server that listens on its port. */
export interface BoundServer {
  /** `http://host:port`, for people. */
  readonly address: string;
  readonly port: number;
  /** Accepts no new requests, lets those in flight finish (at most `deadlineMs`), and frees the port. */
  stop(deadlineMs?: number): Promise<void>;
}

/** The port is taken. The message says so, and on which address, if it is free on another one. */
export class PortTaken extends Error {
  readonly code = 'EADDRINUSE';

  constructor(port: number, takenOn: readonly string[], isElsewhereFree: boolean) {
    super(`Port ${port} is taken${isElsewhereFree ? ` on ${takenOn.join(', ')}, which localhost may lead to` : ''}`);
    this.name = 'PortTaken';
  }
}

// A client that connects to `localhost` may try both, or only one of them.
const loopbacks = ['127.0.0.1', '::1'] as const;

// How often to try again if a port that is free on one address is taken on the other.
const maxTries = 20;

/** Whether only this machine can reach a server on that address. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d+){3}$/.test(host);
}

/**
 * Binds a server to a port. `localhost` means both loopback addresses that the machine has, with the same port.
 * @param create makes a server that isn't listening; called once for each address.
 * @param port 0 for any free port.
 * @throws PortTaken, or Node's error (`EACCES`, …) if the port isn't available for another reason. Nothing listens
 * then.
 */
export async function bind(create: () => Server, host: string, port: number): Promise<BoundServer> {
  for (let tries = 1; ; tries += 1) {
    const { servers, failures } = await bindEach(create, host === 'localhost' ? loopbacks : [host], port);
    const [fatal] = failures.filter(({ code = '' }) => !['EADDRINUSE', ...absent].includes(code));
    const taken = failures.filter(({ code }) => code === 'EADDRINUSE');
    const [first] = servers;
    if (first !== undefined && fatal === undefined && taken.length === 0) {
      const at = portOf(first);
      const name = host.includes(':') ? `[${host}]` : host;
      return { address: `http://${name}:${at}`, port: at, stop: (deadlineMs = 5000) => stopAll(servers, deadlineMs) };
    }
    await stopAll(servers, 0);
    if (fatal !== undefined) throw fatal;
    if (taken.length === 0) throw failures[0];
    const addresses = taken.map((error) => (error as { address?: string }).address ?? host);
    if (port !== 0 || tries === maxTries) throw new PortTaken(port, addresses, servers.length > 0);
  }
}

/** Node's errors for an address that the machine doesn't have. IPv6 may be switched off or not compiled in. */
const absent = ['EADDRNOTAVAIL', 'EAFNOSUPPORT'];

/** Tries every address, so that an error can name the one that failed. */
async function bindEach(create: () => Server, hosts: readonly string[], port: number) {
  const servers: Server[] = [];
  const failures: NodeJS.ErrnoException[] = [];
  for (const host of hosts) {
    const server = create();
    try {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        // For any free port, the second address takes the port of the first.
        server.listen(port === 0 && servers[0] !== undefined ? portOf(servers[0]) : port, host, resolve);
      });
      server.removeAllListeners('error');
      servers.push(server);
    } catch (error) {
      failures.push(error as NodeJS.ErrnoException);
    }
  }
  return { servers, failures };
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

async function stopAll(servers: readonly Server[], deadlineMs: number): Promise<void> {
  await Promise.all(servers.map((server) => stop(server, deadlineMs)));
}

function stop(server: Server, deadlineMs: number): Promise<void> {
  return new Promise((resolve) => {
    // close() ends only the connections that are idle at that moment. This ends those that become idle later.
    const sweep = setInterval(() => server.closeIdleConnections(), 50);
    const deadline = setTimeout(() => server.closeAllConnections(), deadlineMs);
    server.close(() => {
      clearInterval(sweep);
      clearTimeout(deadline);
      resolve();
    });
  });
}
