/**
 * Promise: `countersign proxy` works before any service. It passes every byte on unchanged, names breaches of the
 * contract in a header, and leaves a complete recording even if it is killed.
 */
import { readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { Har } from 'har-format';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createProxy } from '../../cli/proxy/forward.ts';
import { watchTraffic } from '../../cli/proxy/watch.ts';
import type { Level } from '../../conformance/basis.ts';
import { createMatcher } from '../../conformance/match.ts';
import type { Finding } from '../../conformance/report/report.ts';
import { loadContract } from '../../contract/file.ts';
import { createGuard } from '../../mocks/sandbox/node/listening/guard.ts';
import { createAdmitsPage } from '../../mocks/sandbox/transport/pages.ts';
import { run } from '../support/process/process.ts';
import { openPort } from '../support/process/server.ts';
import { byLength } from '../support/run/length.ts';
import { temporaryFolder } from '../support/sandbox/folder.ts';
import { basic, openSandbox } from '../support/sandbox/harness.ts';

const contract = loadContract();
const guard = createGuard({ isLoopback: true, admitsPage: createAdmitsPage() });
const authorization = basic('sandbox', 'sandbox');

/** A service with this listener, on a free port. */
async function openService(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A proxy in this process, before a service. */
async function openProxy(upstream: string, failOn: Level = 'assumed') {
  const findings: Finding[] = [];
  const report = { finding: (one: Finding) => findings.push(one), unreadable: () => {}, end: () => {} };
  const watch = watchTraffic({ contract, match: createMatcher(), report, failOn });
  const server = createProxy({ upstream: new URL(upstream), guard, ...watch });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { base: `http://127.0.0.1:${port}`, port, findings, summary: watch.summary };
}

/** The answer of a connection to these bytes. */
function exchange(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    socket.setEncoding('latin1');
    socket.on('data', (chunk) => {
      answer += chunk;
    });
    socket.on('close', () => resolve(answer));
    socket.on('error', reject);
  });
}

describe('before the sandbox', () => {
  test('answers are the same, with the number of findings: none', async () => {
    const sandbox = await openSandbox();
    const { base } = await openPort(sandbox);
    const proxy = await openProxy(new URL(base).origin);
    const via = base.replace(new URL(base).origin, proxy.base);
    for (const path of ['/customers?limit=1', '/config', '/nothing', '/customers/Customer:none']) {
      const [direct, passed] = await Promise.all(
        [base, via].map((at) => fetch(at + path, { headers: { authorization } })),
      );
      expect([passed?.status, await passed?.text()]).toEqual([direct?.status, await direct?.text()]);
      expect(passed?.headers.get('countersign-findings')).toBe('0');
    }
    const body = JSON.stringify({ customerType: 'INDIVIDUAL' });
    const headers = { authorization, 'content-type': 'application/json' };
    expect((await fetch(`${via}/customers`, { method: 'POST', headers, body })).status).toBe(201);
    expect((await fetch(`${via}/customers`, { method: 'HEAD', headers })).status).toBe(200);
    expect(proxy.findings).toEqual([]);
    expect(proxy.summary).toMatchObject({ entries: 6, judged: 6, findings: 0 });
  });

  test('a request that breaks the contract is refused as documented: no finding; the control surface is none of it', async () => {
    const { base } = await openPort(await openSandbox());
    const proxy = await openProxy(new URL(base).origin);
    const refused = await fetch(`${proxy.base}/2025-10-13/customers?surprise=1`, { headers: { authorization } });
    expect([refused.status, refused.headers.get('countersign-findings')]).toEqual([400, '0']);
    const health = await fetch(`${proxy.base}/__sandbox/health`);
    expect([health.status, health.headers.get('countersign-findings')]).toEqual([200, null]);
  });
});

describe('before a service that breaks the contract', () => {
  test('the reply says so and is otherwise untouched', async () => {
    const wrong = '{ "data":  "no list" }';
    const service = await openService((_request, reply) => {
      reply.writeHead(200, { 'content-type': 'application/json', 'x-own': 'kept' });
      reply.end(wrong);
    });
    const proxy = await openProxy(service);
    const answer = await fetch(`${proxy.base}/2025-10-13/customers`, { headers: { authorization } });
    expect([answer.status, await answer.text(), answer.headers.get('x-own')]).toEqual([200, wrong, 'kept']);
    expect(Number(answer.headers.get('countersign-findings'))).toBe(proxy.findings.length);
    expect(proxy.findings.length).toBeGreaterThan(0);
    expect(answer.headers.get('countersign-finding')).toMatch(
      /^response\.body \/\w+ .*\(schema\/\w+; assumed: D\d\d [^()]+\)/,
    );
    expect(proxy.findings[0]).toMatchObject({ operationId: 'listCustomers', method: 'GET', status: 200 });
  });

  test('what only a decision says is counted apart, and its name is shown', async () => {
    const service = await openService((_request, reply) => {
      reply.writeHead(200, { 'content-type': 'application/json' });
      reply.end(JSON.stringify({ data: [], hasMore: false, totalCount: -1 }));
    });
    const headers = { authorization };
    const lenient = await openProxy(service, 'given');
    const passed = await fetch(`${lenient.base}/2025-10-13/customers/internal-accounts`, { headers });
    const told = ['findings', 'assumed', 'finding'].map((name) => passed.headers.get(`countersign-${name}`));
    expect(told).toEqual(['0', '1', expect.stringMatching(/minimum; assumed: D84 Bounds/)]);
    expect(lenient.summary).toMatchObject({ findings: 1, failing: 0 });
    const strict = await openProxy(service);
    const failed = await fetch(`${strict.base}/2025-10-13/customers/internal-accounts`, { headers });
    expect([failed.headers.get('countersign-findings'), failed.headers.get('countersign-assumed')]).toEqual([
      '1',
      null,
    ]);
  });

  test('a finding never carries what cannot stand in a header', async () => {
    const service = await openService((_request, reply) => {
      reply.writeHead(200, { 'content-type': 'application/json' });
      reply.end(JSON.stringify({ data: 'ü\n€', totalCount: '\r\nX-Injected: 1' }));
    });
    const proxy = await openProxy(service);
    const answer = await fetch(`${proxy.base}/2025-10-13/customers`, { headers: { authorization } });
    expect(answer.headers.get('countersign-finding')).toMatch(/^[\x20-\x7e]+$/);
    expect(answer.headers.has('x-injected')).toBe(false);
  });
});

describe('bytes', () => {
  const body = Buffer.from(JSON.stringify({ data: [], totalCount: 0, hasMore: false }));
  const binary = Buffer.from(Array.from({ length: 70_000 }, (_, index) => (index * 7) % 256));
  test.each([
    ['gzip', gzipSync(body), { 'content-encoding': 'gzip' }, '0'],
    ['br', brotliCompressSync(body), { 'content-encoding': 'br' }, '0'],
    ['as it is', body, {}, '0'],
    ['binary', binary, { 'content-type': 'application/octet-stream' }, '1'],
    ['not what its coding says', binary, { 'content-encoding': 'gzip' }, '1'],
    ['empty', Buffer.alloc(0), {}, '1'],
    ['larger than what is judged', Buffer.alloc(3_000_000, 'x'), {}, 'unjudged'],
  ])('a reply passes byte for byte: %s', async (_name, bytes, headers, findings) => {
    const service = await openService((_request, reply) => {
      reply.writeHead(200, { 'content-type': 'application/json', ...headers });
      reply.end(bytes);
    });
    const proxy = await openProxy(service);
    const request = `GET /2025-10-13/customers HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${authorization}\r\nConnection: close\r\n\r\n`;
    const answer = await exchange(proxy.port, request);
    const [head = '', ...rest] = answer.split('\r\n\r\n');
    expect(head).toContain(`Countersign-Findings: ${findings}`);
    const got = Buffer.from(rest.join('\r\n\r\n'), 'latin1');
    expect(got.equals(bytes) || unchunk(got).equals(bytes)).toBe(true);
  });

  test.each(['Content-Length', 'chunked'])(
    'a request passes byte for byte, path and headers too: %s',
    async (framing) => {
      const seen: unknown[] = [];
      const service = await openService(async (request, reply) => {
        const chunks: Buffer[] = [];
        for await (const chunk of request) chunks.push(chunk);
        seen.push(request.method, request.url, request.rawHeaders, Buffer.concat(chunks));
        reply.end();
      });
      const proxy = await openProxy(service);
      const frame =
        framing === 'chunked'
          ? `Transfer-Encoding: chunked\r\n\r\n5\r\nab\xff\x00c\r\n0\r\n\r\n`
          : `Content-Length: 5\r\n\r\nab\xff\x00c`;
      const head =
        'PATCH /a%2Fb/../c?x=%20&x=2 HTTP/1.1\r\nHost: localhost\r\nX-Odd: One\r\nx-odd: two\r\nTE: trailers\r\nX-Hop: 1';
      await new Promise<void>((resolve) => {
        const socket = connect(proxy.port, '127.0.0.1', () => {
          socket.end(Buffer.from(`${head}\r\nConnection: close, X-Hop\r\n${frame}`, 'latin1'));
        });
        socket.resume().on('close', () => resolve());
      });
      const [method, url, headers, bytes] = seen as [string, string, string[], Buffer];
      expect([method, url, bytes.toString('latin1')]).toEqual(['PATCH', '/a%2Fb/../c?x=%20&x=2', 'ab\xff\x00c']);
      expect(headers.slice(0, 6)).toEqual(['Host', new URL(service).host, 'X-Odd', 'One', 'x-odd', 'two']);
      expect(headers.map((one) => one.toLowerCase())).not.toContain('x-hop');
      expect(headers).not.toContain('TE');
    },
  );

  test('several cookies stay several lines; a body-less POST stays without a body', async () => {
    const service = await openService((request, reply) => {
      reply.writeHead(
        200,
        [
          ['Set-Cookie', 'a=1'],
          ['Set-Cookie', 'b=2'],
          ['X-Length', request.headers['content-length'] ?? 'none'],
        ].flat(),
      );
      reply.end();
    });
    const proxy = await openProxy(service);
    const answer = await exchange(proxy.port, 'POST /x HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
    expect(answer).toMatch(/Set-Cookie: a=1\r\nSet-Cookie: b=2\r\nX-Length: 0\r\n/);
  });

  test('a stream of events is not waited for', async () => {
    const service = await openService((_request, reply) => {
      reply.writeHead(200, { 'content-type': 'text/event-stream' });
      reply.write('data: 1\n\n');
    });
    const proxy = await openProxy(service);
    const answer = await fetch(`${proxy.base}/2025-10-13/customers`);
    expect(answer.headers.get('countersign-findings')).toBe('unjudged');
    const reader = answer.body?.getReader();
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe('data: 1\n\n');
    await reader?.cancel();
  });
});

describe('what it refuses', () => {
  test('a service that is not there, or hangs up: 502 in the shape of our errors', async () => {
    const proxy = await openProxy('http://127.0.0.1:1');
    const broken = await openProxy(await openService((request) => request.socket.destroy()));
    for (const { base, summary } of [proxy, broken]) {
      const answer = await fetch(`${base}/2025-10-13/customers`);
      expect(answer.status).toBe(502);
      expect(await answer.json()).toEqual({ status: 502, code: 'BAD_GATEWAY', message: expect.any(String) });
      expect(answer.headers.get('countersign-findings')).toBe('unjudged');
      expect(summary.skipped['no-reply']).toBe(1);
    }
  });

  test('a reply that breaks off in the middle is 502 too, while nobody has seen any of it', async () => {
    const service = await openService((_request, reply) => {
      reply.writeHead(200, { 'content-length': '100' });
      reply.write('half', () => reply.destroy());
    });
    const { base } = await openProxy(service);
    expect((await fetch(`${base}/2025-10-13/customers`)).status).toBe(502);
  });

  test.each([
    ['a WebSocket', 'GET /chat HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n'],
    ['a tunnel', 'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n'],
  ])('%s: 501', async (_name, text) => {
    const { port } = await openProxy('http://127.0.0.1:1');
    expect(await exchange(port, text)).toMatch(/^HTTP\/1\.1 501 Not Implemented[\s\S]*"code":"NOT_IMPLEMENTED"/);
  });

  test('an offer of HTTP/2 is passed over, as some clients make it with every request', async () => {
    const service = await openService((_request, reply) => reply.end('fine'));
    const { port } = await openProxy(service);
    const offer = 'Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\nConnection: close, Upgrade, HTTP2-Settings';
    expect(await exchange(port, `GET / HTTP/1.1\r\nHost: localhost\r\n${offer}\r\n\r\n`)).toMatch(
      /^HTTP\/1\.1 200[\s\S]*fine/,
    );
  });
});

describe('as a command', () => {
  const start = async (args: readonly string[]) => {
    const started = run('cli/countersign.mjs', ['proxy', '--port', '0', ...args]);
    const [, base = ''] = await started.waitFor(/ready at (http:\S+),/);
    return { ...started, base };
  };
  const wrong: RequestListener = (_request, reply) => {
    reply.writeHead(200, { 'content-type': 'application/json' });
    reply.end('{"clientSecret":"very secret"}');
  };

  test('prints findings as they happen, ends with 1 and a summary, and leaves a masked recording', async () => {
    const har = join(temporaryFolder(), 'live.har');
    const proxy = await start(['--upstream', await openService(wrong), '--har', har, '--fail-on', 'assumed']);
    await fetch(`${proxy.base}/2025-10-13/customers`, { headers: { authorization } });
    await fetch(`${proxy.base}/__sandbox/outbox`);
    await proxy.waitFor(/listCustomers, GET \/customers, answered 200/);
    proxy.child.kill('SIGTERM');
    expect(await proxy.exit).toBe(1);
    expect(proxy.output()).toMatch(/2 entries, 1 judged: [1-9]\d* findings/);
    const text = readFileSync(har, 'utf8');
    expect((JSON.parse(text) as Har).log.entries).toHaveLength(1);
    expect(text).not.toContain('very secret');
    expect(text).not.toContain(authorization);
  });

  test('its recording is whole when it is killed, and passes or fails as the traffic did', async () => {
    const har = join(temporaryFolder(), 'live.har');
    const { base } = await openPort(await openSandbox());
    const proxy = await start(['--upstream', new URL(base).origin, '--har', har]);
    const headers = { authorization, 'content-type': 'application/json' };
    const body = JSON.stringify({ customerType: 'INDIVIDUAL' });
    for (let count = 0; count < 5; count += 1) {
      await fetch(`${proxy.base}/2025-10-13/customers`, { method: 'POST', headers, body });
    }
    proxy.child.kill('SIGKILL');
    await proxy.exit;
    expect((JSON.parse(readFileSync(har, 'utf8')) as Har).log.entries).toHaveLength(5);
    const check = run('cli/countersign.mjs', ['check', har]);
    expect([await check.exit, check.output()]).toEqual([0, expect.stringContaining('5 judged: 0 findings')]);
  });

  test('ends with 0 when all was well', async () => {
    const { base } = await openPort(await openSandbox());
    const proxy = await start(['--upstream', new URL(base).origin]);
    await fetch(`${proxy.base}/2025-10-13/customers`, { headers: { authorization } });
    proxy.child.kill('SIGINT');
    expect(await proxy.exit).toBe(0);
  });

  const refused: [args: string[], why: string][] = [
    [[], 'Name the service'],
    [['--upstream', 'http://localhost', '--har', '/no/such/folder/x.har'], 'ENOENT'],
    [['--upstream', 'localhost:4010'], "isn't an address such as"],
    [['--upstream', 'http://localhost', '--port', '99999'], '--port'],
    [['--surprise'], '--surprise'],
  ];
  test.each(byLength(refused.slice(0, 2), refused))('%j: 2, and why', async (args, why) => {
    const proxy = run('cli/countersign.mjs', ['proxy', ...args]);
    expect([await proxy.exit, proxy.output()]).toEqual([2, expect.stringContaining(why)]);
  });
});

function unchunk(bytes: Buffer): Buffer {
  const chunks: Buffer[] = [];
  for (let at = 0; ; ) {
    const end = bytes.indexOf('\r\n', at);
    const size = Number.parseInt(bytes.subarray(at, end).toString('latin1'), 16);
    if (end < 0 || !(size > 0)) return Buffer.concat(chunks);
    chunks.push(bytes.subarray(end + 2, end + 2 + size));
    at = end + 4 + size;
  }
}
