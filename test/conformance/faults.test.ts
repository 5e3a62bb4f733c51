/**
 * Promise: no traffic can crash the proxy or the check. A reply that can't be passed on becomes 502. A fault of ours is
 * reported and costs one entry. The work for a body or a recording grows at most linearly with its length.
 */
import { createServer } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createProxy } from '../../cli/proxy/forward.ts';
import { watchTraffic } from '../../cli/proxy/watch.ts';
import { checkFiles } from '../../conformance/check.ts';
import { judge } from '../../conformance/judge.ts';
import { createMatcher } from '../../conformance/match.ts';
import { createJsonReport } from '../../conformance/report/json.ts';
import { createSarifReport } from '../../conformance/report/sarif.ts';
import { createTextReport } from '../../conformance/report/text.ts';
import type { Contract } from '../../contract/contract.ts';
import { loadContract } from '../../contract/file.ts';
import { check, toEntry, toHar, writeRecording } from '../support/requests/recordings.ts';
import { byLength } from '../support/run/length.ts';

const contract = loadContract();
const list = { data: [], hasMore: false, totalCount: 0 };
const good = toEntry({ url: '/customers', status: 200, responseBody: list });
const config = toEntry({ url: '/config', status: 200, responseBody: { clientSecret: 'Top-Secret-1' } });
const broken = toEntry({ url: '/customers', status: 200, responseBody: { ...list, totalCount: '0' } });

/** The contract with a planted fault, which every check of a getConfig reply meets. */
const faulty: Contract = {
  ...contract,
  checkResponse(operation, status, body) {
    if (operation.id === 'getConfig') throw new TypeError(`can't read ${JSON.stringify(body)}`);
    return contract.checkResponse(operation, status, body);
  },
};

describe('a recording', () => {
  test.each([
    ['text', createTextReport],
    ['json', createJsonReport],
    ['sarif', createSarifReport],
  ])('a fault of ours costs one entry, and is 3: %s', async (format, createReport) => {
    const written: string[] = [];
    const report = createReport((text) => written.push(text));
    const file = writeRecording(toHar([good, config, broken]));
    const options = {
      match: createMatcher(),
      report,
      requireBodies: false,
      progress: () => {},
      failOn: 'assumed' as const,
    };
    expect(await checkFiles([file], { contract: faulty, ...options })).toBe(3);
    const text = written.join('');
    expect(text).toContain('has an entry 1 that could not be judged: this is a bug in Countersign');
    expect(text).toMatch(
      /Report it with this: contract [\d-]+, Node \d+\.\d+\.\d+, TypeError at .*faults\.test\.ts:\d+/,
    );
    expect(text).not.toMatch(/Top-Secret|\/conformance\/faults/);
    expect(text).toContain('must be integer');
    if (format === 'text')
      expect(text).toContain('3 entries, 2 judged: 1 finding. Not judged because of a fault of Countersign: 1.');
  });

  test.each([
    ['a number too large', { requestBody: '[1e400]' }],
    ['half a surrogate pair', { requestBody: '["\\udfff"]' }],
    ['a number too large in a reply', { responseBody: '[1e400]' }],
    ['half a surrogate pair in a reply', { responseBody: '["\\udfff"]' }],
  ])('%s is a finding, and the rest is judged', async (_name, bodies) => {
    const odd = toEntry({ url: '/customers', method: 'POST', status: 201, ...bodies });
    const { code, stdout } = await check(writeRecording(toHar([odd, broken])));
    expect(stdout).toMatch(/entry 0 [\s\S]*entry 1 [^\n]*\n {2}response\.body \/totalCount[\s\S]*2 entries, 2 judged/);
    expect(code).toBe(1);
  });

  test.each([5, {}, [], true])('the encoding %j is one that nobody knows', async (encoding) => {
    const { content } = good.response;
    const odd = { ...good, response: { ...good.response, content: { ...content, encoding } } };
    const { code, stdout } = await check(writeRecording(toHar([odd, broken])));
    expect(stdout).toContain(`response.body is recorded in the encoding ${JSON.stringify(encoding)}`);
    expect([code, stdout]).toEqual([1, expect.stringContaining('2 entries, 2 judged: 2 findings')]);
  });

  test.each([
    ['lists', '[', ']'],
    ['objects', '{"a":', '1}'],
  ])('is not followed into 80,000 %s in one another', async (_name, opening, closing) => {
    const deep = `${opening.repeat(80_000)}${closing.slice(0, -1)}${closing.at(-1)?.repeat(80_000)}`;
    const file = writeRecording(
      toHar([broken])
        .replace(/\}\}$/, `},"pages":${deep}}`)
        .replace(/(\]),"pages"/, '$1,"pages"'),
    );
    const before = process.cpuUsage();
    const { code, stdout } = await check(file);
    expect([code, stdout]).toEqual([2, expect.stringMatching(/is nested more than 256 levels deep, after 1 whole/)]);
    // Without the limit it takes 8 seconds.
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(2000);
  });
});

/** A service that answers every connection with these bytes, and a proxy before it. */
async function openBehindProxy(answer: () => string, judgedBy: Contract = contract) {
  const service = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.end(Buffer.from(answer(), 'latin1')));
  });
  const upstream = await listen(service);
  const printed: string[] = [];
  const watch = watchTraffic({
    contract: judgedBy,
    match: createMatcher(),
    report: createTextReport((text) => printed.push(text)),
    failOn: 'assumed',
  });
  const base = await listen(createProxy({ upstream: new URL(upstream), guard: () => undefined, ...watch }));
  return { base, summary: watch.summary, printed };
}

async function listen(server: ReturnType<typeof createServer>): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`;
}

const whole = (body: string, line = '200 OK') =>
  `HTTP/1.1 ${line}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`;

describe('the proxy goes on', () => {
  test.each([
    ['a reply longer than its Content-Length', whole('{}').replace('{}', '{"data":[]}')],
    ['a status below 100', whole('{}', '099 Odd')],
    ['the status 000', whole('{}', '000 Odd')],
    ['a status of four digits', whole('{}', '1000 Odd')],
    ['a DEL in the reason', whole('{}', '200 O\u007fK')],
    ['a control character in the reason', whole('{}', '200 O\u0001K')],
    ['a DEL in a header', whole('{}').replace('Content-Type', 'X-Odd: a\u007fb\r\nContent-Type')],
    ['another protocol', 'HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'],
    ['a 204 with a body', whole('{}', '204 No Content')],
    ['two lengths', whole('{}').replace('Content-Type', 'Content-Length: 9\r\nContent-Type')],
    ['no HTTP', 'hello'],
  ])('%s is 502', async (_name, bytes) => {
    let answer = bytes;
    const { base, summary } = await openBehindProxy(() => answer);
    const first = await fetch(`${base}/2025-10-13/customers`);
    expect([first.status, first.headers.get('countersign-findings')]).toEqual([502, 'unjudged']);
    expect(await first.json()).toMatchObject({ status: 502, code: 'BAD_GATEWAY' });
    expect(summary.skipped['no-reply']).toBe(1);
    answer = whole(JSON.stringify(list));
    const second = await fetch(`${base}/2025-10-13/customers`);
    expect([second.status, second.headers.get('countersign-findings')]).toEqual([200, '0']);
  });

  test.each(['[1e400]', '["\\udfff"]'])('the body %s is judged', async (body) => {
    const { base } = await openBehindProxy(() => whole(body));
    for (const init of [{}, { method: 'POST', body, headers: { 'content-type': 'application/json' } }]) {
      const answer = await fetch(`${base}/2025-10-13/customers`, init);
      expect([await answer.text(), Number(answer.headers.get('countersign-findings')) > 0]).toEqual([body, true]);
    }
  });

  test('a fault of ours is "unjudged", told once, and the reply passes', async () => {
    const { base, summary, printed } = await openBehindProxy(() => whole('{"clientSecret":"Top-Secret-1"}'), faulty);
    const first = await fetch(`${base}/2025-10-13/config`);
    expect([first.status, await first.text()]).toEqual([200, '{"clientSecret":"Top-Secret-1"}']);
    expect(first.headers.get('countersign-findings')).toBe('unjudged');
    const second = await fetch(`${base}/2025-10-13/customers`);
    expect(Number(second.headers.get('countersign-findings'))).toBeGreaterThan(0);
    expect(summary).toMatchObject({ entries: 2, judged: 1, unjudged: 1 });
    expect(printed.join('')).toMatch(/^live entry 0 could not be judged: this is a bug in Countersign\. Report it/);
    expect(printed.join('')).not.toContain('Top-Secret');
  });
});

/** The processor time of the fastest of some runs, in milliseconds. */
function costOf(work: () => void): number {
  const costs = Array.from({ length: byLength(3, 5) }, () => {
    const before = process.cpuUsage();
    work();
    return process.cpuUsage(before).user / 1000;
  });
  return Math.min(...costs);
}

describe('twice the input takes at most about twice the work', () => {
  const size = byLength(20_000, 100_000);
  const many = (count: number, item: string) => Array.from({ length: count }, () => item).join(',');
  const bodies: [name: string, operation: string, body: (count: number) => string][] = [
    ['items that lack everything', '/customers/external-accounts', (count) => `{"data":[${many(count, '{}')}]}`],
    ['items of a wrong type', '/agents', (count) => `{"data":[${many(count, '1')}]}`],
    ['items of unions', '/agents/approvals', (count) => `{"data":[${many(count, '{"type":"x"}')}]}`],
    [
      'unknown fields',
      '/config',
      (count) => `{${Array.from({ length: count }, (_, index) => `"x${index}":1`).join(',')}}`,
    ],
    ['levels', '/config', (count) => '['.repeat(count) + ']'.repeat(count)],
  ];

  test.each(bodies)('%s', (_name, path, body) => {
    const judgeBody = (count: number) => {
      const text = body(count);
      const exchange = {
        request: {
          method: 'GET',
          url: `http://localhost/2025-10-13${path}`,
          headers: [],
          body: { kind: 'text', text: '' },
        },
        response: { status: 200, headers: [['Content-Type', 'application/json']], body: { kind: 'text', text } },
      } as const;
      return () => {
        const verdict = judge(contract, exchange);
        if (verdict.kind === 'skipped' || verdict.breaches.length > 102) throw new Error('too many or none');
      };
    };
    judgeBody(10)();
    // If the cost grew with the square, it would be four times as much, and seconds. A busy machine adds some
    // milliseconds.
    expect(costOf(judgeBody(2 * size))).toBeLessThan(3 * costOf(judgeBody(size)) + 200);
  });

  test('at most 100 faults of a body are listed', async () => {
    const items = toEntry({ url: '/agents', status: 200, responseBody: `{"data":[${many(16_000, '{}')}]}` });
    const { stdout } = await check(writeRecording(toHar([items])));
    expect(stdout).toMatch(/1 entry, 1 judged: 100 findings/);
  });
});
