/**
 * Promise: the localhost in the ready line answers on every loopback address of the machine, on one port. If the port
 * is taken on only one of them, the message says so.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import { type AddressInfo, createServer as createListener } from 'node:net';
import { networkInterfaces } from 'node:os';
import { json } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { bind } from '../../mocks/sandbox/node/listening/bind.ts';
import { run } from '../support/process/process.ts';
import { byLength } from '../support/run/length.ts';
import { basic } from '../support/sandbox/harness.ts';

const hasIpv6 = Object.values(networkInterfaces()).some((at) => at?.some(({ address }) => address === '::1'));
const loopbacks = hasIpv6 ? ['127.0.0.1', '::1'] : ['127.0.0.1'];
const urlOf = (host: string, port: number): string => `http://${host.includes(':') ? `[${host}]` : host}:${port}`;

const create = () => createServer((_request, reply) => reply.end('fine'));
/** The loopback addresses of this machine that answer on a port. */
async function answering(port: number): Promise<string[]> {
  const asked = loopbacks.map(async (host) => {
    const answer = await fetch(urlOf(host, port)).then(
      (response) => response.text(),
      () => '',
    );
    return answer === 'fine' ? [host] : [];
  });
  return (await Promise.all(asked)).flat();
}

/** Takes a port on one address until the test ends. */
async function take(host: string): Promise<number> {
  const other = createListener((socket) => socket.destroy());
  await new Promise<void>((resolve) => other.listen(0, host, resolve));
  onTestFinished(() => void other.close());
  return (other.address() as AddressInfo).port;
}

describe('a port', () => {
  test('of localhost is one on every loopback address, and free again afterwards', async () => {
    const bound = await bind(create, 'localhost', 0);
    expect(bound.address).toBe(`http://localhost:${bound.port}`);
    expect(await answering(bound.port)).toEqual(loopbacks);
    await bound.stop();
    const again = await bind(create, 'localhost', bound.port);
    expect([again.port, await answering(again.port)]).toEqual([bound.port, loopbacks]);
    await again.stop();
  });

  test.each(loopbacks)('of %s is on that address alone, and is called by it', async (host) => {
    const bound = await bind(create, host, 0);
    onTestFinished(() => bound.stop());
    expect(bound.address).toBe(urlOf(host, bound.port));
    expect(await answering(bound.port)).toEqual([host]);
  });

  test.each(loopbacks)(
    'that is taken on %s is refused with its name, and the other address is not kept',
    async (host) => {
      const port = await take(host);
      const elsewhere = hasIpv6 ? ` on ${host}, which localhost may lead to` : '';
      const refused = { code: 'EADDRINUSE', message: `Port ${port} is taken${elsewhere}` };
      await expect(bind(create, 'localhost', port)).rejects.toMatchObject(refused);
      expect(await answering(port)).toEqual([]);
    },
  );

  test('that is taken on every address is refused without naming any', async () => {
    const bound = await bind(create, 'localhost', 0);
    onTestFinished(() => bound.stop());
    const refused = { code: 'EADDRINUSE', message: `Port ${bound.port} is taken` };
    await expect(bind(create, 'localhost', bound.port)).rejects.toMatchObject(refused);
  });

  test('of an address that the machine does not have is refused with what the system says', async () => {
    await expect(bind(create, '203.0.113.7', 0)).rejects.toMatchObject({ code: 'EADDRNOTAVAIL' });
  });

  test('0 is a free one on every address, though one may have it taken', async () => {
    // The first server may get a port that is taken on the other address.
    let tries = 0;
    const blockers = new Set<() => void>();
    const bound = await bind(
      () => {
        const server = create();
        tries += 1;
        if (tries !== 1 || !hasIpv6) return server;
        const listen = server.listen.bind(server);
        server.listen = ((_port: number, host: string, done: () => void) => {
          const blocker = createListener();
          blocker.listen(0, '::1', () => {
            blockers.add(() => blocker.close());
            listen((blocker.address() as AddressInfo).port, host, done);
          });
          return server;
        }) as typeof server.listen;
        return server;
      },
      'localhost',
      0,
    );
    onTestFinished(() => bound.stop());
    for (const end of blockers) end();
    expect(tries).toBe(hasIpv6 ? 4 : 1);
    expect(await answering(bound.port)).toEqual(loopbacks);
  });
});

const commands: [name: string, script: string, args: string[]][] = [
  ['the sandbox', 'cli/countersign.mjs start', ['--data', ':memory:']],
  ['the proxy', 'cli/countersign.mjs', ['proxy', '--upstream', 'http://localhost:9']],
  ['the stateless mock', 'cli/countersign.mjs mock', []],
];

// The mock needs five times as long to start, and uses the same code as the sandbox.
describe.each(byLength(commands.slice(0, 2), commands))('%s', (name, script, args) => {
  test('answers at the address that it prints, on every loopback address, and its guard follows its flags', async () => {
    const admits = [
      '--allow-host',
      '10.0.2.2',
      '--allow-host',
      'host.docker.internal',
      '--allow-origin',
      'https://app.example',
    ];
    const started = run(script, [...args, '--port', '0', ...admits]);
    const [, address = ''] = await started.waitFor(/ready at (http:\/\/localhost:\d+)/);
    const port = Number(new URL(address).port);
    // For the proxy it is enough that it tries to reach the service.
    const passes = name === 'the proxy' ? 502 : 201;
    const send = async (hostname: string, more: Record<string, string>) => {
      const headers = { authorization: basic('sandbox', 'sandbox'), 'content-type': 'application/json', ...more };
      // Not with fetch, which doesn't let callers set the Host header.
      const sent = request({ hostname, port, method: 'POST', path: '/2025-10-13/customers', headers });
      sent.end('{"customerType":"INDIVIDUAL"}');
      const [reply] = (await once(sent, 'response')) as [IncomingMessage];
      const { code, message } = (await json(reply)) as { code?: string; message?: string };
      return reply.statusCode === 403 ? `${code} ${message}` : reply.statusCode;
    };
    for (const host of [...loopbacks, 'localhost']) {
      expect(await send(host, {})).toBe(passes);
      expect(await send(host, { origin: 'https://app.example', host: 'host.docker.internal:4010' })).toBe(passes);
      expect(await send(host, { origin: 'http://localhost:5173', host: '10.0.2.2:4010' })).toBe(passes);
      expect(await send(host, { origin: 'https://evil.example' })).toMatch(/^NOT_ADMITTED .*--allow-origin https:/);
      expect(await send(host, { host: 'evil.example' })).toMatch(/^NOT_ADMITTED .*--allow-host evil\.example\.$/);
    }
  });
});

test.each([
  ['cli/countersign.mjs start', ['--allow-host', 'http://10.0.2.2:4010'], 2],
  ['cli/countersign.mjs', ['proxy', '--upstream', 'http://localhost:9', '--allow-origin', 'null'], 2],
])('%s %j: an invalid name or origin is refused with an example', async (script, args, code) => {
  const started = run(script, args);
  expect(await started.exit).toBe(code);
  expect(started.output()).toMatch(/^".*" isn't an? (?:host name|origin) to allow: .* such as /);
});
