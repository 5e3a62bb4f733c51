import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { clearInterval, clearTimeout, setInterval, setTimeout } from '../machine/timers.ts';

/** A server that has its port. */
export interface BoundServer {
  /** `http://host:port`, as people are told it. */
  readonly address: string;
  readonly port: number;
  /** Takes no new requests, lets those in flight finish (at most `deadlineMs`), and frees the port. */
  stop(deadlineMs?: number): Promise<void>;
}

/** The port is taken. The message says so, and on which address if another has it free. */
export class PortTaken extends Error {
  readonly code = 'EADDRINUSE';

  constructor(port: number, takenOn: readonly string[], isElsewhereFree: boolean) {
    super(`Port ${port} is taken${isElsewhereFree ? ` on ${takenOn.join(', ')}, which localhost may lead to` : ''}`);
    this.name = 'PortTaken';
  }
}

// A client that is told `localhost` tries either, and some try only one of them.
const loopbacks = ['127.0.0.1', '::1'] as const;

// How often a port that is free on one address may turn out to be taken on the other.
const maxTries = 20;

/** Whether only this machine reaches a server on that address. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d+){3}$/.test(host);
}

/**
 * Puts a server on a port. `localhost` stands for both loopback addresses, as far as the machine has them, with one port.
 * @param create makes a server that isn't listening; called once for each address.
 * @param port 0 for any free one.
 * @throws PortTaken, or Node's error (`EACCES`, …) when the port can't be had for another reason. Nothing listens then.
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

/** What Node says of an address that the machine doesn't have: IPv6 may be switched off, or not be compiled in. */
const absent = ['EADDRNOTAVAIL', 'EAFNOSUPPORT'];

/** Tries every address, so that a refusal can say which of them is the trouble. */
async function bindEach(create: () => Server, hosts: readonly string[], port: number) {
  const servers: Server[] = [];
  const failures: NodeJS.ErrnoException[] = [];
  for (const host of hosts) {
    const server = create();
    try {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        // The first one's, where any will do.
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
    // close() ends the connections that are idle at that moment only; one that becomes idle later is swept.
    const sweep = setInterval(() => server.closeIdleConnections(), 50);
    const deadline = setTimeout(() => server.closeAllConnections(), deadlineMs);
    server.close(() => {
      clearInterval(sweep);
      clearTimeout(deadline);
      resolve();
    });
  });
}
