/**
 * Promise: `countersign_journal_bytes` is the real size of the journal for all kinds of requests, and stays below the
 * limits (docs/reference/journal.md).
 */
import type { IncomingMessage } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import type { ExchangeRequest } from '../../mocks/exchange/exchange.ts';
import { fromIncoming } from '../../mocks/exchange/node.ts';
import { fromRequest } from '../../mocks/exchange/web.ts';
import { createJournal, type Journal } from '../../mocks/sandbox/telemetry/journal.ts';
import { runningClock } from '../../mocks/sandbox/tools/clock.ts';
import { must, openSandbox } from '../support/sandbox/harness.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

function heldBytes(): number {
  collectGarbage();
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** A copy, because a substring would keep the whole original text in memory. */
const copy = (value: string) => Buffer.from(value).toString();
const text = (size: number, unit = 'x') => copy(unit.repeat(size));
const usual = {
  host: 'localhost:4010',
  'user-agent': 'test',
  accept: '*/*',
  authorization: 'Basic c2FuZGJveDpzYW5kYm94',
};

interface Made {
  readonly request: ExchangeRequest;
  readonly body?: Uint8Array;
  readonly reply?: string;
}
const read = (url: string, headers: Record<string, string>): ExchangeRequest => {
  const rawHeaders = Object.entries(headers).flat();
  return fromIncoming({
    method: 'GET',
    url,
    headers: { ...headers },
    rawHeaders,
  } as unknown as IncomingMessage) as ExchangeRequest;
};
const make = (init: RequestInit) =>
  fromRequest(new Request('http://localhost:4010/customers', { method: 'POST', ...init }));

const kinds: Readonly<Record<string, () => Made>> = {
  'small reads': () => ({ request: read('/customers', usual), reply: text(400) }),
  'reads with large headers': () => ({ request: read('/customers', { ...usual, cookie: text(12_000) }) }),
  'reads with many headers': () => ({
    request: read('/customers', {
      ...usual,
      ...Object.fromEntries(Array.from({ length: 80 }, (_, index) => [`x-${index}`, text(20)])),
    }),
  }),
  'long addresses': () => ({ request: read(`/customers?${text(12_000)}`, usual) }),
  'writes with large headers': () => ({ request: make({ headers: { cookie: text(12_000) } }), reply: text(400) }),
  'writes with many headers': () => ({
    request: make({ headers: Array.from({ length: 80 }, (_, index) => [copy(`x-${index}`), text(20)]) }),
  }),
  'large bodies': () => ({ request: make({}), body: new Uint8Array(20_000), reply: text(20_000) }),
  'replies beyond ASCII': () => ({ request: read('/customers', usual), reply: text(10_000, '漢') }),
};

async function fill(journal: Journal, kind: () => Made, count: number): Promise<void> {
  for (let number = 0; number < count; number += 1) {
    const { request, body, reply } = kind();
    const note = journal.open({ operationId: 'listCustomers', request });
    Object.assign(note, { platformId: `platform ${number % 50}`, clock: runningClock, ...(body && { body }) });
    await journal.close(note, { status: 200, ...(reply !== undefined && { text: reply }) });
  }
}

const parts = { clock: { now: () => 0 }, clockOf: async () => runningClock };

test.each(Object.entries(kinds))('%s are counted as what they take', async (_name, kind) => {
  await fill(createJournal(parts), kind, 100);
  const before = heldBytes();
  const journal = createJournal(parts);
  await fill(journal, kind, 1000);
  const held = heldBytes() - before;
  const ratio = held / journal.bytes();
  expect(ratio, `${held} held, ${journal.bytes()} told`).toBeLessThan(1.2);
  expect(ratio, `${held} held, ${journal.bytes()} told`).toBeGreaterThan(0.6);
});

test('the counted size stays below the bounds, of one platform and of all', async () => {
  const bounds = { entries: 1000, bytes: 200_000, totalBytes: 1_000_000 };
  const journal = createJournal({ ...parts, bounds });
  await fill(journal, kinds['writes with large headers'] as () => Made, 1000);
  expect(journal.bytes()).toBeLessThanOrEqual(1_000_000);
  expect(journal.bytes()).toBeGreaterThan(800_000);
  expect([...journal.read('platform 49')].length).toBeLessThanOrEqual(200_000 / 12_000);
});

test('the metric counts a large header', async () => {
  const sandbox = await openSandbox();
  const told = async () => {
    const { body } = await sandbox.control('GET', '/metrics');
    return Number(/^countersign_journal_bytes (\d+)$/m.exec(body)?.[1]);
  };
  must(await sandbox.send('GET', '/customers'));
  const before = await told();
  must(await sandbox.send('GET', '/customers', { headers: { 'x-large': text(9000) } }));
  expect((await told()) - before).toBeGreaterThan(9000);
});
